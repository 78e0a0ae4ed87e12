import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import type { FleetSettings } from '#shared/settings/api/settings.ts'
import { listBusyServers } from './attempts.queries.ts'
import { listWaiting } from './due.queries.ts'
import { findKit } from './kit.queries.ts'
import { nextBackup, type ScheduleInterval } from './schedule.ts'

type Deps = StartDeps & Pick<CommonDeps, 'log'>
type StartTarget = Parameters<typeof startOperation>[2]
type DueSite = Awaited<ReturnType<typeof listWaiting>>[number]

export const BACK_UP_MS = 60_000

/** Starts due backups: as many on each server, and in the fleet, as the settings allow. */
export async function startDueBackups(deps: Deps): Promise<void> {
  const { db } = deps
  const running = await listBusyServers(db, 'backup.create')
  const settings = await getSettings(db)
  let free = settings.backups_at_once - running.length
  const working = new Map<number, number>()
  const count = (server_id: number) => working.set(server_id, (working.get(server_id) ?? 0) + 1)
  for (const server_id of running) count(server_id)
  const possible_at = free > 0 ? (await findKit(db, { confirmed: true }))?.confirmed_at : null
  if (!possible_at) return
  for (const site of await listDue(deps, settings, possible_at)) {
    if (free <= 0) return
    const begin = (target: StartTarget) => startOperation(deps, 'backup.create', target, {})
    const isBusy = (working.get(site.server_id) ?? 0) >= site.per_server
    if (isBusy || !(await isStarted(deps, site, begin))) continue
    count(site.server_id)
    free -= 1
  }
}

export async function listDue(
  { db, clock }: Deps,
  settings: FleetSettings,
  possible_at: string,
): Promise<DueSite[]> {
  const { backup_every: every, backup_window: window, backups_per_server: per_server } = settings
  const now = clock.now()
  const waiting = await listWaiting(db, { every, per_server, now })
  return waiting.filter((site) => {
    const schedule = { id: site.id, every: site.every as ScheduleInterval, window, failed_at: null }
    return nextBackup({ ...schedule, since: sinceOf(site, possible_at) }, now) <= now
  })
}

/** Returns the time since when a backup of the site could have been made. */
export function sinceOf(
  { recorded_at, created_at }: Pick<DueSite, 'recorded_at' | 'created_at'>,
  possible_at: string,
): string {
  return recorded_at ?? (created_at > possible_at ? created_at : possible_at)
}

/** Starts a backup. Returns false when it could not be started: the next site gets its place. */
export async function isStarted(
  deps: Deps,
  { id, server_id, domain }: Pick<DueSite, 'id' | 'server_id' | 'domain'>,
  begin: (target: StartTarget) => Promise<unknown>,
): Promise<boolean> {
  try {
    const server = await getServer(deps.db, server_id)
    const site = await getSite(deps.db, server_id, id)
    await begin({ server, site, actor: null })
    return true
  } catch (error) {
    // Another dashboard was first, or the site has another operation now.
    if (isServiceError(error, 'conflict')) return true
    deps.log.error(`backup or proof of ${domain} could not start`, error)
    return false
  }
}
