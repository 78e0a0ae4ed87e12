import { sql } from 'drizzle-orm'
import { storeCounts } from '#dashboard/features/metrics/numbers/queries.ts'
import { DAYS_KEPT, MINUTES_KEPT } from '#dashboard/features/metrics/numbers/update.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import {
  DAY_S,
  MAX_DAYS,
  MAX_MINUTES,
  MINUTE_S,
  NUMBERS,
  type Numbers,
  type SiteCount,
} from '#shared/metrics/site-numbers.ts'

/** Enough to look at: the records of ten thousand sites would take minutes. */
const MAX_SITES = 40
/** Every seventh site needs a larger tier. */
const CROWDED = 7
const MB = 1e6

interface Known {
  id: number
  server_id: number
  domain: string
  [name: string]: unknown
}

/** Stores what agents have counted of the first sites, for as long as a dashboard keeps it. */
export async function fillNumbers(db: Database, now: number): Promise<void> {
  const sites = await db.read.all<Known>(sql`
    select id, server_id, domain from sites
    where not found and status = 'active' order by id limit ${MAX_SITES}`)
  const at = Math.floor(now / 1000)
  for (const site of sites) {
    const { server_id, domain } = site
    const days = daysOf(site, at)
    const minutes = minutesOf(site, at)
    const counts: SiteCount[] = []
    for (let from = 0; from < days.length; from += MAX_DAYS)
      counts.push({ domain, at, minutes: [], days: days.slice(from, from + MAX_DAYS) })
    for (let from = 0; from < minutes.length; from += MAX_MINUTES)
      counts.push({ domain, at, minutes: minutes.slice(from, from + MAX_MINUTES), days: [] })
    await storeCounts(db, server_id, counts)
  }
}

function daysOf(site: Known, now: number) {
  const today = Math.floor(now / DAY_S) * DAY_S
  return timesOf(today - DAYS_KEPT + DAY_S, today, DAY_S).map((at) => {
    const weekday = new Date(at * 1000).getUTCDay()
    const rate = 0.7 + 0.2 * wave(site, at / DAY_S) + (weekday % 6 === 0 ? 0 : 0.3)
    const growth = 1 - (now - at) / (3 * DAYS_KEPT)
    const full = site.id % CROWDED === 0 && at > today - 5 * DAY_S ? 14 : 0
    const size = (400 + 30 * site.id) * MB
    return {
      at,
      values: valuesOf({ ...numbersOf(site, 4000 * rate * growth), full }),
      sizes: {
        files: Math.round(size * growth),
        database: Math.round(0.1 * size * growth),
        cache: Math.round(20 * MB * rate),
        mail: 0,
      },
      refused: Math.round(40 * rate + 20 * wave(site, at / (3 * DAY_S))),
    }
  })
}

function minutesOf(site: Known, now: number) {
  const end = Math.floor(now / MINUTE_S) * MINUTE_S
  return timesOf(end - MINUTES_KEPT + MINUTE_S, end, MINUTE_S).map((at) => {
    const rate = 0.6 + 0.3 * wave(site, at / 900) + 0.1 * wave(site, at / 60)
    return { at, values: valuesOf(numbersOf(site, 12 * rate)) }
  })
}

const timesOf = (from: number, to: number, step: number) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step)

/** Returns a number from 0 to 1, the same for each start of the demo. */
const wave = ({ id }: Known, at: number) => (1 + Math.sin(at * 1.7 + id) * Math.cos(at * 0.6)) / 2

function numbersOf({ id }: Known, load: number): Partial<Numbers> {
  const requests = Math.max(0, Math.round(load * (1 + (id % 5))))
  const cache_hits = Math.round(requests * 0.55)
  const php_requests = Math.round(requests * 0.3)
  return {
    ...{ requests, cache_hits, php_requests },
    client_errors: Math.round(requests * 0.02),
    server_errors: Math.floor(requests * 0.001),
    php_ms: php_requests * (150 + (id % 9) * 20),
    slow: Math.floor(php_requests * 0.004),
    bytes: requests * 38_000,
    active: Math.min(8, 1 + Math.floor(php_requests / 400)),
  }
}

const valuesOf = (given: Partial<Numbers>) => NUMBERS.map((name) => given[name] ?? 0)
