import { z } from 'zod'
import { DefinedTable } from '#agent/kernel/database/digests.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { restoresOf } from '#agent/kernel/site/paths.ts'
import { SnapshotId } from '#shared/backups/backup.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const SECRET = { mode: 0o600 }
const tablesPath = (user: string) => `${restoresOf(user)}/loaded.json`
const snapshotPath = (user: string) => `${restoresOf(user)}/brought`

const Loaded = z.object({
  /** The number of tables that had changed since the last copy. */
  changed: z.int(),
  /** All tables of the copy. */
  tables: z.array(DefinedTable),
})
type Loaded = z.infer<typeof Loaded>

/**
 * Reads the tables of a closed copy as they were compared when it last caught up: nobody writes to
 * it. Definitions are those of the other server, whose MariaDB may write them differently.
 */
export async function findLoaded(host: Host, user: string): Promise<Loaded | undefined> {
  return parseJson(Loaded, await host.files.read(tablesPath(user)))
}

export const recordCopyTables = (host: Host, user: string, loaded: Loaded): Promise<void> =>
  host.files.write(tablesPath(user), `${JSON.stringify(loaded)}\n`, SECRET)

export const forgetCopyTables = (host: Host, user: string): Promise<void> =>
  host.files.remove(tablesPath(user))

/** Reads the snapshot whose files a closed copy has. */
export async function readCopySnapshot(host: Host, user: string): Promise<string | undefined> {
  return SnapshotId.safeParse((await host.files.read(snapshotPath(user)))?.trim()).data
}

export const recordCopySnapshot = (host: Host, user: string, snapshot: string) =>
  host.files.write(snapshotPath(user), `${snapshot}\n`, SECRET)

export const forgetCopySnapshot = (host: Host, user: string): Promise<void> =>
  host.files.remove(snapshotPath(user))

/** Forgets the state when the copy is opened: from then on the site changes it. */
export async function forgetCopyState(host: Host, user: string): Promise<void> {
  await forgetCopyTables(host, user)
  await forgetCopySnapshot(host, user)
}
