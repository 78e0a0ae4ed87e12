import { type StartDeps, startEach } from '#dashboard/operations/start.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { listDue } from './queries.ts'

const DAY_MS = 24 * 3600_000
const AT_ONCE = 20

/** Purges sites whose time in the trash is over. A failed purge is retried a day later. */
export async function purgeDue(deps: StartDeps): Promise<void> {
  const { db, clock } = deps
  const due = await listDue(db, timestamp(clock), timestamp(clock, -DAY_MS), AT_ONCE)
  await startEach(deps, 'site.purge', due, {})
}
