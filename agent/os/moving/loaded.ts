import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { DefinedTable } from '#agent/os/database/digests.ts'
import { restoresOf } from '#agent/os/site/paths.ts'
import { SnapshotId } from '#shared/backup.ts'
import { parseJson } from '#shared/parse.ts'

const SECRET = { mode: 0o600 }
const loadedPath = (user: string) => `${restoresOf(user)}/loaded.json`
const broughtPath = (user: string) => `${restoresOf(user)}/brought`

/**
 * The tables of a closed copy, as they were compared when it last caught up: nobody writes to it.
 * Definitions are those of the other server, whose MariaDB may write them differently.
 */
export async function loadedTables(host: Host, user: string): Promise<DefinedTable[] | undefined> {
  return parseJson(z.array(DefinedTable), await host.files.read(loadedPath(user)))
}

export const keepLoaded = (host: Host, user: string, tables: readonly DefinedTable[]) =>
  host.files.write(loadedPath(user), `${JSON.stringify(tables)}\n`, SECRET)

/** Before tables change. */
export const forgetLoaded = (host: Host, user: string): Promise<void> =>
  host.files.remove(loadedPath(user))

/** The snapshot whose files a closed copy has. */
export async function broughtFiles(host: Host, user: string): Promise<string | undefined> {
  return SnapshotId.safeParse((await host.files.read(broughtPath(user)))?.trim()).data
}

export const keepBrought = (host: Host, user: string, snapshot: string) =>
  host.files.write(broughtPath(user), `${snapshot}\n`, SECRET)

/** Before files change. */
export const forgetBrought = (host: Host, user: string): Promise<void> =>
  host.files.remove(broughtPath(user))

/** When the copy is opened: from then on the site changes it. */
export async function forgetState(host: Host, user: string): Promise<void> {
  await forgetLoaded(host, user)
  await forgetBrought(host, user)
}
