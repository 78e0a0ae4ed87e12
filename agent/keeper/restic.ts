import { z } from 'zod'
import type { Host, Output } from '#agent/host/ports.ts'
import { failureOf } from '#agent/os/restic/failures.ts'
import type { Secret } from '#shared/secret.ts'
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
  if (output.code !== 0) throw failureOf(output, [opened.password])
  return output
}

const Listed = z.array(
  z.object({
    id: z.string().regex(/^[0-9a-f]{64}$/),
    time: z.string(),
    tags: z.array(z.string()).nullish(),
  }),
)
export type ListedSnapshot = { id: string; claimed: number; tags: readonly string[] }

/** The snapshots that restic can read; garbage is left out. */
export async function listSnapshots(
  host: Host,
  restic: Restic,
  opened: Opened,
): Promise<ListedSnapshot[]> {
  const { stdout } = await runRestic(host, restic, opened, ['snapshots', '--json', '--no-lock'])
  return Listed.parse(JSON.parse(stdout)).map(({ id, time, tags }) => {
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
  const output = await tryRestic(host, restic, opened, ['check', '--json', '--no-lock', subset])
  const [summary] = output.stdout.split('\n').flatMap((line) => {
    const parsed = line.startsWith('{') ? Checked.safeParse(JSON.parse(line)).data : undefined
    return parsed ? [parsed] : []
  })
  if (!summary) throw failureOf(output, [opened.password])
  const { num_errors: errors, broken_packs } = summary
  return { errors: output.code === 0 ? errors : Math.max(errors, 1), packs: broken_packs ?? [] }
}
