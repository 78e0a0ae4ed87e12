import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { isUnchanged } from '#agent/features/backups/restic/progress.ts'
import { type OpenRepository, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFilesStep,
  openRepositoryOf,
  withSourcePassword,
} from '#agent/features/backups/restic/session.ts'
import {
  type SavedDatabase,
  saveDatabase,
  saveFiles,
  saveTables,
} from '#agent/features/backups/save.ts'
import { refuseUnfit } from '#agent/features/backups/unfit-files.ts'
import { tableDigests } from '#agent/kernel/database/digests.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import { recentTables } from '#agent/kernel/database/tables.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Progress, ready, stepResult } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type CopiedTable, type Gathered, MAX_TABLES } from '#shared/sites/gathered.ts'
import { changedTables } from './changed-tables.ts'
import { concurrently } from './concurrently.ts'

type GatherParams = ParamsOf<'site.gather'>

const saved = stepResult<Gathered>('Nothing was saved')

/** Only reads the site. Unlike a backup it has no manifest: the result says where everything is. */
export const siteGather = command('site.gather', {
  ...onSite,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps({ params, host, site, gives }) {
    const { target, repository: name, password } = params.from
    const repository = { name, target, password }
    const opened = openRepositoryOf(host, repository, site.user)
    return [
      ready(() => resticSteps(host)),
      openFilesStep(host, repository, site.user),
      {
        name: 'content',
        title: 'Saving the changes',
        effects: [run('program', 'restic'), run('program', 'mariadb-dump')],
        apply: gives(saved, () => gather(host, site, opened, params)),
      },
      {
        name: 'close',
        title: 'Disconnecting from the target',
        ...closeFiles(host, site.user),
      },
    ]
  },
  result: ({ site, get }) => ({ domain: site.domain, gathered: get(saved) }),
})

async function checked(host: Host, { domain, from }: GatherParams): Promise<Site> {
  await refuseUnready(host, from.target)
  const site = await getSite(host, domain)
  if (!site.moving?.closed) return site
  throw conflict(`${domain} is a copy that another server updates`)
}

type GatheredDatabase = Pick<Gathered, 'database' | 'tables'>

/** The state of the copy on the other server. */
interface KnownCopy {
  known?: readonly CopiedTable[] | undefined
  files?: string | undefined
}

/**
 * Saves files and database at the same time: during a freeze, each second counts. With `known`,
 * only differing tables are saved: nobody may write to the site meanwhile.
 */
async function* gather(
  host: Host,
  site: Site,
  opened: OpenRepository,
  { known, files: parent }: KnownCopy = {},
): Progress<Gathered> {
  const at = new Date(host.clock.now()).toISOString()
  const docroot = await host.files.stat(docrootOf(site.user))
  if (!docroot) throw conflict(`${site.domain} has no files`)
  if (!parent) await refuseUnfit(host, site.user)
  const saving = known
    ? saveChangedTables(host, site, opened, known)
    : saveWholeDatabase(host, site, opened)
  const options = ['--no-scan', ...(parent ? [`--parent=${parent}`] : [])]
  const files = yield* concurrently(saveFiles(host, opened, site, [], options), saving)
  return {
    at,
    files: {
      snapshot: files.snapshot_id,
      count: files.total_files_processed,
      bytes: files.total_bytes_processed,
      ...(parent && isUnchanged(files) && { same_as: parent }),
    },
    ...(await saving),
  }
}

async function saveWholeDatabase(
  host: Host,
  site: Site,
  opened: OpenRepository,
  only?: readonly string[],
): Promise<GatheredDatabase> {
  const saved = await saveDatabase(host, opened, site, only)
  if (!saved) throw conflict(`${site.domain} has no database`)
  return { database: snapshotOf(saved) }
}

const snapshotOf = ({ snapshot, dump: { bytes, sha256 } }: SavedDatabase) => ({
  snapshot: snapshot.snapshot_id,
  bytes,
  sha256,
})

/**
 * Finds differing tables by reading every row. Those that were written recently probably differ:
 * they are saved meanwhile, and again only if others differ too.
 */
async function saveChangedTables(
  host: Host,
  site: Site,
  opened: OpenRepository,
  known: readonly CopiedTable[],
): Promise<GatheredDatabase> {
  const { user } = site
  const size = await databaseSize(host, user)
  if (size === undefined) throw conflict(`${site.domain} has no database`)
  const { tables, saved, recent } = await withSliceInUse(host, user, async () => {
    const { tables: names, recent } = await recentTables(host, user)
    const early = { size, tables: recent }
    const [tables, saved] = await bothOf(
      tableDigests(host, user, { size, tables: names }, []),
      recent.length > 0 ? saveTables(host, opened, site, early).catch(() => undefined) : undefined,
    )
    return { tables, saved, recent }
  })
  if (tables.length > MAX_TABLES) return saveWholeDatabase(host, site, opened)
  const others = changedTables(tables, known)
  // Removed tables are in no dump.
  const present = others.filter((name) => tables.some(({ table }) => table === name))
  if (present.length === 0) return { database: null, tables }
  const isSaved = present.every((name) => recent.includes(name))
  if (saved && isSaved) return { database: snapshotOf(saved), tables }
  return { ...(await saveWholeDatabase(host, site, opened, present)), tables }
}

/** Waits until both have ended before it throws. */
async function bothOf<A, B>(one: Promise<A>, other: B): Promise<[A, Awaited<B>]> {
  await Promise.allSettled([one, other])
  return [await one, await other]
}
