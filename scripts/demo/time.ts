export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Returns a moment as the records have it, in ISO 8601. */
export const stamp = (ms: number): string => new Date(ms).toISOString()
