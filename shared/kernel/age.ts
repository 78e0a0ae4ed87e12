const HOUR_MS = 3600_000

/** The allowed difference between clocks of several machines; a later time is in the future. */
export const MAX_CLOCK_DIFFERENCE_MS = HOUR_MS

/** A time as a number, an ISO text, or a date. */
type TimeValue = number | string | Date

const msOf = (time: TimeValue) =>
  typeof time === 'string' ? Date.parse(time) : time instanceof Date ? time.getTime() : time

/** Returns whether a recorded time cannot be true: a clock was or is wrong. */
export const isInFuture = (at: TimeValue, now: TimeValue): boolean =>
  msOf(at) > msOf(now) + MAX_CLOCK_DIFFERENCE_MS

/**
 * Returns the age in ms; undefined for a time of the future, or an invalid one. Every decision by
 * age uses `isDue` or `hasReached`, which differ in what they do then.
 */
export function ageOf(at: TimeValue, now: TimeValue): number | undefined {
  const [from, to] = [msOf(at), msOf(now)]
  if (Number.isNaN(from) || isInFuture(from, to)) return undefined
  return Math.max(0, to - from)
}

/**
 * Returns whether repeated work is due after `every_ms`: work that was never done (null) or is of
 * unknown age is due, since a time of the future would otherwise stop it until then.
 */
export function isDue(last: TimeValue | null, every_ms: number, now: TimeValue): boolean {
  const age = last === null ? undefined : ageOf(last, now)
  return age === undefined || age >= every_ms
}

/** Returns whether something may be deleted by its age: what is of unknown age stays. */
export function hasReached(at: TimeValue, ms: number, now: TimeValue): boolean {
  const age = ageOf(at, now)
  return age !== undefined && age >= ms
}
