import { z } from 'zod'
import {
  describeSelection,
  includesOf,
  refuseMissing,
} from '#agent/features/backups/chosen/paths.ts'
import { chooseTables } from '#agent/features/backups/chosen/tables.ts'
import { isDamaged, isTransient } from '#agent/features/backups/restic/failures.ts'
import { ProgressLines } from '#agent/features/backups/restic/progress.ts'
import { type OpenRepository, runRestic, streamRestic } from '#agent/features/backups/restic/run.ts'
import { timeFor } from '#agent/kernel/database/dump.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { reportProgress, sizeOf } from '#agent/kernel/host/report-progress.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import type { BackupParts } from '#shared/backups/backup-parts.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { withLargerQuota } from './larger-quota.ts'
import { DUMP, MANIFEST, type Manifest, parseManifest } from './manifest.ts'
import { dumpIn, fetchedOf, filesIn, restoreFolders } from './paths.ts'
import { sanitizeFiles } from './sanitize-files.ts'
import { listManifests, SITE } from './save.ts'

const DAY_MS = 24 * 60 * 60_000
const MINUTES = 60_000
const RESERVE = 256 * 2 ** 20
const PRIVATE = { mode: 0o700 }
/**
 * Restores no extended attributes: access lists, capabilities and marks are those of another
 * server. Numbers of owners are, too: everything belongs to root (sandbox.ts) until it becomes the
 * site's.
 */
export const RESTORE_OPTIONS = ['--json', '--sparse', '--exclude-xattr', '*', '--ownership-by-name']
/** The path at which restic sees the folder that it restores to. */
const TARGET = '/restore'

/** Throws conflict for a backup that somebody has deleted, such as the keeper of the storage. */
export async function readManifest(
  host: Host,
  opened: OpenRepository,
  backup: string,
): Promise<Manifest> {
  const args = ['dump', backup, `/${MANIFEST}`]
  try {
    const { stdout } = await runRestic(host, opened, args, { timeout_ms: 10 * MINUTES })
    return parseManifest(stdout)
  } catch (error) {
    if (isDamaged(error) || isTransient(error)) throw error
    const present = await listManifests(host, opened)
    if (!present || present.includes(backup)) throw error
    throw conflict('The backup is not in the repository any more: choose a later one')
  }
}

/** Throws conflict when the parts of a backup do not fit on the disk beside the present ones. */
export async function refuseLackOfSpace(
  host: Host,
  opened: OpenRepository,
  { files, database }: Manifest,
  parts: BackupParts,
): Promise<void> {
  const { paths } = parts
  const dump = parts.database ? (database?.bytes ?? 0) : 0
  const size = paths ? await sizeOfPaths(host, opened, files.snapshot, paths) : files.bytes
  await refuseLack(host, HOMES, (parts.files ? size : 0) + (parts.tables ? 3 : 2) * dump)
  if (dump > 0) await refuseLack(host, '/var/lib/mysql', 2 * dump)
}

const Total = z.object({ message_type: z.literal('summary'), total_bytes: z.number() })

async function sizeOfPaths(
  host: Host,
  opened: OpenRepository,
  snapshot: string,
  paths: readonly string[],
): Promise<number> {
  const args = ['restore', `${snapshot}:${SITE}`, '--json', '--dry-run', '--target', TARGET]
  const options = { timeout_ms: 60 * MINUTES }
  const { stdout } = await runRestic(host, opened, [...args, ...includesOf(paths)], options)
  return parseJson(Total, stdout.trim().split('\n').at(-1))?.total_bytes ?? 0
}

/** Throws conflict when a file system has no space for so many bytes and a reserve. */
export async function refuseLack(
  host: Host,
  path: string,
  bytes: number,
  what = 'the restore',
): Promise<void> {
  const { free } = await host.files.space(path)
  const needed = bytes + RESERVE
  if (free >= needed) return
  const message = `${path} has ${sizeOf(free)} free, and ${what} needs ${sizeOf(needed)}`
  throw conflict(message, 'disk_full')
}

/** Fetches the parts into a folder of root, and checks them before the site changes. */
export async function* fetchParts(
  host: Host,
  opened: OpenRepository,
  site: Site,
  manifest: Manifest,
  parts: BackupParts,
): Progress<void> {
  const { user } = site
  const folder = fetchedOf(user)
  for (const path of restoreFolders(user)) await host.files.mkdir(path, PRIVATE)
  await host.files.mkdir(folder, PRIVATE)
  if (parts.database && !manifest.database) throw conflict('The backup has no database')
  if (parts.database && manifest.database) {
    yield `Fetching the database: ${sizeOf(manifest.database.bytes)}`
    await fetchDump(host, opened, folder, manifest.database)
    if (parts.tables) await chooseTables(host, user, folder, parts.tables)
  }
  if (!parts.files) return
  yield parts.paths
    ? `Fetching ${describeSelection(parts.paths, 'files and folders')}`
    : `Fetching ${manifest.files.count} files: ${sizeOf(manifest.files.bytes)}`
  const includes = parts.paths ? includesOf(parts.paths) : ['--include', '/public']
  yield* withLargerQuota(host, site, manifest, () =>
    fetchFiles(host, opened, folder, manifest, includes),
  )
  await refuseMissing(host, folder, parts.paths ?? [])
  yield* await sanitizeFiles(host, user, filesIn(folder))
  // A named pipe was left out.
  await refuseMissing(host, folder, parts.paths ?? [])
}

type SavedDump = Pick<NonNullable<Manifest['database']>, 'snapshot' | 'sha256' | 'bytes'>

/** Fetches the dump into the folder, and checks it. */
async function fetchDump(
  host: Host,
  opened: OpenRepository,
  folder: string,
  dumped: SavedDump,
): Promise<void> {
  await writeDump(host, opened, folder, dumped)
  await checkDump(host, folder, dumped)
}

export async function writeDump(
  host: Host,
  opened: OpenRepository,
  folder: string,
  { snapshot, bytes }: SavedDump,
): Promise<void> {
  const args = ['dump', snapshot, `/${DUMP}`]
  const seen = reportProgress(host, 'Fetching the database', bytes)
  const options = { output_file: dumpIn(folder), seen, timeout_ms: timeFor(bytes) }
  await runRestic(host, opened, args, options)
}

/** Throws for a dump that is not the saved one. */
export async function checkDump(
  host: Host,
  folder: string,
  { sha256, bytes }: SavedDump,
): Promise<void> {
  const argv = ['sha256sum', '--', dumpIn(folder)]
  const { stdout } = await host.shell.run(argv, { timeout_ms: timeFor(bytes) })
  if (stdout.startsWith(sha256)) return
  throw new Error('The database of the backup is not the one that was saved')
}

/** With `--overwrite` and `--delete`, only differing files of a folder are written. */
export async function* fetchFiles(
  host: Host,
  opened: OpenRepository,
  folder: string,
  { files }: { files: Pick<Manifest['files'], 'snapshot'> },
  includes: readonly string[],
): Progress<void> {
  const lines = new ProgressLines(() => host.clock.elapsed())
  const from = `${files.snapshot}:${SITE}`
  const args = ['restore', from, ...RESTORE_OPTIONS, '--target', TARGET, ...includes]
  const writes = { path: folder, as: TARGET }
  for await (const line of streamRestic(host, opened, args, { writes, timeout_ms: DAY_MS })) {
    const readable = lines.read(line)
    if (readable !== undefined) yield readable
  }
}
