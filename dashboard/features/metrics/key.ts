/** The number of keys of one server: seconds since 1970 are below it until the year 2106. */
export const SPAN = 2 ** 32

/** Returns the key of a reading: those of one server are in order of time. */
export function keyOf(server_id: number, seconds: number): number {
  return server_id * SPAN + seconds
}

export const MINUTE = 60
export const QUARTER = 15 * MINUTE
const DAY = 24 * 3600

/** How long single readings and averages are kept, in seconds. */
export const MINUTES_KEPT = DAY + 2 * 3600
export const QUARTERS_KEPT = 32 * DAY
