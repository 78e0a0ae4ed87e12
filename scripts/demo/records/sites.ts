import { wpScan } from '#agent/commands/wp.scan.ts'
import { docrootOf } from '#agent/os/paths.ts'
import type { NewSite } from '#dashboard/db/rows.ts'
import { Inventory } from '#shared/inventory.ts'
import { apexOf } from '#shared/names.ts'
import type { Fleet, Member } from '../fleet/fleet.ts'
import type { SitePlan } from '../fleet/plan.ts'
import { resultOf } from '../machine/carry-out.ts'
import { foreignHome } from '../machine/lay-out-foreign.ts'
import { trashedDays } from '../machine/lay-out-site.ts'
import type { Kit } from '../wordpress/kit.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const TRASH_DAYS = 14

/** What the dashboard knows of each site: what its agent would find, and since when. */
export async function siteRows(fleet: Fleet, now: number): Promise<NewSite[]> {
  const inventories = await inventoriesOf(fleet)
  return fleet.members.flatMap(({ plan }, at) =>
    plan.sites.map((site) => rowOf(site, at + 1, inventories.get(site.kit), now)),
  )
}

/** Sites of one kit have one inventory: the agent reads it once. */
async function inventoriesOf({ members }: Fleet): Promise<Map<Kit, Inventory>> {
  const found = new Map<Kit, Inventory>()
  for (const member of members)
    for (const site of member.plan.sites)
      if (!found.has(site.kit) && isWhole(site)) found.set(site.kit, await scanned(member, site))
  return found
}

const isWhole = ({ place, broken }: SitePlan) => place === 'served' && !broken

async function scanned({ instant }: Member, { domain }: SitePlan): Promise<Inventory> {
  return Inventory.parse(await resultOf(instant, (context) => wpScan.run({ domain }, context)))
}

function rowOf(
  plan: SitePlan,
  server_id: number,
  inventory: Inventory | undefined,
  now: number,
): NewSite {
  const { domain, user, php, tier, tls, email, managed, age, certificate } = plan
  const expires = new Date(now + certificate * DAY_MS).toISOString()
  return {
    ...{ server_id, domain, user, php, tier, tls, email, managed },
    apex: apexOf(domain),
    docroot: managed ? docrootOf(user) : `${foreignHome(domain)}/public`,
    framework: 'wordpress',
    wp_version: plan.kit.core,
    db_name: user,
    certificate_expires_at: managed && tls === 'letsencrypt' ? expires : '',
    created_at: new Date(now - age * DAY_MS).toISOString(),
    ...(plan.broken ? {} : updatesOf(inventory)),
    ...scanOf(plan, inventory, now),
    ...stateOf(plan, now),
  }
}

function updatesOf(inventory: Inventory | undefined): Partial<NewSite> {
  const { plugins = null, themes = null, core = null } = inventory?.updates ?? {}
  return { updates_plugins: plugins, updates_themes: themes, updates_core: core }
}

function scanOf(plan: SitePlan, inventory: Inventory | undefined, now: number): Partial<NewSite> {
  if (plan.scanned === undefined || !inventory || !isWhole(plan)) return {}
  return { inventory, last_scan: new Date(now - plan.scanned * HOUR_MS).toISOString() }
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
    trashed_at: new Date(trashed_at).toISOString(),
    purge_at: new Date(trashed_at + TRASH_DAYS * DAY_MS).toISOString(),
    trash_size: plan.size,
  }
}

/** Of a site that never came to be. */
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
