import { type StartDeps, start } from '#dashboard/operations/start.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import { getSettings } from '#dashboard/settings/queries.ts'
import { ServiceError } from '#shared/errors.ts'
import { listToConfigure } from './queries.ts'

const DAY_MS = 24 * 3600_000
/**
 * The interval of the search for servers that differ from the setting, and the limit of concurrent calls.
 */
export const CONFIGURE_MS = 5 * 60_000
const AT_ONCE = 20

/**
 * Turns unattended security updates on or off on servers that differ from the setting, as operations
 * without a user, also on servers provisioned later. One that refuses is retried a day later.
 */
export async function configureDue(deps: StartDeps & { log: Log }): Promise<void> {
  const { db, clock, log } = deps
  try {
    const { unattended_updates: wanted } = await getSettings(db)
    const day = timestamp(clock, -DAY_MS)
    for (const { server } of await listToConfigure(db, { wanted, day, limit: AT_ONCE })) {
      const target = { server, actor: null }
      const started = start(deps, 'updates.configure', target, { unattended: wanted })
      await started.catch((error: unknown) => {
        if (!(error instanceof ServiceError && error.code === 'conflict')) throw error
      })
    }
  } catch (error) {
    log.error('unattended updates could not be configured', error)
  }
}
