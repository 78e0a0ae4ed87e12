import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import {
  type FleetPlan,
  isOffline,
  isServed,
  type ServerPlan,
  type SitePlan,
} from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, HOUR_MS } from '#scripts/demo/time.ts'
import type { OperationType } from '#shared/operation-types.ts'
import type { Kind } from './transcripts.ts'

/** A place is a site of the fleet, and its server. */
export interface Place {
  server_id: number
  server: ServerPlan
  site: { id: number; plan: SitePlan }
}

/** A story is a past operation on a server or one of its sites, `at` milliseconds ago. */
export interface Story extends Omit<Place, 'site'> {
  type: OperationType
  kind: Kind
  site: Place['site'] | undefined
  params: Record<string, unknown>
  at: number
  /** Whether a user cancelled it. */
  cancelled?: boolean
}

const DAYS = 30
const MAX_STORIES = 500

/** Returns the operations of the last thirty days, the oldest first. */
export function listStories(plan: FleetPlan): Story[] {
  const places = placesOf(plan)
  const stories = [...places.flatMap(ownStories), ...routineStories(plan, places)]
  return stories.sort((one, other) => other.at - one.at)
}

/** Returns the sites in the order of their records, so that a position is an id. */
export function placesOf({ servers }: FleetPlan): Place[] {
  let id = 0
  return servers.flatMap((server, at) =>
    server.sites.map((plan) => ({ server_id: at + 1, server, site: { id: ++id, plan } })),
  )
}

/** Returns the operations that led to the state of a site. */
function ownStories(place: Place): Story[] {
  const { plan } = place.site
  if (!plan.managed) return []
  const { domain, php, tier, tls, email, user } = plan
  const story = (type: OperationType, kind: Kind, at: number, params = {}): Story => ({
    ...{ ...place, type, kind, at, params: { domain, ...params } },
  })
  const create = { php, tier, tls, email, user }
  if (plan.place === 'failed') return [story('site.create', 'uncreated', 3 * HOUR_MS, create)]
  // Servers do not all retry at the same moment.
  const retried = ((place.server_id * 17) % 60) * 60_000
  const tries = plan.unresolved ? [2, 26] : []
  return [
    ...(plan.age < DAYS ? [story('site.create', 'created', plan.age * DAY_MS, create)] : []),
    ...tries.map((hours) =>
      story('tls.issue', 'uncertified', hours * HOUR_MS + retried, { tls, email }),
    ),
    ...(plan.broken ? [story('site.delete', 'undeleted', 5 * HOUR_MS)] : []),
  ]
}

type Routine = readonly [weight: number, type: OperationType, kind: Kind]

const ROUTINE: readonly Routine[] = [
  [8, 'site.scan', 'scanned'],
  [4, 'cache.purge', 'purged'],
  [2, 'site.update', 'updated'],
  [2, 'pool.apply', 'resized'],
  [3, 'tls.issue', 'certified'],
  [2, 'service.restart', 'restarted'],
]

function routineStories(fleet: FleetPlan, places: readonly Place[]): Story[] {
  const dice = new Dice(`${fleet.seed} stories`)
  const homes = places.filter(({ site }) => isServed(site.plan))
  const weights = ROUTINE.flatMap((routine) => Array.from({ length: routine[0] }, () => routine))
  const count = Math.min(MAX_STORIES, 40 + places.length)
  return Array.from({ length: count }, () => {
    const place = homes[dice.below(homes.length)]
    const routine = weights[dice.below(weights.length)]
    const at = Math.round(dice.between(0.02, DAYS) * DAY_MS)
    const [asleep, cancelled] = [dice.chance(0.8), dice.chance(0.15)]
    if (!place || !routine || (asleep && isNight(at)) || !couldBe(place, routine[1], at)) return []
    const [, type, kind] = routine
    return {
      ...{ ...place, type, kind, at, params: paramsFor(type, place.site.plan) },
      ...(type === 'service.restart' && { site: undefined }),
      cancelled: cancelled && type === 'site.update',
    }
  }).flat()
}

/** Returns whether it was night `at` milliseconds ago: there are fewer operations at night. */
function isNight(at: number): boolean {
  const hour = new Date(Date.now() - at).getUTCHours()
  return hour < 6 || hour > 19
}

/** A site that did not exist yet, or an offline server, has no operations then. */
function couldBe({ server, site }: Place, type: OperationType, at: number): boolean {
  if (site.plan.age * DAY_MS < at || (isOffline(server) && at < 4 * HOUR_MS)) return false
  return type !== 'tls.issue' || site.plan.tls === 'letsencrypt'
}

function paramsFor(type: OperationType, site: SitePlan): Record<string, unknown> {
  const { domain, user, php, tier, tls, email } = site
  if (type === 'service.restart') return { service: 'nginx' }
  if (type === 'pool.apply') return { user, php_version: php, tier }
  if (type === 'tls.issue') return { domain, tls, email }
  return type === 'site.update' ? { domain, php, tier } : { domain }
}
