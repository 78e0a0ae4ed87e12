import { z } from 'zod'
import { DefinedTable } from '#agent/kernel/database/digests.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { restoresOf } from '#agent/kernel/site/paths.ts'
import { SnapshotId } from '#shared/backups/backup.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const SECRET = { mode: 0o600 }
const loadedPath = (user: string) => `${restoresOf(user)}/loaded.json`
const broughtPath = (user: string) => `${restoresOf(user)}/brought`

const Loaded = z.object({
  /** How many tables had changed. */
  changed: z.int(),
  /** All tables of the copy. */
  tables: z.array(DefinedTable),
})
type Loaded = z.infer<typeof Loaded>

/**
 * The tables of a closed copy, as they were compared when it last caught up: nobody writes to it.
 * Definitions are those of the other server, whose MariaDB may write them differently.
 */
export async function findLoaded(host: Host, user: string): Promise<Loaded | undefined> {
  return parseJson(Loaded, await host.files.read(loadedPath(user)))
}

export const keepLoaded = (host: Host, user: string, loaded: Loaded): Promise<void> =>
  host.files.write(loadedPath(user), `${JSON.stringify(loaded)}\n`, SECRET)

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
