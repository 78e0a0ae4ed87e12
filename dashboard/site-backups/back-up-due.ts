import type { Base } from '#dashboard/db/base.ts'
import { getServer, getSite } from '#dashboard/db/targets.ts'
import { type StartDeps, start } from '#dashboard/operations/start.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { getSettings } from '#dashboard/settings/queries.ts'
import { ServiceError } from '#shared/errors.ts'
import { listWorking } from './attempts.queries.ts'
import { listWaiting } from './due.queries.ts'
import { findKit } from './kit.queries.ts'
import { type Interval, nextBackup, RETRY_MS } from './schedule.ts'

type Deps = StartDeps & Pick<Base, 'log'>
type Target = Parameters<typeof start>[2]
type Waiting = Awaited<ReturnType<typeof listWaiting>>[number]

const AT_ONCE = 4
/** The interval of the search for due backups. */
export const BACK_UP_MS = 60_000

/** Starts due backups: at most one on each server, and few in the fleet. */
export async function backUpDue(deps: Deps): Promise<void> {
  const { db } = deps
  const running = await listWorking(db, 'backup.create')
  let free = AT_ONCE - running.length
  const busy = new Set(running)
  const possible_at = free > 0 ? (await findKit(db, { confirmed: true }))?.confirmed_at : null
  if (!possible_at) return
  for (const site of await listDue(deps, possible_at)) {
    if (free <= 0) return
    const begin = (target: Target) => start(deps, 'backup.create', target, {})
    if (busy.has(site.server_id) || !(await isStarted(deps, site, begin))) continue
    busy.add(site.server_id)
    free -= 1
  }
}

/** Those whose backup is due now. */
export async function listDue({ db, clock }: Deps, possible_at: string): Promise<Waiting[]> {
  const { backup_every: every, backup_window: window } = await getSettings(db)
  const now = clock.now()
  const waiting = await listWaiting(db, { every, attempted: timestamp(clock, -RETRY_MS) })
  return waiting.filter((site) => {
    const schedule = { id: site.id, every: site.every as Interval, window, failed_at: null }
    return nextBackup({ ...schedule, since: sinceOf(site, possible_at) }, now) <= now
  })
}

/** Since when a backup of the site could have been made. */
export function sinceOf(
  { recorded_at, created_at }: Pick<Waiting, 'recorded_at' | 'created_at'>,
  possible_at: string,
): string {
  return recorded_at ?? (created_at > possible_at ? created_at : possible_at)
}

/** False when it could not be started: the next site gets its place. */
export async function isStarted(
  deps: Deps,
  { id, server_id, domain }: Pick<Waiting, 'id' | 'server_id' | 'domain'>,
  begin: (target: Target) => Promise<unknown>,
): Promise<boolean> {
  try {
    const server = await getServer(deps.db, server_id)
    const site = await getSite(deps.db, server_id, id)
    await begin({ server, site, actor: null })
    return true
  } catch (error) {
    // Another dashboard was first, or the site has another operation now.
    if (error instanceof ServiceError && error.code === 'conflict') return true
    deps.log.error(`backup or proof of ${domain} could not start`, error)
    return false
  }
}
