/** The intervals with which the call of each minute reads the state and saves a sync. */
const SAVING_INTERVAL_MS = { least: 60_000, most: 120_000 }
/** The time by which that call may be late. */
const LATE_MS = 5_000

/** Whether the call of each minute asks for the version of the state, which takes the agent longer. */
export const asksState = (interval_ms: number): boolean => interval_ms <= SAVING_INTERVAL_MS.most

/** Returns when a server needs its next sync after a contact with an unchanged state. */
export function nextSyncAfter(interval_ms: number): number {
  const isSaved = SAVING_INTERVAL_MS.least <= interval_ms && interval_ms <= SAVING_INTERVAL_MS.most
  return interval_ms + (isSaved ? LATE_MS : 0)
}
