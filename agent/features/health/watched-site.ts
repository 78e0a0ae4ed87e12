import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { PhpState } from './php-state.ts'
import { Traffic } from './traffic.ts'
import type { Verdicts } from './verdict.ts'

/** The maximum share of one processor for all visits together: they run PHP. */
const SHARE = 0.05
const MIN_INTERVAL_MS = 30_000
const MAX_MS = 15 * 60_000
/** The interval of a site without visitors: each visit delays the sleep of its PHP. */
const QUIET_MS = 6 * 60 * 60_000
/** The interval of a site that is not up, whose recovery should be seen soon. */
const UNHEALTHY_MS = 10_000

/** The state of one site. All times are those of Clock.elapsed. */
export interface WatchedSite {
  site: Site
  verdicts: Verdicts
  php: PhpState
  version?: string
  traffic: Traffic
  /** The time of the next check of PHP, database and certificate. */
  look_at: number
  visited_at: number
  /** The duration of the last visit. */
  visit_ms: number
}

export function newlyWatched(site: Site, { clock, random }: Host): WatchedSite {
  const now = clock.elapsed()
  const visited_at = now - random.integer(QUIET_MS)
  const nothing = { verdicts: {}, php: 'running', look_at: now, visit_ms: 0 } as const
  return { site, ...nothing, traffic: new Traffic(now), visited_at }
}

/** Returns whether a visit is due; `all` is the number of sites that share the time. */
export function isVisitDue(watched: WatchedSite, now: number, all: number): boolean {
  const { verdicts, php, traffic, visited_at, visit_ms } = watched
  let rest = sharedInterval(visit_ms, all, MIN_INTERVAL_MS)
  if (php === 'asleep' || traffic.isQuiet(now)) rest = QUIET_MS
  if ((verdicts.http?.state ?? 'up') !== 'up') rest = Math.max(UNHEALTHY_MS, 3 * visit_ms)
  return now - visited_at >= rest
}

/** Limits the visits of all sites to their share of the processor. */
export const sharedInterval = (visit_ms: number, all: number, least_ms: number): number =>
  Math.min(MAX_MS, Math.max(least_ms, (all * visit_ms) / SHARE))
