import { type StartDeps, start } from '#dashboard/operations/start.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import { ServiceError } from '#shared/errors.ts'
import { listDue } from './queries.ts'

const DAY_MS = 24 * 3600_000
const AT_ONCE = 20

/**
 * Starts the purge of sites whose time in the trash is over, as operations without a user. A failed
 * purge is retried a day later. Another dashboard may be first: then it is its operation.
 */
export async function purgeDue(deps: StartDeps & { log: Log }): Promise<void> {
  const { db, clock, log } = deps
  try {
    const due = await listDue(db, timestamp(clock), timestamp(clock, -DAY_MS), AT_ONCE)
    for (const { site, server } of due) {
      await start(deps, 'site.purge', { server, site, actor: null }, {}).catch((error: unknown) => {
        if (!(error instanceof ServiceError && error.code === 'conflict')) throw error
      })
    }
  } catch (error) {
    log.error('trash could not be emptied', error)
  }
}
