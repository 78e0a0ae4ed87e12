/** The pauses before a message, or a failing relay, is retried. */
export interface RetrySchedule {
  /** The milliseconds after the first, second … attempt; the last value repeats. */
  retries: readonly number[]
  /** The time after which a message is given up. */
  expire_ms: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const DEFAULT_SCHEDULE: RetrySchedule = {
  retries: [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR],
  expire_ms: 96 * HOUR,
}

/** The maximum time until the return of a relay is noticed. */
const MAX_RELAY_MS = 5 * MINUTE

/** The minimum number of failures in a row before old messages are given up. */
export const MIN_FAILURES = 3

/** Returns whether a retry is due; a time beyond every pause was set before a clock change. */
export function isDue({ retries }: RetrySchedule, at: number, now: number): boolean {
  const longest = Math.max(...retries, MAX_RELAY_MS) * 1.1
  return at <= now || at > now + longest
}

export const isTooOld = ({ expire_ms }: RetrySchedule, created_at: number, now: number): boolean =>
  created_at + expire_ms <= now

/** Returns the pause. `random`, between 0 and 1, adds up to a tenth, so that retries differ. */
export function waitAfter({ retries }: RetrySchedule, tries: number, random: number): number {
  const wait = retries[Math.min(Math.max(tries, 1), retries.length) - 1] ?? MINUTE
  return Math.round(wait * (1 + random / 10))
}

export function relayWaitAfter(schedule: RetrySchedule, tries: number, random: number): number {
  return Math.min(waitAfter(schedule, tries, random), MAX_RELAY_MS)
}
