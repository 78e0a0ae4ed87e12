import { bringBackTables, keepTables } from '#agent/features/backups/chosen/tables.ts'
import { checkDump, fetchFiles, writeDump } from '#agent/features/backups/fetch.ts'
import { makeHarmless } from '#agent/features/backups/harmless.ts'
import {
  accountIn,
  dumpIn,
  fetchedOf,
  filesIn,
  replacedOf,
  restoreFolders,
} from '#agent/features/backups/places.ts'
import type { Opened } from '#agent/features/backups/restic/run.ts'
import { prepareFetched } from '#agent/features/copies/staging/files.ts'
import { type DefinedTable, databaseDigests, dumpDigests } from '#agent/kernel/database/digests.ts'
import { findAccount, renderAccount } from '#agent/kernel/database/kept-account.ts'
import { moved, removedTree } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import type { Gathered } from '#shared/sites/gathered.ts'
import { differing } from './differing.ts'
import {
  broughtFiles,
  findLoaded,
  forgetBrought,
  forgetLoaded,
  keepBrought,
  keepLoaded,
} from './loaded.ts'

const PRIVATE = { mode: 0o700 }
const SECRET = { mode: 0o600 }
/** Every row counts, also those that WordPress writes with every visit. */
const ALL_ROWS: [] = []

const mixedPath = (user: string) => `${restoresOf(user)}/mixed`

/** Whether the copy is partly of an earlier time: catching up did not end. */
export const isMixed = async (host: Host, { user }: Site): Promise<boolean> =>
  (await host.files.stat(mixedPath(user))) !== undefined

export async function markMixed(host: Host, { user }: Site): Promise<void> {
  for (const path of restoreFolders(user)) await host.files.mkdir(path, PRIVATE)
  await host.files.write(mixedPath(user), '', SECRET)
}

export const unmarkMixed = (host: Host, { user }: Site): Promise<void> =>
  host.files.remove(mixedPath(user))

/** The folder in which the next state is prepared, also after an interruption. */
export async function prepare(host: Host, { user }: Site): Promise<void> {
  await bringFiles(host, user)
  await prepareFetched(host, user)
}

/** Loads only the tables that differ, and removes those that are gone. Returns their number. */
export async function catchUpDatabase(
  host: Host,
  site: Site,
  opened: Opened,
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
  const tables = differing(has, present)
  if (tables.length > 0) await load(host, site, tables, has)
  await keepLoaded(host, user, { changed: tables.length, tables: has })
  return tables.length
}

async function load(
  host: Host,
  site: Site,
  tables: string[],
  expected: readonly DefinedTable[],
): Promise<void> {
  const { user } = site
  const folder = fetchedOf(user)
  await forgetLoaded(host, user)
  await host.files.mkdir(replacedOf(user), PRIVATE)
  const account = renderAccount(await findAccount(host, user))
  await host.files.write(accountIn(replacedOf(user)), account, SECRET)
  await keepTables(host, folder, tables)
  await bringBackTables(host, site, folder, 'leave_some')
  await host.files.remove(replacedOf(user))
  const rows = (all: readonly DefinedTable[]) =>
    all.flatMap(({ definition: _, ...row }) => (tables.includes(row.table) ? [row] : []))
  const loaded = await databaseDigests(host, site, ALL_ROWS, tables)
  const [left] = differing(rows(expected), rows(loaded))
  if (left !== undefined) throw new Error(`The table ${left} differs from that of the other server`)
}

/**
 * Writes only files whose size or time differs, and removes those that are gone: in a folder of
 * root, where no program of the site reaches them. Nothing if the copy has them all.
 */
export async function* catchUpFiles(
  host: Host,
  { user }: Site,
  opened: Opened,
  gathered: Gathered,
): Progress<void> {
  const { snapshot, same_as } = gathered.files
  if (same_as !== undefined && same_as === (await broughtFiles(host, user))) return
  const folder = fetchedOf(user)
  await forgetBrought(host, user)
  await moved(host, docrootOf(user), filesIn(folder)).apply()
  const only = ['--overwrite', 'if-changed', '--delete', '--include', '/public']
  yield* fetchFiles(host, opened, folder, gathered, only)
  yield* await makeHarmless(host, user, filesIn(folder))
  await moved(host, filesIn(folder), docrootOf(user)).apply()
  await keepBrought(host, user, snapshot)
}

/**
 * Also after an interruption, when a part of the files is still as the other server had it. A folder
 * that was refused becomes an empty one: the next catch-up fills it.
 */
export async function bringFiles(host: Host, user: string): Promise<void> {
  const path = filesIn(fetchedOf(user))
  const found = await host.files.stat(path)
  if (!found) return
  if (found.kind !== 'directory') {
    await host.files.remove(path)
    await host.files.mkdir(path)
  }
  await makeHarmless(host, user, path)
  await moved(host, path, docrootOf(user)).apply()
}

export const forgetFetched = (host: Host, { user }: Site) =>
  removedTree(host, 'folder', fetchedOf(user))
