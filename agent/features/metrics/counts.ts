import { isDeepStrictEqual } from 'node:util'
import {
  DAY_S,
  MAX_COUNT,
  MAX_DAYS,
  MAX_MINUTES,
  MINUTE_S,
  NUMBERS,
  type NumberName,
  type Numbers,
  type Sizes,
} from '#shared/metrics/site-numbers.ts'
import type { LoggedRequest } from './line-reader.ts'

export const NO_SIZES: Sizes = { files: null, database: null, cache: null, mail: null }

/** The numbers of one minute or day, and the time of their last change in seconds since 1970. */
export interface CountedNumbers {
  values: number[]
  changed: number
  /** The sizes of a day as last measured; undefined for a minute. */
  sizes?: Sizes | undefined
  /** The refused requests of a day; undefined for one that an earlier agent began to count. */
  refused?: number | undefined
}

/** The maximum number of requests of dashboards in one minute, four for each visit. */
const MAX_VISITS = 16

/** Numbers by the beginning of the minute or day. */
export type CountsByTime = Map<number, CountedNumbers>

const PLACES = Object.fromEntries(NUMBERS.map((name, place) => [name, place])) as Record<
  NumberName,
  number
>

/** Counts the numbers of a site: minutes for a short time, and days. */
export class SiteCounts {
  readonly minutes: CountsByTime = new Map()
  readonly days: CountsByTime
  #visits = { minute: 0, left: 0 }

  constructor(days: CountsByTime = new Map()) {
    this.days = days
  }

  /** Counts a request in its own minute; one of a day that is no longer kept is left out. */
  request({ at = 0, from_dashboard, ...request }: LoggedRequest, now: number): void {
    const when = at === 0 || at > now ? now : at
    if (from_dashboard && this.#isVisit(begin(when, MINUTE_S))) return
    this.add(when, numbersOf(request), now)
    if (isRefused(request)) this.#refuse(begin(when, DAY_S))
  }

  #refuse(at: number): void {
    const day = this.days.get(at)
    if (day?.refused !== undefined) day.refused = Math.min(day.refused + 1, MAX_COUNT)
  }

  /** Returns whether the request is a visit of a dashboard, and not a visitor in its name. */
  #isVisit(minute: number): boolean {
    if (this.#visits.minute !== minute) this.#visits = { minute, left: MAX_VISITS }
    return this.#visits.left-- > 0
  }

  add(at: number, numbers: Partial<Numbers>, now: number): void {
    if (at > now - MAX_MINUTES * MINUTE_S) addTo(this.minutes, begin(at, MINUTE_S), numbers, now)
    if (at > now - MAX_DAYS * DAY_S) addTo(this.days, begin(at, DAY_S), numbers, now)
  }

  /** Adds zeros for a day, which distinguish it from a day without an agent. */
  beginDay(now: number): void {
    const day = begin(now, DAY_S)
    if (!this.days.has(day)) addTo(this.days, day, {}, now)
  }

  measured(sizes: Sizes, now: number): void {
    const day = this.days.get(begin(now, DAY_S))
    if (!day || isDeepStrictEqual(day.sizes, sizes)) return
    day.sizes = sizes
    day.changed = now
  }

  /** Forgets old numbers, and those of a clock that was ahead. */
  forget(now: number): void {
    keepBetween(this.minutes, now - MAX_MINUTES * MINUTE_S, now)
    keepBetween(this.days, now - MAX_DAYS * DAY_S, now)
  }
}

/** Returns what has changed since then, in order of time; of more than `most`, the newest. */
export const changedIn = (
  counts: CountsByTime,
  since: number,
  most: number,
): [number, CountedNumbers][] =>
  [...counts]
    .filter(([, { changed }]) => changed > since)
    .sort(([one], [other]) => one - other)
    .slice(-most)

/** Returns the time in seconds since 1970; 0 when nothing is counted. */
export function latestChange(sites: readonly SiteCounts[]): number {
  let latest = 0
  for (const { minutes, days } of sites)
    for (const counts of [minutes, days])
      for (const { changed } of counts.values()) latest = Math.max(latest, changed)
  return latest
}

/** The answers of nginx to too many requests, and to one for a file that no visitor needs. */
const REFUSED = [403, 429]

/** Whether nginx refused the request itself: it reached neither PHP nor the page cache. */
const isRefused = ({ status, php_ms, from_cache }: Omit<LoggedRequest, 'at'>) =>
  REFUSED.includes(status) && php_ms === undefined && !from_cache

const begin = (at: number, step: number) => Math.floor(at / step) * step

function numbersOf({
  status,
  bytes,
  php_ms,
  slow,
  from_cache,
}: Omit<LoggedRequest, 'at' | 'from_dashboard'>) {
  return {
    requests: 1,
    client_errors: status >= 400 && status < 500 ? 1 : 0,
    server_errors: status >= 500 ? 1 : 0,
    cache_hits: from_cache ? 1 : 0,
    php_requests: php_ms === undefined ? 0 : 1,
    php_ms: php_ms ?? 0,
    slow: slow ? 1 : 0,
    bytes,
  }
}

function addTo(counts: CountsByTime, at: number, numbers: Partial<Numbers>, now: number): void {
  const count = counts.get(at) ?? { values: NUMBERS.map(() => 0), changed: now, refused: 0 }
  for (const name of NUMBERS) {
    const place = PLACES[name]
    const [before = 0, more = 0] = [count.values[place], numbers[name]]
    const next = name === 'active' ? Math.max(before, more) : before + more
    count.values[place] = Math.min(next, MAX_COUNT)
  }
  count.changed = now
  counts.set(at, count)
}

function keepBetween(counts: CountsByTime, oldest: number, now: number): void {
  for (const [at, count] of counts) {
    if (at < oldest || at > now) counts.delete(at)
    count.changed = Math.min(count.changed, now)
  }
}
