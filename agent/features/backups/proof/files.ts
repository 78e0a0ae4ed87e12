import { z } from 'zod'
import { RESTORING } from '#agent/features/backups/fetch.ts'
import { makeHarmless } from '#agent/features/backups/harmless.ts'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import { ProgressLines } from '#agent/features/backups/restic/progress.ts'
import { type Opened, streamRestic } from '#agent/features/backups/restic/run.ts'
import { SITE } from '#agent/features/backups/save.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { docrootOf, homeOf } from '#agent/kernel/site/paths.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import * as users from '#agent/kernel/users/users.ts'

const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
/** Where restic sees the folder that it restores to. */
const TARGET = '/restore'

/**
 * The public folder of a backup becomes that of the hidden site. Meanwhile nobody else can enter its
 * home. Throws conflict for files that no site can have.
 */
export async function* restoreFiles(
  host: Host,
  opened: Opened,
  user: string,
  { files }: Manifest,
): Progress<void> {
  yield `Restoring ${files.count} files: ${sizeOf(files.bytes)}`
  const home = homeOf(user)
  await host.files.mkdir(home, { mode: 0o700 })
  const lines = new ProgressLines(() => host.clock.elapsed())
  const only = ['--include', '/public']
  const args = ['restore', `${files.snapshot}:${SITE}`, ...RESTORING, '--target', TARGET, ...only]
  const writes = { path: home, as: TARGET }
  for await (const line of streamRestic(host, opened, args, { writes, timeout_ms: DAY_MS })) {
    const readable = lines.read(line)
    if (readable !== undefined) yield readable
  }
  yield* await makeHarmless(host, user, docrootOf(user))
  await users.createFolders(host, user).apply()
}

const Counted = z.tuple([z.coerce.number(), z.coerce.number()])

/** The number and the bytes of all files, which may be millions. */
export async function countFiles(
  host: Host,
  user: string,
): Promise<{ count: number; bytes: number }> {
  const find = ['find', homeOf(user), '-type', 'f', '-printf', '%s\\n']
  const sum = ['awk', '{ n++; s += $1 } END { printf "%.0f %.0f\\n", n, s }']
  const input_from = { argv: find, options: { timeout_ms: HOUR_MS } }
  const { stdout } = await host.shell.run(sum, { input_from, timeout_ms: HOUR_MS })
  const [count, bytes] = Counted.parse(stdout.trim().split(' '))
  return { count, bytes }
}
