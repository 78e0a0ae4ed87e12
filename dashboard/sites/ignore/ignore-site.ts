import type { Database } from '#dashboard/db/client.ts'
import { sitesOf } from '#dashboard/live/feed.ts'
import type { Bus } from '#dashboard/runtime/bus.ts'
import { type Clock, timestamp } from '#dashboard/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import { conflict } from '#shared/errors.ts'
import { storeIgnored } from './queries.ts'

export interface IgnoreDeps {
  db: Database
  bus: Bus
  clock: Clock
}

/**
 * Hides a discovered site from lists, counts and the overview, or shows it again. The server is not
 * contacted and does not change. 409 for a managed site.
 */
export async function ignoreSite(
  { db, bus, clock }: IgnoreDeps,
  { server, site, actor }: SiteTarget,
  ignored: boolean,
) {
  const { id, domain } = site
  if (ignored && site.managed)
    throw conflict(`${domain} is managed: only a discovered site can be ignored`)
  if (ignored !== (site.ignored_at !== null)) {
    const created_at = timestamp(clock)
    const type = ignored ? 'site.ignore' : 'site.unignore'
    const entry = { type, domain, status: 'success', server_id: server.id } as const
    const activity = { ...entry, user_id: actor, created_at }
    await storeIgnored(db, id, { ignored_at: ignored ? created_at : null, activity })
    bus.notify(sitesOf(server.id))
  }
  return { site: { id, domain, ignored } }
}
