import type { Database } from '#dashboard/kernel/db/client.ts'
import { invalid } from '#shared/kernel/errors.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import { TIERS } from '#shared/kernel/values.ts'
import type {
  NumbersQuery,
  Recommendation,
  RecommendationReason,
  SiteNumbers,
} from '#shared/metrics/api/numbers.ts'
import { DAY_S, MINUTE_S, NUMBERS, type NumberName } from '#shared/metrics/site-numbers.ts'
import {
  type DayNumbers,
  type NumbersRow,
  readDays,
  readMinutes,
  readTierChange,
} from './queries.ts'
import { DAYS_KEPT, MINUTES_KEPT } from './update.ts'

const STEPS = { minute: MINUTE_S, day: DAY_S }
const DEFAULT_SPAN = { minute: 180 * MINUTE_S, day: 30 * DAY_S }
const KEPT_SPAN = { minute: MINUTES_KEPT, day: DAYS_KEPT }
const KEPT_SPAN_TEXT = { minute: '6 hours', day: '430 days' }
const SIZES = ['files', 'database', 'cache', 'mail'] as const
/** The time by which the clock of a browser may be slow. */
const MAX_CLOCK_DIFFERENCE = 3600
const RECENT_SPAN = 29 * DAY_S

/** Returns the numbers of a site in columns. Throws 422 on `from` or `to`. */
export async function readNumbers(
  db: Database,
  { id, tier }: { id: number; tier: Tier },
  query: NumbersQuery,
  at: Date,
): Promise<SiteNumbers> {
  const now = at.getTime() / 1000
  const { unit } = query
  const step = STEPS[unit]
  const { from, to } = rangeOf(query, now)
  const read = unit === 'day' ? readDays : readMinutes
  const rows: (NumbersRow & Partial<DayNumbers>)[] = await read(db, { site_id: id, from, to })
  const since = Math.max(now - RECENT_SPAN, await readTierChange(db, id))
  const recent = await readDays(db, { site_id: id, from: since, to: now })
  const times = Array.from({ length: (to - from) / step }, (_, place) => from + place * step)
  const found = new Map(rows.map((row) => [row.at, row]))
  const columns = [...NUMBERS, ...SIZES].map((name) => [
    name,
    times.map((time) => found.get(time)?.[name] ?? null),
  ])
  return {
    unit,
    from: new Date(from * 1000).toISOString(),
    to: new Date(to * 1000).toISOString(),
    at: times,
    ...(Object.fromEntries(columns) as Record<
      (typeof NUMBERS)[number] | (typeof SIZES)[number],
      (number | null)[]
    >),
    recommendation: recommend(recent, tier, now),
  }
}

function rangeOf({ unit, from, to }: NumbersQuery, now: number) {
  const step = STEPS[unit]
  const end = to === undefined ? now : Date.parse(to) / 1000
  const start = from === undefined ? end - DEFAULT_SPAN[unit] : Date.parse(from) / 1000
  if (start >= end) throw invalid({ from: ['Must be before to'] })
  if (start < now - KEPT_SPAN[unit] - MAX_CLOCK_DIFFERENCE)
    throw invalid({ from: [`Must be within the last ${KEPT_SPAN_TEXT[unit]}`] })
  if (end > now + DAY_S) throw invalid({ to: ['Must not be in the future'] })
  return { from: Math.floor(start / step) * step, to: Math.ceil(end / step) * step }
}

/** The minimum of days: what happens on one day may be a visit of a crawler. */
const MIN_DAYS = 2
const WEEK = 7
const MIN_FULL_EVENTS = 20
const MIN_MEMORY_EVENTS = 5
/** The number of days whose requests decide whether a site is idle. */
const IDLE_DAYS = 28
const MAX_IDLE_REQUESTS = 20
/** The days without numbers that a month may have and still give a recommendation. */
const MISSING_DAYS = 3

/**
 * Recommends another tier, with the reasons; null when the tier fits, or not enough is known.
 * `days` are those of the last weeks with this tier, in order of time.
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
    const isEnough = count >= least && some.length >= MIN_DAYS
    return isEnough ? [{ code, count, days: some.length }] : []
  }
  return [
    ...found('workers', 'full', MIN_FULL_EVENTS),
    ...found('memory', 'memory', MIN_MEMORY_EVENTS),
    ...found('killed', 'killed', MIN_DAYS),
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
