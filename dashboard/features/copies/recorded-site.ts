import { withPassword } from '#dashboard/features/backups/params.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import type { StoredSource } from '#dashboard/kernel/engine/rules.ts'
import type { StartDeps } from '#dashboard/kernel/engine/start.ts'
import type { RecordedSite } from '#shared/backups/backup-read.ts'
import { browseReading } from '#shared/backups/readings.ts'

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
