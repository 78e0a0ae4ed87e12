import type { Host } from '#agent/host/ports.ts'
import { bringBackTables, keepTables } from '#agent/os/backup/chosen/tables.ts'
import { fetchDump, fetchFiles, giveTo } from '#agent/os/backup/fetch.ts'
import type { Manifest } from '#agent/os/backup/manifest.ts'
import {
  accountIn,
  dumpIn,
  fetchedOf,
  filesIn,
  replacedOf,
  restoreFolders,
  restoresOf,
} from '#agent/os/backup/places.ts'
import { databaseDigests, dumpDigests, type TableDigest } from '#agent/os/database/digests.ts'
import { findAccount, renderAccount } from '#agent/os/database/kept-account.ts'
import { moved, removedTree } from '#agent/os/effects/change.ts'
import type { Opened } from '#agent/os/restic/run.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { prepareFetched } from '#agent/os/staging/files.ts'
import type { Progress } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'

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

/** Loads only the tables whose rows differ, and removes those that are gone. Returns their names. */
export async function* catchUpDatabase(
  host: Host,
  site: Site,
  opened: Opened,
  { database }: Manifest,
): Progress<string[]> {
  const { user } = site
  if (!database) throw conflict(`The backup of ${site.domain} has no database`)
  await bringFiles(host, user)
  const folder = await prepareFetched(host, user)
  await fetchDump(host, opened, folder, database)
  const wanted = await dumpDigests(host, user, dumpIn(folder), ALL_ROWS)
  const tables = differing(wanted, await databaseDigests(host, site, ALL_ROWS))
  yield `${tables.length} of ${wanted.length} tables have changed`
  if (tables.length === 0) return tables
  await host.files.mkdir(replacedOf(user), PRIVATE)
  const account = renderAccount(await findAccount(host, user))
  await host.files.write(accountIn(replacedOf(user)), account, SECRET)
  await keepTables(host, folder, tables)
  await bringBackTables(host, site, folder)
  await host.files.remove(replacedOf(user))
  const left = differing(wanted, await databaseDigests(host, site, ALL_ROWS))
  if (left.length > 0) throw new Error(`The table ${left[0]} differs from that of the backup`)
  return tables
}

function differing(wanted: readonly TableDigest[], present: readonly TableDigest[]): string[] {
  const digests = (all: readonly TableDigest[]) =>
    new Map(all.map(({ table, rows, sha256 }) => [table, `${rows} ${sha256}`]))
  const [one, other] = [digests(wanted), digests(present)]
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((name) => one.get(name) !== other.get(name)).sort()
}

/**
 * Writes only files whose size or time differs, and removes those that are gone: in a folder of
 * root, where no program of the site reaches them.
 */
export async function* catchUpFiles(
  host: Host,
  { user }: Site,
  opened: Opened,
  manifest: Manifest,
): Progress<void> {
  const folder = fetchedOf(user)
  const present = await host.files.stat(docrootOf(user))
  await moved(host, docrootOf(user), filesIn(folder)).apply()
  const only = ['--overwrite', 'if-changed', '--delete', '--include', '/public']
  yield* fetchFiles(host, opened, folder, manifest, only)
  await giveTo(host, user, folder, manifest, present)
  await bringFiles(host, user)
}

/** Also after an interruption. */
export async function bringFiles(host: Host, user: string): Promise<void> {
  await moved(host, filesIn(fetchedOf(user)), docrootOf(user)).apply()
}

export const forgetFetched = (host: Host, { user }: Site) =>
  removedTree(host, 'folder', fetchedOf(user))
