import { listServerIds } from '#dashboard/db/targets.ts'
import { type StartDeps, start } from '#dashboard/operations/start.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import { ServiceError } from '#shared/errors.ts'
import { listDue } from './queries.ts'

const DAY_MS = 24 * 3600_000
/** How often each server is checked by itself. */
const WEEK_MS = 7 * DAY_MS
/** The interval of the search for due servers; so many times a day. */
export const CHECK_MS = 10 * 60_000
const TURNS = DAY_MS / CHECK_MS

/**
 * Starts due isolation checks, as operations without a user. When a whole fleet is due at once, the
 * checks are spread over a day. Another dashboard may be first: then it is its operation.
 */
export async function checkDue(deps: StartDeps & { log: Log }): Promise<void> {
  const { db, clock, log } = deps
  try {
    const limit = Math.ceil((await listServerIds(db)).length / TURNS)
    const [day, week] = [timestamp(clock, -DAY_MS), timestamp(clock, -WEEK_MS)]
    for (const { server } of await listDue(db, { day, week, limit })) {
      await start(deps, 'isolation.check', { server, actor: null }, {}).catch((error: unknown) => {
        if (!(error instanceof ServiceError && error.code === 'conflict')) throw error
      })
    }
  } catch (error) {
    log.error('isolation checks could not be started', error)
  }
}
