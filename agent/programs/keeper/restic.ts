import { z } from 'zod'
import {
  failureOf,
  isFailedList,
  isTransient,
  isUnreachable,
  SIGNALLED,
} from '#agent/features/backups/restic/failures.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { Store } from './store.ts'

export interface OpenKeeperRepository {
  store: Store
  name: string
  password: Secret
  /** The file in `keys` of the password: other keys may be garbage. */
  key: string
}

export interface KeeperRestic {
  program: string
  /** Returns the remaining time of the run. */
  left: () => number
}

const MIN_RUN_MS = 60_000
/** The precision of a timer. */
const TIMER_MS = 100

/** Runs restic and never throws for an exit status. The password is passed on standard input. */
export async function tryRestic(
  host: Host,
  { program, left }: KeeperRestic,
  { store, name, password, key }: OpenKeeperRepository,
  args: readonly string[],
): Promise<Output> {
  const { launcher, options, env } = await store.restic(name)
  const argv = [...launcher, program, ...options, `--key-hint=${key}`, ...args]
  return host.shell.try(argv, {
    input: `${password.reveal()}\n`,
    env: { ...env, GOMEMLIMIT: '1GiB', TMPDIR: '/tmp' },
    timeout_ms: Math.max(MIN_RUN_MS, left()),
  })
}

/** Runs restic; throws a readable error with its message. */
export async function runRestic(
  host: Host,
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
  args: readonly string[],
): Promise<Output> {
  const output = await tryRestic(host, restic, opened, args)
  if (output.code !== 0) throw failureIn(restic, opened, output, args)
  return output
}

/** Returns whether the time of the run is over. */
export const isOver = ({ left }: KeeperRestic): boolean => left() <= TIMER_MS

/** Throws unless the repository was the cause: the next run may succeed. */
export function throwUnlessRepository(
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
  output: Output,
  args: readonly string[],
): void {
  if (isTransient(failureOf(output, [opened.password])))
    throw failureIn(restic, opened, output, args)
}

/** Returns the message of restic, or that it was ended with the run. */
export function failureIn(
  restic: KeeperRestic,
  { password }: OpenKeeperRepository,
  output: Output,
  [command = '']: readonly string[],
): Error {
  const failure = failureOf(output, [password])
  if (output.code < SIGNALLED || !isOver(restic) || isUnreachable(failure)) return failure
  return new Error(
    `The time of the run (run_minutes) was over before restic ${command} ended: the next run continues. If this happens again, check that the storage answers, or raise run_minutes`,
  )
}

const SnapshotList = z.array(
  z.object({
    id: z.string().regex(/^[0-9a-f]{64}$/),
    time: z.string(),
    tags: z.array(z.string()).nullish(),
  }),
)
export type ListedSnapshot = { id: string; claimed: number; tags: readonly string[] }

/** Lists the snapshots that restic can read, without garbage. Throws if that fails. */
export async function listSnapshots(
  host: Host,
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
): Promise<ListedSnapshot[]> {
  const args = ['snapshots', '--json', '--no-lock']
  const output = await runRestic(host, restic, opened, args)
  if (isFailedList(output.stderr))
    throw failureOf({ ...output, stdout: '', code: 1 }, [opened.password])
  return SnapshotList.parse(JSON.parse(output.stdout)).map(({ id, time, tags }) => {
    const claimed = Date.parse(time)
    return { id, claimed: Number.isNaN(claimed) ? 0 : claimed, tags: tags ?? [] }
  })
}

const CheckOutput = z.object({
  message_type: z.literal('summary'),
  num_errors: z.number(),
  broken_packs: z.array(z.string()).nullish(),
})

/** Returns the damaged packs in one part of the stored data, and whether anything else is wrong. */
export async function checkPart(
  host: Host,
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
  { part, of }: { part: number; of: number },
): Promise<{ errors: number; packs: string[] }> {
  const subset = `--read-data-subset=${part}/${of}`
  const args = ['check', '--json', '--no-lock', subset]
  const output = await tryRestic(host, restic, opened, args)
  const [summary] = output.stdout.split('\n').flatMap((line) => {
    const parsed = line.startsWith('{') ? CheckOutput.safeParse(JSON.parse(line)).data : undefined
    return parsed ? [parsed] : []
  })
  if (!summary) throw failureIn(restic, opened, output, args)
  const { num_errors: errors, broken_packs } = summary
  return { errors: output.code === 0 ? errors : Math.max(errors, 1), packs: broken_packs ?? [] }
}
