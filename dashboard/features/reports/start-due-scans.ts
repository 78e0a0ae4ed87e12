import { type StartDeps, startOperations } from '#dashboard/kernel/engine/start-operation.ts'
import { listScanDue } from './mails.queries.ts'

const DAY_MS = 24 * 3600_000
export const SCAN_MS = 5 * 60_000
/** The maximum of scans of one round. */
const MAX_SCANS = 10

/** Starts the daily scan of sites with a report, which finds the updates that were installed. */
export async function startDueScans(deps: StartDeps): Promise<void> {
  const since = new Date(deps.clock.now().getTime() - DAY_MS).toISOString()
  const due = await listScanDue(deps.db, { since, limit: MAX_SCANS })
  await startOperations(deps, 'site.scan', due, {})
}
