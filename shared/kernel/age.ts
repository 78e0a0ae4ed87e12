const HOUR_MS = 3600_000

/** Clocks of several machines differ a little: only what is later than this is of the future. */
export const AHEAD_MS = HOUR_MS

/** A time as a number, an ISO text, or a date. */
type Time = number | string | Date

const msOf = (time: Time) =>
  typeof time === 'string' ? Date.parse(time) : time instanceof Date ? time.getTime() : time

/** Whether a recorded time cannot be true: a clock was wrong when it was written, or is wrong now. */
export const isAhead = (at: Time, now: Time): boolean => msOf(at) > msOf(now) + AHEAD_MS

/**
 * The age in ms. Undefined for a time of the future, or an invalid one: nobody knows how old that is.
 * Every decision by age asks `isDue` or `hasReached`, which differ in what they do then.
 */
export function ageOf(at: Time, now: Time): number | undefined {
  const [from, to] = [msOf(at), msOf(now)]
  if (Number.isNaN(from) || isAhead(from, to)) return undefined
  return Math.max(0, to - from)
}

/**
 * Whether what is repeated, renewed or reported after `every_ms` is due: never done (null) and of
 * unknown age are due, since a time of the future would otherwise stop the work until then.
 */
export function isDue(last: Time | null, every_ms: number, now: Time): boolean {
  const age = last === null ? undefined : ageOf(last, now)
  return age === undefined || age >= every_ms
}

/** Whether something may be deleted by its age: what is of unknown age stays. */
export function hasReached(at: Time, ms: number, now: Time): boolean {
  const age = ageOf(at, now)
  return age !== undefined && age >= ms
}
