import type { KeeperState } from './state.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAX_BETWEEN_MS = 45 * DAY_MS
/** An administrator notices the problem until then. */
const MAX_DOUBT_DAYS = 14

type Clocked = Pick<KeeperState, 'last_run' | 'doubt'>

/**
 * What a run with this clock keeps in its state, and why it deletes nothing: with a wrong clock all
 * backups look old, and the locks of running programs look stale. A clock that jumped is believed
 * when runs have continued on it for `all_days`, and at once when it is back.
 */
export function clockOf(
  { last_run, doubt }: Clocked,
  now: number,
  all_days: number,
): Clocked & { problem?: string } {
  if (last_run === undefined || follows(last_run, now)) return { last_run: now }
  const continues = doubt !== undefined && follows(doubt.last, now)
  const since = continues ? doubt.since : now
  const days = Math.min(all_days, MAX_DOUBT_DAYS)
  if (now - since >= days * DAY_MS) return { last_run: now }
  const from = new Date(since + days * DAY_MS).toISOString().slice(0, 10)
  const problem = `The clock ${jumpOf(now - last_run)}: nothing is deleted until it is corrected, or until ${from} if it is right`
  return { last_run, doubt: { since, last: now }, problem }
}

const follows = (last: number, now: number) => now >= last - HOUR_MS && now - last <= MAX_BETWEEN_MS

const jumpOf = (ms: number) =>
  ms < 0
    ? 'is behind that of the last run'
    : `is ${Math.round(ms / DAY_MS)} days after the last run`
