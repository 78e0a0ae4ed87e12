import { listServerIds } from '#dashboard/kernel/db/targets.ts'
import { type StartDeps, startOperations } from '#dashboard/kernel/engine/start-operation.ts'
import { listDue } from './queries.ts'

const DAY_MS = 24 * 3600_000
/** The interval of the automatic checks of each server. */
const WEEK_MS = 7 * DAY_MS
export const CHECK_MS = 10 * 60_000
const TURNS = DAY_MS / CHECK_MS

/** Starts due isolation checks. When a whole fleet is due at once, they are spread over a day. */
export async function startDueChecks(deps: StartDeps): Promise<void> {
  const { db, clock } = deps
  const limit = Math.ceil((await listServerIds(db)).length / TURNS)
  const times = { now: clock.now(), first_ms: DAY_MS, every_ms: WEEK_MS }
  await startOperations(deps, 'isolation.check', await listDue(db, { ...times, limit }), {})
}
