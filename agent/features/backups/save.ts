import { z } from 'zod'
import { Incomplete, isPartialList } from '#agent/features/backups/restic/failures.ts'
import { ProgressLines, type Summary } from '#agent/features/backups/restic/progress.ts'
import {
  type Opened,
  runRestic,
  streamRestic,
  tryRestic,
} from '#agent/features/backups/restic/run.ts'
import {
  type Chosen,
  type Consumer,
  databaseSize,
  type StreamedDump,
  streamDatabase,
  streamTables,
  timeFor,
} from '#agent/kernel/database/dump.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { EXCLUDED } from '#agent/kernel/site/content.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { SnapshotId } from '#shared/backups/backup.ts'
import { DUMP, MANIFEST, type Manifest, partsIn } from './manifest.ts'

const DAY_MS = 24 * 60 * 60_000
/** Where restic sees the folder of the site: the same on every server. */
export const SITE = '/site'

/** The same name for all snapshots: restic finds the previous one of a site by it. */
const COMMON = ['backup', '--json', '--host', 'hosting', '--tag']

export interface SavedDatabase {
  snapshot: Summary
  dump: StreamedDump
}

/** The dump, or that of some tables, goes from the database into the repository, without a file. Returns undefined without a database. */
export async function saveDatabase(
  host: Host,
  opened: Opened,
  { user }: Site,
  only?: readonly string[],
): Promise<SavedDatabase | undefined> {
  const size = await databaseSize(host, user)
  if (size === undefined) return undefined
  return saved(host, opened, size, (save) =>
    streamDatabase(host, user, size, save, { only, low: true }),
  )
}

/** Tables that are there. The caller has the programs of the site `inUse`. */
export const saveTables = (
  host: Host,
  opened: Opened,
  { user }: Site,
  chosen: Chosen,
): Promise<SavedDatabase> =>
  saved(host, opened, chosen.size, (save) =>
    streamTables(host, user, { ...chosen, low: true }, save),
  )

async function saved(
  host: Host,
  opened: Opened,
  size: number,
  stream: (save: Consumer) => Promise<StreamedDump>,
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
  return { snapshot: existing(snapshot), dump }
}

/**
 * All files of the site but its caches and `exclude`, paths below its folder, with owners, modes and times.
 * Not limited to one file system: files on overlayfs have their own device numbers, and a site mounts
 * nothing.
 */
export async function* saveFiles(
  host: Host,
  opened: Opened,
  { user }: Site,
  exclude: readonly string[],
  options: readonly string[] = [],
): Progress<Summary> {
  const lines = new ProgressLines(() => host.clock.elapsed())
  const excluded = [...EXCLUDED, ...exclude].map((path) => `--exclude=${SITE}/${path}`)
  const args = [...COMMON, 'files', ...options, ...excluded, '--', SITE]
  const reads = { path: homeOf(user), as: SITE }
  try {
    for await (const line of streamRestic(host, opened, args, { reads, timeout_ms: DAY_MS })) {
      const readable = lines.read(line)
      if (readable !== undefined) yield readable
    }
  } catch (error) {
    // The site may delete files meanwhile.
    if (!(error instanceof Incomplete) || !lines.onlyVanished) throw error
  }
  return existing(lines.summary)
}

/** The tag of a manifest for each part of its backup: a list of backups reads no manifests. */
export const partTag = (snapshot: string): string => `part-${snapshot}`

/** From a file: restic takes the end of an agent for the end of its standard input. */
export async function saveManifest(
  host: Host,
  opened: Opened,
  manifest: Manifest,
): Promise<Summary> {
  const reads = { path: `${opened.files}/${MANIFEST}`, as: `/${MANIFEST}` }
  await host.files.write(reads.path, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
  const parts = partsIn(manifest).flatMap((id) => ['--tag', partTag(id)])
  const args = [...COMMON, 'manifest', ...parts, '--', reads.as]
  const output = await runRestic(host, opened, args, { reads, timeout_ms: 30 * 60_000 })
  return existing(summaryOf(output.stdout))
}

/** The tags of a snapshot that says that a backup is proven: the keeper reads them. */
export const PROOF = 'proof'
export const provesTag = (backup: string): string => `proves-${backup}`

/** The keeper keeps the newest proven backup until a newer one is proven. */
export async function saveProof(host: Host, opened: Opened, backup: string): Promise<void> {
  const tags = [PROOF, '--tag', provesTag(backup)]
  const args = [...COMMON, ...tags, '--stdin', '--stdin-filename', 'proof.json']
  const input = `${JSON.stringify({ version: 1, backup })}\n`
  await runRestic(host, opened, args, { input, timeout_ms: 10 * 60_000 })
}

const Listed = z.array(z.object({ id: SnapshotId }))

/** The manifests in a repository, whoever deleted some of them; undefined if that cannot be found out. */
export async function listManifests(host: Host, opened: Opened): Promise<string[] | undefined> {
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

function existing(summary: Summary | undefined): Summary {
  if (!summary) throw new Error('restic saved nothing')
  return summary
}
