/** When a message, or a failing relay, is retried. */
export interface Schedule {
  /** Milliseconds after the first, second … attempt; the last value repeats. */
  retries: readonly number[]
  /** A message is given up after this time. */
  expire_ms: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const SCHEDULE: Schedule = {
  retries: [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR],
  expire_ms: 96 * HOUR,
}

/** The maximum time to notice that a relay is back. */
const MAX_RELAY_MS = 5 * MINUTE

/** The failures in a row before old messages are given up: a single one is not enough. */
export const GIVES_UP_AFTER = 3

/** A time beyond every pause was set before a clock change. */
export function isDue({ retries }: Schedule, at: number, now: number): boolean {
  const longest = Math.max(...retries, MAX_RELAY_MS) * 1.1
  return at <= now || at > now + longest
}

export const isTooOld = ({ expire_ms }: Schedule, created_at: number, now: number): boolean =>
  created_at + expire_ms <= now

/** `random` is between 0 and 1: adds up to a tenth, so that not all retries coincide. */
export function waitAfter({ retries }: Schedule, tries: number, random: number): number {
  const wait = retries[Math.min(Math.max(tries, 1), retries.length) - 1] ?? MINUTE
  return Math.round(wait * (1 + random / 10))
}

export function relayWaitAfter(schedule: Schedule, tries: number, random: number): number {
  return Math.min(waitAfter(schedule, tries, random), MAX_RELAY_MS)
}
