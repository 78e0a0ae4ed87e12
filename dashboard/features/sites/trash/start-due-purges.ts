import { type StartDeps, startOperations } from '#dashboard/kernel/engine/start-operation.ts'
import { listDue } from './queries.ts'

const DAY_MS = 24 * 3600_000
const MAX_AT_ONCE = 20

/** Purges sites whose time in the trash is over. A failed purge is retried a day later. */
export async function startDuePurges(deps: StartDeps): Promise<void> {
  const { db, clock, trash_ms } = deps
  const how = { trash_ms, retry_ms: DAY_MS, limit: MAX_AT_ONCE }
  const due = await listDue(db, clock.now(), how)
  await startOperations(deps, 'site.purge', due, {})
}
