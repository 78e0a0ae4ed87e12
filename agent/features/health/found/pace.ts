import type { Verdicts } from '#agent/features/health/verdict.ts'
import { sharedRest } from '#agent/features/health/watched.ts'
import type { Target } from './targets.ts'

const LEAST_MS = 60_000
/** The interval of a site that is not up, whose recovery should be seen soon. */
const TROUBLED_MS = 30_000

/** The state of one discovered site. All times are those of Clock.elapsed. */
export interface WatchedFound {
  target: Target
  verdicts: Verdicts
  visited_at: number
  /** How long the last visit took. */
  visit_ms: number
}

export function newlyFound(target: Target): WatchedFound {
  return { target, verdicts: {}, visited_at: Number.NEGATIVE_INFINITY, visit_ms: 0 }
}

/** Whether it is time for a visit; `all`: how many sites share the time. */
export function isVisitDue(watched: WatchedFound, now: number, all: number): boolean {
  const { verdicts, visited_at, visit_ms } = watched
  const least = (verdicts.http?.state ?? 'up') === 'up' ? LEAST_MS : TROUBLED_MS
  return now - visited_at >= sharedRest(visit_ms, all, least)
}
