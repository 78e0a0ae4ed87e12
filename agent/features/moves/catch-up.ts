import { recordReplacedTables, restoreTables } from '#agent/features/backups/chosen/tables.ts'
import { checkDump, fetchFiles, writeDump } from '#agent/features/backups/fetch.ts'
import {
  accountIn,
  dumpIn,
  fetchedOf,
  filesIn,
  replacedOf,
  restoreFolders,
} from '#agent/features/backups/paths.ts'
import type { OpenRepository } from '#agent/features/backups/restic/run.ts'
import { sanitizeFiles } from '#agent/features/backups/sanitize-files.ts'
import { prepareFetched } from '#agent/features/copies/staging/files.ts'
import { findAccount, renderAccount } from '#agent/kernel/database/account-record.ts'
import { type DefinedTable, databaseDigests, dumpDigests } from '#agent/kernel/database/digests.ts'
import { moved, removedTree } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { syncFolders } from '#agent/kernel/users/users.ts'
import type { Gathered } from '#shared/sites/gathered.ts'
import { changedTables } from './changed-tables.ts'
import {
  findLoaded,
  forgetCopySnapshot,
  forgetCopyTables,
  readCopySnapshot,
  recordCopySnapshot,
  recordCopyTables,
} from './copy-state.ts'

const PRIVATE = { mode: 0o700 }
const SECRET = { mode: 0o600 }
/** Excludes no row, also none that WordPress writes with every visit. */
const ALL_ROWS: [] = []

const partlyUpdatedPath = (user: string) => `${restoresOf(user)}/mixed`

/** Returns whether a part of the copy is older because catching up did not end. */
export const isPartlyUpdated = async (host: Host, { user }: Site): Promise<boolean> =>
  (await host.files.stat(partlyUpdatedPath(user))) !== undefined

export async function markPartlyUpdated(host: Host, { user }: Site): Promise<void> {
  for (const path of restoreFolders(user)) await host.files.mkdir(path, PRIVATE)
  await host.files.write(partlyUpdatedPath(user), '', SECRET)
}

export const unmarkPartlyUpdated = (host: Host, { user }: Site): Promise<void> =>
  host.files.remove(partlyUpdatedPath(user))

/** Prepares the folder of the next state, also after an interruption. */
export async function prepareFolder(host: Host, { user }: Site): Promise<void> {
  await placeFetchedFiles(host, user)
  await prepareFetched(host, user)
}

/** Loads only the tables that differ, and removes those that are gone. Returns their number. */
export async function catchUpDatabase(
  host: Host,
  site: Site,
  opened: OpenRepository,
  { database, tables: listed }: Gathered,
): Promise<number> {
  const { user } = site
  const folder = fetchedOf(user)
  const dumped = database ?? undefined
  if (dumped) await writeDump(host, opened, folder, dumped)
  else await host.files.write(dumpIn(folder), '', SECRET)
  const [has, present] = await Promise.all([
    listed ?? dumpDigests(host, user, dumpIn(folder), ALL_ROWS),
    findLoaded(host, user).then((known) => known?.tables ?? databaseDigests(host, site, ALL_ROWS)),
    dumped && checkDump(host, folder, dumped),
  ])
  const tables = changedTables(has, present)
  if (tables.length > 0) await loadChangedTables(host, site, tables, has)
  await recordCopyTables(host, user, { changed: tables.length, tables: has })
  return tables.length
}

async function loadChangedTables(
  host: Host,
  site: Site,
  tables: string[],
  expected: readonly DefinedTable[],
): Promise<void> {
  const { user } = site
  const folder = fetchedOf(user)
  await forgetCopyTables(host, user)
  await host.files.mkdir(replacedOf(user), PRIVATE)
  const account = renderAccount(await findAccount(host, user))
  await host.files.write(accountIn(replacedOf(user)), account, SECRET)
  await recordReplacedTables(host, folder, tables)
  await restoreTables(host, site, folder, 'leave_some')
  await host.files.remove(replacedOf(user))
  const rows = (all: readonly DefinedTable[]) =>
    all.flatMap(({ definition: _, ...row }) => (tables.includes(row.table) ? [row] : []))
  const loaded = await databaseDigests(host, site, ALL_ROWS, tables)
  const [left] = changedTables(rows(expected), rows(loaded))
  if (left !== undefined) throw new Error(`The table ${left} differs from that of the other server`)
}

/**
 * Writes only files whose size or time differs, and removes missing ones, in a folder of root that
 * no program of the site reaches. Does nothing if the copy has them all.
 */
export async function* catchUpFiles(
  host: Host,
  { user }: Site,
  opened: OpenRepository,
  gathered: Gathered,
): Progress<void> {
  const { snapshot, same_as } = gathered.files
  if (same_as !== undefined && same_as === (await readCopySnapshot(host, user))) return
  const folder = fetchedOf(user)
  await forgetCopySnapshot(host, user)
  await moved(host, docrootOf(user), filesIn(folder)).apply()
  const only = ['--overwrite', 'if-changed', '--delete', '--include', '/public']
  yield* fetchFiles(host, opened, folder, gathered, only)
  yield* await sanitizeFiles(host, user, filesIn(folder))
  await moved(host, filesIn(folder), docrootOf(user)).apply()
  // A power failure must leave no empty files: the other server stops serving, and a later catch-up
  // does not read again what the copy has.
  await syncFolders(host, user)
  await recordCopySnapshot(host, user, snapshot)
}

/**
 * Puts the files in place, also after an interruption, when a part of them is older. A folder that
 * was refused becomes an empty one: the next catch-up fills it.
 */
export async function placeFetchedFiles(host: Host, user: string): Promise<void> {
  const path = filesIn(fetchedOf(user))
  const found = await host.files.stat(path)
  if (!found) return
  if (found.kind !== 'directory') {
    await host.files.remove(path)
    await host.files.mkdir(path)
  }
  await sanitizeFiles(host, user, path)
  await moved(host, path, docrootOf(user)).apply()
}

export const fetchedRemoved = (host: Host, { user }: Site) =>
  removedTree(host, 'folder', fetchedOf(user))
