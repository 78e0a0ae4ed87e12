import type { ServerRow } from '#dashboard/db/rows.ts'
import type { StoredSource } from '#dashboard/operations/rules.ts'
import type { StartDeps } from '#dashboard/operations/start.ts'
import { withPassword } from '#dashboard/site-backups/params.ts'
import type { RecordedSite } from '#shared/backup-read.ts'
import { browseReading } from '#shared/readings/backups.ts'

/** A form waits for it. */
const LIMITS = { timeout_ms: 60_000 }

/**
 * The site as a backup has it, if the site itself is not on record any more: the server of the new one
 * reads it from the storage. Undefined if it cannot: the usual values are then used.
 */
export async function recordedSite(
  { agents, db, sealer }: Pick<StartDeps, 'agents' | 'db' | 'sealer'>,
  server: ServerRow,
  { kind, ...from }: StoredSource,
): Promise<RecordedSite | undefined> {
  if (kind !== 'backup') return undefined
  const read = withPassword({ db, sealer }, server.id, from, (opened) =>
    agents.call(server, browseReading, { ...opened, path: '' }, LIMITS),
  )
  return (await read.catch(() => undefined))?.site
}
