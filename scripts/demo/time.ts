export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** A moment as the records have it: ISO 8601. */
export const stamp = (ms: number): string => new Date(ms).toISOString()
