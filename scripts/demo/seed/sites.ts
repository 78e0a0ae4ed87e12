import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { isServed, type SitePlan } from '#scripts/demo/fleet/plan.ts'
import { resultOf } from '#scripts/demo/machine/carry-out.ts'
import { foreignHome, trashedDays } from '#scripts/demo/machine/lay-out-site.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'
import type { Kit } from '#scripts/demo/wordpress.ts'
import type { Inventory } from '#shared/kernel/inventory.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { diskLevelOf } from '#shared/servers/disk-levels.ts'

const TRASH_DAYS = 14

/** Returns the dashboard's data about each site: the findings of its agent, and their times. */
export async function siteRows(fleet: Fleet, now: number): Promise<NewSite[]> {
  const inventories = await inventoriesOf(fleet)
  const uses = await usesOf(fleet)
  return fleet.members.flatMap(({ plan }, at) =>
    plan.sites.map((site) => ({
      ...rowOf(site, at + 1, inventories.get(site.kit), now),
      ...diskOf(uses.get(site.user)),
    })),
  )
}

/** Returns the disk use by system user, as each agent reports it. */
async function usesOf({ members }: Fleet): Promise<Map<string, DiskUse>> {
  const found = new Map<string, DiskUse>()
  for (const { plan, agent } of members) {
    const users = new Map(plan.sites.map(({ domain, user }) => [domain, user]))
    const { sites } = await agent.ask('GET /usage', {})
    for (const { domain, measured_at, ...use } of sites)
      if (measured_at !== null) found.set(users.get(domain) ?? '', { ...use, measured_at })
  }
  return found
}

const diskOf = (disk: DiskUse | undefined): Partial<NewSite> =>
  disk ? { disk, disk_level: diskLevelOf(disk) } : {}

/** Sites of one kit have one inventory: the agent reads it once. */
async function inventoriesOf({ members }: Fleet): Promise<Map<Kit, Inventory>> {
  const found = new Map<Kit, Inventory>()
  for (const member of members)
    for (const site of member.plan.sites)
      if (!found.has(site.kit) && isWhole(site))
        found.set(site.kit, await resultOf(member.instant, 'wp.scan', { domain: site.domain }))
  return found
}

const isWhole = ({ place, broken }: SitePlan) => place === 'served' && !broken

function rowOf(
  plan: SitePlan,
  server_id: number,
  inventory: Inventory | undefined,
  now: number,
): NewSite {
  const { domain, user, php, tier, email, managed, age, certificate } = plan
  // The authority of the demo has no name that an agent knows.
  const tls = managed || plan.tls === 'none' ? plan.tls : 'other'
  return {
    ...{ server_id, domain, user, php, tier, tls, email, managed, found: !managed },
    staging: plan.staging_of !== undefined,
    apex: apexOf(domain),
    docroot: managed ? docrootOf(user) : `${foreignHome(domain)}/public`,
    framework: 'wordpress',
    wp_version: plan.kit.core,
    db_name: user,
    certificate_expires_at:
      managed && tls === 'letsencrypt' && certificate > 0 ? stamp(now + certificate * DAY_MS) : '',
    created_at: stamp(now - age * DAY_MS),
    ...(plan.broken ? {} : updatesOf(inventory)),
    ...scanOf(plan, inventory, now),
    ...stateOf(plan, now),
    ...healthOf(plan, now),
  }
}

/** Returns the health of a site until the agent reports it. */
function healthOf(plan: SitePlan, now: number): Partial<NewSite> {
  const { stopped, broken, certificate, tls, php, age } = plan
  if (!isServed(plan)) return {}
  const state = (
    health: NewSite['health'],
    health_code: string,
    hours: number,
    health_reason = '',
  ) => ({ health, health_code, health_since: stamp(now - hours * HOUR_MS), health_reason })
  if (stopped) return state('down', 'php_failed', 2.6, `PHP ${php} of this site has failed`)
  if (broken) return state('down', 'database_broken', 5.2, BROKEN)
  if (certificate === 0 && tls !== 'none')
    return state('degraded', 'certificate_missing', 26, UNCERTIFIED)
  return state('up', 'up', Math.min(age, 30) * 24)
}

const BROKEN = 'Tables of the database do not answer (error 1194)'
const UNCERTIFIED = 'Its certificate is missing: it is served without HTTPS'

function updatesOf(inventory: Inventory | undefined): Partial<NewSite> {
  const { plugins = null, themes = null, core = null } = inventory?.updates ?? {}
  return { updates_plugins: plugins, updates_themes: themes, updates_core: core }
}

function scanOf(plan: SitePlan, inventory: Inventory | undefined, now: number): Partial<NewSite> {
  if (plan.scanned === undefined || !inventory || !isWhole(plan)) return {}
  return { inventory, last_scan: stamp(now - plan.scanned * HOUR_MS) }
}

const FAILED = 'WordPress was not installed: Error: Error establishing a database connection.'
const MISSING = 'The agent does not find the site any more'

function stateOf(plan: SitePlan, now: number): Pick<NewSite, 'status'> & Partial<NewSite> {
  if (plan.place === 'missing') return { status: 'missing', status_reason: MISSING }
  if (plan.place === 'failed') return { status: 'failed', status_reason: FAILED, ...NOTHING }
  if (plan.place === 'served') return { status: 'active' }
  const trashed_at = now - trashedDays(plan) * DAY_MS
  return {
    status: 'trashed',
    trashed_at: stamp(trashed_at),
    purge_at: stamp(trashed_at + TRASH_DAYS * DAY_MS),
    trash_size: plan.size,
  }
}

/** A site whose creation failed has these values. */
const NOTHING = {
  docroot: '',
  framework: 'unknown',
  wp_version: '',
  db_name: '',
  certificate_expires_at: '',
  updates_plugins: null,
  updates_themes: null,
  updates_core: null,
} as const
