import type { Tier } from '#shared/kernel/fields.ts'
import { TIERS } from '#shared/kernel/values.ts'
import type { Recommendation, RecommendationReason } from '#shared/metrics/api/numbers.ts'
import { DAY_S, type NumberName } from '#shared/metrics/site-numbers.ts'
import type { DayNumbers } from './queries.ts'

/** What happens on one day may be a visit of a crawler. */
const LEAST_DAYS = 2
const WEEK = 7
const LEAST_FULL = 20
const LEAST_MEMORY = 5
/** A site whose owner alone looks at it now and then. */
const IDLE_DAYS = 28
const MAX_IDLE_REQUESTS = 20
/** Some days without an agent are no reason to wait for another month. */
const MISSING_DAYS = 3

/**
 * Another tier, with the reasons; null: the tier fits, or not enough is known. `days` are those of the
 * last weeks with this tier, in order of time.
 */
export function recommend(
  days: readonly DayNumbers[],
  tier: Tier,
  now: number,
): Recommendation | null {
  const place = TIERS.indexOf(tier)
  const larger = TIERS[place + 1]
  const reasons = tooSmall(days.filter(({ at }) => at > now - WEEK * DAY_S))
  if (reasons.length > 0) return larger ? { tier: larger, reasons } : null
  const smaller = TIERS[place - 1]
  const idle = smaller ? idleReason(days, now) : undefined
  return smaller && idle ? { tier: smaller, reasons: [idle] } : null
}

function tooSmall(days: readonly DayNumbers[]): RecommendationReason[] {
  const found = (code: RecommendationReason['code'], name: NumberName, least: number) => {
    const some = days.filter((day) => day[name] > 0)
    const count = some.reduce((sum, day) => sum + day[name], 0)
    const isEnough = count >= least && some.length >= LEAST_DAYS
    return isEnough ? [{ code, count, days: some.length }] : []
  }
  return [
    ...found('workers', 'full', LEAST_FULL),
    ...found('memory', 'memory', LEAST_MEMORY),
    ...found('killed', 'killed', LEAST_DAYS),
  ]
}

function idleReason(days: readonly DayNumbers[], now: number): RecommendationReason | undefined {
  const known = days.filter(({ at }) => at > now - IDLE_DAYS * DAY_S)
  const count = known.reduce((sum, { requests }) => sum + requests, 0)
  const isBusy = known.some(
    ({ requests, full, memory, killed }) =>
      requests > 5 * MAX_IDLE_REQUESTS || full + memory + killed > 0,
  )
  const isKnown = known.length >= IDLE_DAYS - MISSING_DAYS
  if (!isKnown || isBusy || count > MAX_IDLE_REQUESTS * known.length) return undefined
  return { code: 'idle', count, days: known.length }
}
