import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { sitesTopic } from '#dashboard/kernel/live/feed.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { storeIgnored } from './queries.ts'

export type IgnoreDeps = Pick<CommonDeps, 'db' | 'bus' | 'clock'>

/** Hides a discovered site, or shows it again; its server is not contacted. 409 if managed. */
export async function ignoreSite(
  { db, bus, clock }: IgnoreDeps,
  { server, site, actor }: SiteTarget,
  ignored: boolean,
) {
  const { id, domain } = site
  if (ignored && site.managed)
    throw conflict(`${domain} is managed: only a discovered site can be ignored`)
  if (ignored !== (site.ignored_at !== null)) {
    const type = ignored ? 'site.ignore' : 'site.unignore'
    const activity = entryOf(clock, { type, domain, server_id: server.id, user_id: actor })
    await storeIgnored(db, id, { ignored_at: ignored ? timestamp(clock) : null, activity })
    bus.notify(sitesTopic(server.id))
  }
  return { site: { id, domain, ignored } }
}
