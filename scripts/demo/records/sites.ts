import { wpScan } from '#agent/commands/wp.scan.ts'
import { docrootOf } from '#agent/os/paths.ts'
import type { NewSite } from '#dashboard/db/rows.ts'
import { factsOf } from '#dashboard/fleet/sync-plan.ts'
import type { FoundSite } from '#shared/agent.ts'
import { Inventory } from '#shared/inventory.ts'
import { apexOf } from '#shared/names.ts'
import type { Fleet, Member } from '../fleet/fleet.ts'
import type { SitePlan } from '../fleet/plan.ts'
import { carryOut } from '../machine/carry-out.ts'
import { trashedDays } from '../machine/lay-out-site.ts'
import type { Kit } from '../wordpress/kit.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const TRASH_DAYS = 14

/** What the dashboard knows of each site: the agent finds it, the plan says since when. */
export async function siteRows(fleet: Fleet, now: number): Promise<NewSite[]> {
  const inventories = new Map<Kit, Inventory>()
  const rows: NewSite[] = []
  for (const [at, member] of fleet.members.entries()) {
    const found = new Map((await member.agent.readings.sites()).map((site) => [site.domain, site]))
    for (const plan of member.plan.sites) {
      const scanned = await scanOf(member, plan, inventories, now)
      rows.push({ ...rowOf(plan, at + 1, found.get(plan.domain), now), ...scanned })
    }
  }
  return rows
}

function rowOf(plan: SitePlan, server_id: number, found: FoundSite | undefined, now: number) {
  const { domain, user, php, tier, tls, email, managed, age, certificate } = plan
  const expires = new Date(now + certificate * DAY_MS).toISOString()
  const row: NewSite = {
    ...{ server_id, domain, user, php, tier, tls, email, managed },
    apex: apexOf(domain),
    docroot: docrootOf(user),
    framework: 'wordpress',
    wp_version: plan.kit.core,
    db_name: user,
    certificate_expires_at: managed && tls === 'letsencrypt' ? expires : '',
    created_at: new Date(now - age * DAY_MS).toISOString(),
    ...stateOf(plan, now),
  }
  return found ? { ...row, ...factsOf(found) } : row
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
} as const

/** Sites of one kit have one inventory: it is read once. */
async function scanOf(
  { instant }: Member,
  plan: SitePlan,
  known: Map<Kit, Inventory>,
  now: number,
): Promise<Partial<NewSite>> {
  const { kit, domain, scanned } = plan
  if (scanned === undefined || plan.place !== 'served' || plan.broken) return {}
  const inventory = known.get(kit) ?? (await read())
  known.set(kit, inventory)
  return { inventory, last_scan: new Date(now - scanned * HOUR_MS).toISOString() }

  async function read(): Promise<Inventory> {
    const { result } = await carryOut(instant, (context) => wpScan.run({ domain }, context))
    return Inventory.parse(result)
  }
}
