import type { MoveRow } from './queries.ts'

type Row = Pick<MoveRow, 'moved_at' | 'progress'>

const FIRST_MS = 60_000
const LONGEST_MS = 6 * 60 * 60_000

/**
 * Whether its last operation ended without knowing which of the two servers has the site. A server
 * that serves it as before has said so.
 */
export const isUndecided = ({
  progress: { parting, settled, stay },
}: Pick<Row, 'progress'>): boolean =>
  parting !== undefined && settled === undefined && stay === undefined

/** Whether the former server did not get back to forwarding after a move back that failed. */
export const isAstray = ({ moved_at, progress: { returning, forward } }: Row): boolean =>
  moved_at !== null && returning !== undefined && forward === undefined

/**
 * Whether its last operation, which has ended, left something on a server: a repeated one ends it.
 * A move that failed and left nothing has no row.
 */
export function isOpen(row: Row): boolean {
  const { deleted, settled } = row.progress
  const isHalfConfirmed = deleted !== undefined && settled === undefined
  return row.moved_at === null || isUndecided(row) || isAstray(row) || isHalfConfirmed
}

/** When the dashboard repeats by itself what ended at `ended_at`: later each time. */
export function repeatedAt({ progress }: Pick<Row, 'progress'>, ended_at: string): string {
  const pause = Math.min(FIRST_MS * 2 ** Math.min(repeatsOf({ progress }), 20), LONGEST_MS)
  return new Date(Date.parse(ended_at) + pause).toISOString()
}

/** How often the dashboard has repeated it by itself. */
export const repeatsOf = ({ progress: { repeats } }: Pick<Row, 'progress'>): number =>
  typeof repeats === 'number' ? repeats : 0
