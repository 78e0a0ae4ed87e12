import { z } from 'zod'
import {
  failureOf,
  isNoList,
  isOfElsewhere,
  isUnreachable,
  SIGNALLED,
} from '#agent/features/backups/restic/failures.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { Store } from './store.ts'

/** An opened repository. */
export interface Opened {
  store: Store
  name: string
  password: Secret
  /** The file in `keys` that the password belongs to: other keys may be garbage. */
  key: string
}

export interface Restic {
  program: string
  /** The time that is left of the run. */
  left: () => number
}

const LEAST_MS = 60_000
/** A timer is no more exact than this. */
const TIMER_MS = 100

/** Never throws for an exit status. The password is passed on standard input. */
export async function tryRestic(
  host: Host,
  { program, left }: Restic,
  { store, name, password, key }: Opened,
  args: readonly string[],
): Promise<Output> {
  const { launcher, options, env } = await store.restic(name)
  const argv = [...launcher, program, ...options, `--key-hint=${key}`, ...args]
  return host.shell.try(argv, {
    input: `${password.reveal()}\n`,
    env: { ...env, GOMEMLIMIT: '1GiB', TMPDIR: '/tmp' },
    timeout_ms: Math.max(LEAST_MS, left()),
  })
}

/** Throws a readable error with the message of restic. */
export async function runRestic(
  host: Host,
  restic: Restic,
  opened: Opened,
  args: readonly string[],
): Promise<Output> {
  const output = await tryRestic(host, restic, opened, args)
  if (output.code !== 0) throw failureIn(restic, opened, output, args)
  return output
}

/** Whether the time of the run is over. */
export const isOver = ({ left }: Restic): boolean => left() <= TIMER_MS

/** Throws if something else than the repository was the cause: the next run may succeed. */
export function throwElsewhere(
  restic: Restic,
  opened: Opened,
  output: Output,
  args: readonly string[],
): void {
  if (isOfElsewhere(failureOf(output, [opened.password])))
    throw failureIn(restic, opened, output, args)
}

/** The message of restic, or that it was ended with the run. */
export function failureIn(
  restic: Restic,
  { password }: Opened,
  output: Output,
  [command = '']: readonly string[],
): Error {
  const failure = failureOf(output, [password])
  if (output.code < SIGNALLED || !isOver(restic) || isUnreachable(failure)) return failure
  return new Error(
    `The time of the run (run_minutes) was over before restic ${command} ended: the next run continues. If this happens again, check that the storage answers, or raise run_minutes`,
  )
}

const Listed = z.array(
  z.object({
    id: z.string().regex(/^[0-9a-f]{64}$/),
    time: z.string(),
    tags: z.array(z.string()).nullish(),
  }),
)
export type ListedSnapshot = { id: string; claimed: number; tags: readonly string[] }

/** The snapshots that restic can read; garbage is left out. Throws if the list cannot be read. */
export async function listSnapshots(
  host: Host,
  restic: Restic,
  opened: Opened,
): Promise<ListedSnapshot[]> {
  const args = ['snapshots', '--json', '--no-lock']
  const output = await runRestic(host, restic, opened, args)
  if (isNoList(output.stderr))
    throw failureOf({ ...output, stdout: '', code: 1 }, [opened.password])
  return Listed.parse(JSON.parse(output.stdout)).map(({ id, time, tags }) => {
    const claimed = Date.parse(time)
    return { id, claimed: Number.isNaN(claimed) ? 0 : claimed, tags: tags ?? [] }
  })
}

const Checked = z.object({
  message_type: z.literal('summary'),
  num_errors: z.number(),
  broken_packs: z.array(z.string()).nullish(),
})

/** The damaged packs in one part of the stored data, and whether anything else is wrong. */
export async function checkPart(
  host: Host,
  restic: Restic,
  opened: Opened,
  { part, of }: { part: number; of: number },
): Promise<{ errors: number; packs: string[] }> {
  const subset = `--read-data-subset=${part}/${of}`
  const args = ['check', '--json', '--no-lock', subset]
  const output = await tryRestic(host, restic, opened, args)
  const [summary] = output.stdout.split('\n').flatMap((line) => {
    const parsed = line.startsWith('{') ? Checked.safeParse(JSON.parse(line)).data : undefined
    return parsed ? [parsed] : []
  })
  if (!summary) throw failureIn(restic, opened, output, args)
  const { num_errors: errors, broken_packs } = summary
  return { errors: output.code === 0 ? errors : Math.max(errors, 1), packs: broken_packs ?? [] }
}
