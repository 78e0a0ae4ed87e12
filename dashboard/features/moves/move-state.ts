import type { MoveRow } from '#dashboard/kernel/targets/moves.queries.ts'

type MoveState = Pick<MoveRow, 'moved_at' | 'progress'>

const FIRST_MS = 60_000
export const MAX_PAUSE_MS = 6 * 60 * 60_000

/**
 * Whether the last operation of a move ended without knowing which of the two servers has the site.
 * A server that serves it as before has said so.
 */
export const isUndecided = ({
  progress: { parting, settled, stay },
}: Pick<MoveState, 'progress'>): boolean =>
  parting !== undefined && settled === undefined && stay === undefined

/** Whether the former server did not get back to forwarding after a move back that failed. */
export const isNotForwarding = ({
  moved_at,
  progress: { returning, forward },
}: MoveState): boolean => moved_at !== null && returning !== undefined && forward === undefined

/**
 * Whether the last operation of a move, which has ended, left something on a server: a repeated one
 * ends it. A move that failed and left nothing behind has no row.
 */
export function isUnfinished(row: MoveState): boolean {
  const isHalfConfirmed = isCopyDeleted(row) && row.progress.settled === undefined
  return row.moved_at === null || isUndecided(row) || isNotForwarding(row) || isHalfConfirmed
}

/** Whether the copy of the former server is deleted, so that the move cannot be undone. */
export const isCopyDeleted = ({ progress: { deleted } }: Pick<MoveState, 'progress'>): boolean =>
  deleted !== undefined

/**
 * Returns when the dashboard retries an operation that ended at `ended_at`: the pause grows with
 * each attempt. `unrecorded` is the number of its attempts that ended before they changed the row.
 */
export function nextRetryTime(
  { progress }: Pick<MoveState, 'progress'>,
  ended_at: string,
  unrecorded = 0,
): string {
  const repeats = Math.min(retryCountOf({ progress }) + unrecorded, 20)
  return new Date(
    Date.parse(ended_at) + Math.min(FIRST_MS * 2 ** repeats, MAX_PAUSE_MS),
  ).toISOString()
}

export const retryCountOf = ({ progress: { repeats } }: Pick<MoveState, 'progress'>): number =>
  typeof repeats === 'number' ? repeats : 0
