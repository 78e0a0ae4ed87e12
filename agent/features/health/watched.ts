import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { PhpState } from './php-state.ts'
import { Traffic } from './traffic.ts'
import type { Verdicts } from './verdict.ts'

/** Visits run PHP: all of them together use at most this share of one processor. */
const SHARE = 0.05
const LEAST_MS = 30_000
const MAX_MS = 15 * 60_000
/** For a site without visitors: each visit delays the sleep of its PHP. */
const QUIET_MS = 6 * 60 * 60_000
/** The interval of a site that is not up, whose recovery should be seen soon. */
const TROUBLED_MS = 10_000

/** The state of one site. All times are those of Clock.elapsed. */
export interface Watched {
  site: Site
  verdicts: Verdicts
  php: PhpState
  /** The version of the site's files, options and plugins, as they were read last. */
  version?: string
  traffic: Traffic
  /** The next check of PHP, database and certificate. */
  look_at: number
  visited_at: number
  /** How long the last visit took. */
  visit_ms: number
}

export function newlyWatched(site: Site, { clock, random }: Host): Watched {
  const now = clock.elapsed()
  const visited_at = now - random.integer(QUIET_MS)
  const nothing = { verdicts: {}, php: 'running', look_at: now, visit_ms: 0 } as const
  return { site, ...nothing, traffic: new Traffic(now), visited_at }
}

/** Whether it is time for a visit; `all`: how many sites share the time. */
export function isVisitDue(watched: Watched, now: number, all: number): boolean {
  const { verdicts, php, traffic, visited_at, visit_ms } = watched
  let rest = sharedRest(visit_ms, all, LEAST_MS)
  if (php === 'asleep' || traffic.isQuiet(now)) rest = QUIET_MS
  if ((verdicts.http?.state ?? 'up') !== 'up') rest = Math.max(TROUBLED_MS, 3 * visit_ms)
  return now - visited_at >= rest
}

/** Limits the visits of all sites to their share of the processor. */
export const sharedRest = (visit_ms: number, all: number, least_ms: number): number =>
  Math.min(MAX_MS, Math.max(least_ms, (all * visit_ms) / SHARE))
