import { getSettings } from '#dashboard/features/settings/queries.ts'
import { type StartDeps, startOperations } from '#dashboard/kernel/engine/start-operation.ts'
import { listToConfigure } from './queries.ts'

const DAY_MS = 24 * 3600_000
export const CONFIGURE_MS = 5 * 60_000
const AT_ONCE = 20

/** Applies the setting to servers that differ from it. One that refuses is retried a day later. */
export async function startDueConfiguration(deps: StartDeps): Promise<void> {
  const { db, clock } = deps
  const { unattended_updates: unattended } = await getSettings(db)
  const how = { now: clock.now(), retry_ms: DAY_MS, limit: AT_ONCE }
  const targets = await listToConfigure(db, { unattended, ...how })
  await startOperations(deps, 'updates.configure', targets, { unattended })
}
