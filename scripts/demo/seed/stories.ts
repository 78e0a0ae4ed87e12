import { Dice } from '#agent/host/simulated/dice.ts'
import type { FleetPlan, ServerPlan, SitePlan } from '#scripts/demo/fleet/plan.ts'
import type { OperationType } from '#shared/operation-types/index.ts'
import type { Kind } from './transcripts.ts'

/** One operation of the past. `at`: milliseconds ago. */
export interface Story {
  type: OperationType
  kind: Kind
  server_id: number
  server: ServerPlan
  site: { id: number; plan: SitePlan } | undefined
  params: Record<string, unknown>
  at: number
  /** A user cancelled it. */
  cancelled?: true
}

type Target = Pick<Story, 'server_id' | 'server' | 'site'>
export type SiteStory = Target & { site: NonNullable<Target['site']> }
type StoryWork = Pick<Story, 'type' | 'kind' | 'params'>

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAYS = 30
const MOST = 500

/** The operations of the last thirty days, the oldest first. */
export function listStories(plan: FleetPlan): Story[] {
  const places = placesOf(plan)
  const stories = [...places.flatMap(ownStories), ...usualStories(plan, places)]
  return stories.sort((one, other) => other.at - one.at)
}

/** Sites in the order of their records, so that a position is an id. */
export function placesOf({
  servers,
}: FleetPlan): (Target & { site: { id: number; plan: SitePlan } })[] {
  let id = 0
  return servers.flatMap((server, at) =>
    server.sites.map((plan) => ({ server_id: at + 1, server, site: { id: ++id, plan } })),
  )
}

/** The operations that led to the state of a site. */
function ownStories(place: SiteStory): Story[] {
  const { plan } = place.site
  if (!plan.managed) return []
  const { domain, php, tier, tls, email, user } = plan
  const params = { domain, php, tier, tls, email, user }
  const story = (work: StoryWork, at: number): Story => ({ ...place, ...work, at })
  const certify = {
    type: 'tls.issue',
    kind: 'uncertified',
    params: { domain, tls, email },
  } as const
  const remove = { type: 'site.delete', kind: 'undeleted', params: { domain } } as const
  if (plan.place === 'failed')
    return [story({ type: 'site.create', kind: 'uncreated', params }, 3 * HOUR_MS)]
  return [
    ...(plan.age < DAYS
      ? [story({ type: 'site.create', kind: 'created', params }, plan.age * DAY_MS)]
      : []),
    ...(plan.astray
      ? [2, 26].map((hours) => story(certify, hours * HOUR_MS + minutesOf(place)))
      : []),
    ...(plan.broken ? [story(remove, 5 * HOUR_MS)] : []),
  ]
}

/** Servers do not all retry at the same moment. */
const minutesOf = ({ server_id }: Target) => ((server_id * 17) % 60) * 60_000

type Usual = readonly [weight: number, type: OperationType, kind: Kind]

const USUAL: readonly Usual[] = [
  [8, 'site.scan', 'scanned'],
  [4, 'cache.purge', 'purged'],
  [2, 'site.update', 'updated'],
  [2, 'pool.apply', 'resized'],
  [3, 'tls.issue', 'certified'],
  [2, 'service.restart', 'restarted'],
]

function usualStories(fleet: FleetPlan, places: readonly SiteStory[]): Story[] {
  const dice = new Dice(`${fleet.seed} stories`)
  const homes = places.filter(({ site: { plan } }) => plan.managed && plan.place === 'served')
  const weights = USUAL.flatMap((usual) => Array.from({ length: usual[0] }, () => usual))
  const count = Math.min(MOST, 40 + places.length)
  return Array.from({ length: count }, () => {
    const place = homes[dice.below(homes.length)]
    const usual = weights[dice.below(weights.length)]
    const at = Math.round(dice.between(0.02, DAYS) * DAY_MS)
    const [asleep, cancelled] = [dice.chance(0.8), dice.chance(0.15)]
    if (!place || !usual || (asleep && isNight(at)) || !couldBe(place, usual[1], at)) return []
    return [usualStory(place, usual, at, cancelled)]
  }).flat()
}

function usualStory(
  place: SiteStory,
  [, type, kind]: Usual,
  at: number,
  cancelled: boolean,
): Story {
  const story = {
    ...targetFor(type, place),
    type,
    kind,
    params: paramsFor(type, place.site.plan),
    at,
  }
  return cancelled && type === 'site.update' ? { ...story, cancelled } : story
}

/** Fewer operations by night. */
function isNight(at: number): boolean {
  const hour = new Date(Date.now() - at).getUTCHours()
  return hour < 6 || hour > 19
}

/** A site that did not exist yet, or an offline server, has no operations then. */
function couldBe({ server, site }: SiteStory, type: OperationType, at: number): boolean {
  const away = server.role === 'offline' || server.role === 'flaky'
  if (site.plan.age * DAY_MS < at || (away && at < 4 * HOUR_MS)) return false
  return type !== 'tls.issue' || site.plan.tls === 'letsencrypt'
}

const targetFor = (type: OperationType, target: Target): Target =>
  type === 'service.restart' ? { ...target, site: undefined } : target

function paramsFor(type: OperationType, site: SitePlan): Record<string, unknown> {
  const { domain, user, php, tier, tls, email } = site
  if (type === 'service.restart') return { service: 'nginx' }
  if (type === 'pool.apply') return { user, php_version: php, tier }
  if (type === 'tls.issue') return { domain, tls, email }
  return type === 'site.update' ? { domain, php, tier } : { domain }
}
