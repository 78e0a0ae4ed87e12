import { z } from 'zod'
import { IncompleteSnapshot, isPartialList } from '#agent/features/backups/restic/failures.ts'
import { ProgressLines, type Summary } from '#agent/features/backups/restic/progress.ts'
import {
  type OpenRepository,
  runRestic,
  streamRestic,
  tryRestic,
} from '#agent/features/backups/restic/run.ts'
import {
  type ChosenTables,
  type DumpConsumer,
  databaseSize,
  type StreamedDump,
  streamDatabase,
  streamTables,
  timeFor,
} from '#agent/kernel/database/dump.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { EXCLUDED_PATHS } from '#agent/kernel/site/content-paths.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { SnapshotId } from '#shared/backups/backup.ts'
import { DUMP, MANIFEST, type Manifest, partsIn } from './manifest.ts'

const DAY_MS = 24 * 60 * 60_000
/** The path at which restic sees the folder of the site: the same on every server. */
export const SITE = '/site'

/** All snapshots have the same host name, by which restic finds the previous one of a site. */
const COMMON = ['backup', '--json', '--host', 'hosting', '--tag']

export interface SavedDatabase {
  snapshot: Summary
  dump: StreamedDump
}

/** Saves the dump of the database or of some tables without a file; undefined without database. */
export async function saveDatabase(
  host: Host,
  opened: OpenRepository,
  { user }: Site,
  only?: readonly string[],
): Promise<SavedDatabase | undefined> {
  const size = await databaseSize(host, user)
  if (size === undefined) return undefined
  return saved(host, opened, size, (save) =>
    streamDatabase(host, user, size, save, { only, low: true }),
  )
}

/** Saves existing tables. The caller is in `withSliceInUse`. */
export const saveTables = (
  host: Host,
  opened: OpenRepository,
  { user }: Site,
  chosen: ChosenTables,
): Promise<SavedDatabase> =>
  saved(host, opened, chosen.size, (save) =>
    streamTables(host, user, { ...chosen, low: true }, save),
  )

async function saved(
  host: Host,
  opened: OpenRepository,
  size: number,
  stream: (save: DumpConsumer) => Promise<StreamedDump>,
): Promise<SavedDatabase> {
  let snapshot: Summary | undefined
  const args = [...COMMON, 'database', '--stdin', '--stdin-filename', DUMP]
  const dump = await stream(async (input_from) => {
    const seen = reportProgress(host, 'Saving the database')
    const options = { input_from, seen, timeout_ms: timeFor(size) }
    const output = await runRestic(host, opened, args, options)
    snapshot = summaryOf(output.stdout)
    return output.fed
  })
  return { snapshot: requireSummary(snapshot), dump }
}

/**
 * Saves all files of the site but its caches and `exclude`, paths below its folder, with owners,
 * modes and times. Not limited to one file system: files on overlayfs have their own device
 * numbers, and a site mounts nothing.
 */
export async function* saveFiles(
  host: Host,
  opened: OpenRepository,
  { user }: Site,
  exclude: readonly string[],
  options: readonly string[] = [],
): Progress<Summary> {
  const lines = new ProgressLines(() => host.clock.elapsed())
  const excluded = [...EXCLUDED_PATHS, ...exclude].map((path) => `--exclude=${SITE}/${path}`)
  const args = [...COMMON, 'files', ...options, ...excluded, '--', SITE]
  const reads = { path: homeOf(user), as: SITE }
  try {
    for await (const line of streamRestic(host, opened, args, { reads, timeout_ms: DAY_MS })) {
      const readable = lines.read(line)
      if (readable !== undefined) yield readable
    }
  } catch (error) {
    // The site may delete files meanwhile.
    if (!(error instanceof IncompleteSnapshot) || !lines.onlyVanished) throw error
  }
  return requireSummary(lines.summary)
}

/** Returns the tag of a manifest for a part of its backup: a list of backups reads no manifests. */
export const partTag = (snapshot: string): string => `part-${snapshot}`

/** Saves the manifest from a file: restic takes an agent's end for that of its input. */
export async function saveManifest(
  host: Host,
  opened: OpenRepository,
  manifest: Manifest,
): Promise<Summary> {
  const reads = { path: `${opened.files}/${MANIFEST}`, as: `/${MANIFEST}` }
  await host.files.write(reads.path, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
  const parts = partsIn(manifest).flatMap((id) => ['--tag', partTag(id)])
  const args = [...COMMON, 'manifest', ...parts, '--', reads.as]
  const output = await runRestic(host, opened, args, { reads, timeout_ms: 30 * 60_000 })
  return requireSummary(summaryOf(output.stdout))
}

/** The tags of a snapshot that marks a backup as proven for the keeper. */
export const PROOF = 'proof'
export const provesTag = (backup: string): string => `proves-${backup}`

/** Marks a backup as proven: the keeper keeps the newest proven one until a newer one is proven. */
export async function saveProof(host: Host, opened: OpenRepository, backup: string): Promise<void> {
  const tags = [PROOF, '--tag', provesTag(backup)]
  const args = [...COMMON, ...tags, '--stdin', '--stdin-filename', 'proof.json']
  const input = `${JSON.stringify({ version: 1, backup })}\n`
  await runRestic(host, opened, args, { input, timeout_ms: 10 * 60_000 })
}

const Listed = z.array(z.object({ id: SnapshotId }))

/** Lists the manifests in a repository, whoever deleted some of them; undefined if it fails. */
export async function listManifests(
  host: Host,
  opened: OpenRepository,
): Promise<string[] | undefined> {
  const args = ['snapshots', '--json', '--no-lock', '--tag', 'manifest']
  const { code, stdout, stderr } = await tryRestic(host, opened, args, { timeout_ms: 10 * 60_000 })
  if (code !== 0 || isPartialList(stderr)) return undefined
  try {
    return Listed.parse(JSON.parse(stdout)).map(({ id }) => id)
  } catch {
    return undefined
  }
}

function summaryOf(stdout: string): Summary | undefined {
  const lines = new ProgressLines(() => 0)
  for (const line of stdout.split('\n')) lines.read(line)
  return lines.summary
}

function requireSummary(summary: Summary | undefined): Summary {
  if (!summary) throw new Error('restic saved nothing')
  return summary
}
