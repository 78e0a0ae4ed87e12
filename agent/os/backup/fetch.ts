import type { Host } from '#agent/host/ports.ts'
import { timeFor } from '#agent/os/database/dump.ts'
import { ProgressLines, sizeOf } from '#agent/os/restic/progress.ts'
import { type Opened, runRestic, streamRestic } from '#agent/os/restic/run.ts'
import { docrootOf, HOMES } from '#agent/os/site/paths.ts'
import type { Progress } from '#agent/steps/command.ts'
import type { BackupParts } from '#shared/backup.ts'
import { conflict } from '#shared/errors.ts'
import { DUMP, MANIFEST, type Manifest, parseManifest } from './manifest.ts'
import { dumpIn, fetchedOf, filesIn, restoreFolders } from './places.ts'
import { SITE } from './save.ts'

const DAY_MS = 24 * 60 * 60_000
const MINUTES = 60_000
const RESERVE = 256 * 2 ** 20
const PRIVATE = { mode: 0o700 }
/** Where restic sees the folder that it restores to. */
const TARGET = '/restore'

export async function readManifest(host: Host, opened: Opened, backup: string): Promise<Manifest> {
  const args = ['dump', backup, `/${MANIFEST}`]
  const { stdout } = await runRestic(host, opened, args, { timeout_ms: 10 * MINUTES })
  return parseManifest(stdout)
}

/** Throws conflict when the parts of a backup do not fit on the disk beside the present ones. */
export async function refuseLackOfSpace(
  host: Host,
  { files, database }: Manifest,
  parts: BackupParts,
): Promise<void> {
  const dump = parts.database ? (database?.bytes ?? 0) : 0
  await refuse(host, HOMES, (parts.files ? files.bytes : 0) + 2 * dump)
  if (dump > 0) await refuse(host, '/var/lib/mysql', 2 * dump)
}

async function refuse(host: Host, path: string, bytes: number): Promise<void> {
  const { free } = await host.files.space(path)
  const needed = bytes + RESERVE
  if (free >= needed) return
  throw conflict(`${path} has ${sizeOf(free)} free, and the restore needs ${sizeOf(needed)}`)
}

/** Into a folder of root: nothing of the site changes, and all of it is checked. */
export async function* fetchParts(
  host: Host,
  opened: Opened,
  user: string,
  manifest: Manifest,
  parts: BackupParts,
): Progress<void> {
  const folder = fetchedOf(user)
  for (const path of restoreFolders(user)) await host.files.mkdir(path, PRIVATE)
  await host.files.mkdir(folder, PRIVATE)
  if (parts.database && !manifest.database) throw conflict('The backup has no database')
  if (parts.database && manifest.database) {
    yield `Fetching the database: ${sizeOf(manifest.database.bytes)}`
    await fetchDump(host, opened, folder, manifest.database)
  }
  if (!parts.files) return
  yield `Fetching ${manifest.files.count} files: ${sizeOf(manifest.files.bytes)}`
  yield* fetchFiles(host, opened, folder, manifest)
  await giveTo(host, user, folder, manifest)
}

async function fetchDump(
  host: Host,
  opened: Opened,
  folder: string,
  { snapshot, sha256, bytes }: NonNullable<Manifest['database']>,
): Promise<void> {
  const path = dumpIn(folder)
  const args = ['dump', snapshot, `/${DUMP}`]
  await runRestic(host, opened, args, { output_file: path, timeout_ms: timeFor(bytes) })
  const { stdout } = await host.shell.run(['sha256sum', '--', path], { timeout_ms: timeFor(bytes) })
  if (!stdout.startsWith(sha256)) {
    throw new Error('The database of the backup is not the one that was saved')
  }
}

async function* fetchFiles(
  host: Host,
  opened: Opened,
  folder: string,
  { files }: Manifest,
): Progress<void> {
  const lines = new ProgressLines(() => host.clock.elapsed())
  const from = `${files.snapshot}:${SITE}`
  const args = ['restore', from, '--json', '--target', TARGET, '--include', '/public']
  const writes = { path: folder, as: TARGET }
  for await (const line of streamRestic(host, opened, args, { writes, timeout_ms: DAY_MS })) {
    const readable = lines.read(line)
    if (readable !== undefined) yield readable
  }
}

/** On another server the user of the site has another number: files of the old one become its own. */
async function giveTo(
  host: Host,
  user: string,
  folder: string,
  { owner }: Manifest,
): Promise<void> {
  const present = await host.files.stat(docrootOf(user))
  if (!present || (present.uid === owner.uid && present.gid === owner.gid)) return
  const path = filesIn(folder)
  for (const [from, to] of [
    [`${owner.uid}`, `${present.uid}`],
    [`:${owner.gid}`, `:${present.gid}`],
  ]) {
    const argv = ['chown', '--no-dereference', '--recursive', `--from=${from}`, '--', `${to}`, path]
    await host.shell.run(argv, { timeout_ms: 60 * MINUTES })
  }
}
