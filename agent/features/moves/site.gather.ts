import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { isUnchanged } from '#agent/features/backups/restic/progress.ts'
import { type Opened, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openedOf,
  openFiles,
  withSourcePassword,
} from '#agent/features/backups/restic/session.ts'
import {
  type SavedDatabase,
  saveDatabase,
  saveFiles,
  saveTables,
} from '#agent/features/backups/save.ts'
import { refuseUnfit } from '#agent/features/backups/unfit.ts'
import { tableDigests } from '#agent/kernel/database/digests.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import { recentTables } from '#agent/kernel/database/tables.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { inUse } from '#agent/kernel/sandbox/slice.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Progress, ready, value } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { type CopiedTable, type Gathered, MAX_TABLES } from '#shared/sites/gathered.ts'
import { besides } from './besides.ts'
import { differing } from './differing.ts'

type Params = ParamsOf<'site.gather'>

const saved = value<Gathered>('Nothing was saved')

/** Only reads the site. Unlike a backup it has no manifest: the result says where everything is. */
export const siteGather = command('site.gather', {
  ...onSite,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  steps({ params, host, site, gives }) {
    const { target, repository: name, password } = params.from
    const repository = { name, target, password }
    const opened = openedOf(host, repository, site.user)
    return [
      ready(() => resticSteps(host)),
      {
        name: 'target',
        title: 'Connecting to the target',
        ...openFiles(host, repository, site.user),
        undo: closeFiles(host, site.user).apply,
      },
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

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  await refuseUnready(host, from.target)
  const site = await getSite(host, domain)
  if (!site.moving?.closed) return site
  throw conflict(`${domain} is a copy that another server updates`)
}

type Database = Pick<Gathered, 'database' | 'tables'>

/** What the copy has. */
interface Known {
  known?: readonly CopiedTable[] | undefined
  /** The snapshot of its files. */
  files?: string | undefined
}

/**
 * Files and database at the same time: during a freeze, each second counts. With `known`, only other
 * tables are saved: nobody may write to the site meanwhile.
 */
async function* gather(
  host: Host,
  site: Site,
  opened: Opened,
  { known, files: parent }: Known = {},
): Progress<Gathered> {
  const at = new Date(host.clock.now()).toISOString()
  const docroot = await host.files.stat(docrootOf(site.user))
  if (!docroot) throw conflict(`${site.domain} has no files`)
  if (!parent) await refuseUnfit(host, site.user)
  const saving = known ? changed(host, site, opened, known) : whole(host, site, opened)
  const options = ['--no-scan', ...(parent ? [`--parent=${parent}`] : [])]
  const files = yield* besides(saveFiles(host, opened, site, [], options), saving)
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

async function whole(
  host: Host,
  site: Site,
  opened: Opened,
  only?: readonly string[],
): Promise<Database> {
  const saved = await saveDatabase(host, opened, site, only)
  if (!saved) throw conflict(`${site.domain} has no database`)
  return { database: savedAt(saved) }
}

const savedAt = ({ snapshot, dump: { bytes, sha256 } }: SavedDatabase) => ({
  ...{ snapshot: snapshot.snapshot_id, bytes, sha256 },
})

/**
 * Finds what differs by reading every row. Tables that were written recently probably do: they are
 * saved meanwhile, and again only if others differ too.
 */
async function changed(
  host: Host,
  site: Site,
  opened: Opened,
  known: readonly CopiedTable[],
): Promise<Database> {
  const { user } = site
  const size = await databaseSize(host, user)
  if (size === undefined) throw conflict(`${site.domain} has no database`)
  const { tables, saved, recent } = await inUse(host, user, async () => {
    const { tables: names, recent } = await recentTables(host, user)
    const early = { size, tables: recent }
    const [tables, saved] = await bothOf(
      tableDigests(host, user, { size, tables: names }, []),
      recent.length > 0 ? saveTables(host, opened, site, early).catch(() => undefined) : undefined,
    )
    return { tables, saved, recent }
  })
  if (tables.length > MAX_TABLES) return whole(host, site, opened)
  const others = differing(tables, known)
  // Those that are gone are in no dump.
  const present = others.filter((name) => tables.some(({ table }) => table === name))
  if (present.length === 0) return { database: null, tables }
  const isSaved = present.every((name) => recent.includes(name))
  if (saved && isSaved) return { database: savedAt(saved), tables }
  return { ...(await whole(host, site, opened, present)), tables }
}

/** Both have ended before it throws. */
async function bothOf<A, B>(one: Promise<A>, other: B): Promise<[A, Awaited<B>]> {
  await Promise.allSettled([one, other])
  return [await one, await other]
}
