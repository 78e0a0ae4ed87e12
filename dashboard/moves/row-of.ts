import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow, SiteRow } from '#dashboard/db/rows.ts'
import { conflict } from '#shared/errors.ts'
import { beginMove, findMove, type MoveRow } from './queries.ts'

type Progress = Pick<MoveRow, 'progress'>

/** Whether its last operation ended without knowing which of the two servers has the site. */
export const isUndecided = ({ progress }: Progress): boolean =>
  progress.parting !== undefined && progress.failure === undefined

/**
 * The row of an operation. A new one continues what an earlier one could not decide, and otherwise
 * begins with the removal of the copy that an earlier one may have left. Throws conflict without a
 * move, or if it would undo what may be decided.
 */
export async function rowOf(
  db: Database,
  { id: operation_id, type }: Pick<OperationRow, 'id' | 'type'>,
  { id: site_id, domain }: Pick<SiteRow, 'id' | 'domain'>,
  wanted: number | undefined,
): Promise<MoveRow> {
  const known = await findMove(db, site_id)
  if (known?.operation_id === operation_id) return known
  const other_id = wanted ?? known?.other_id
  if (other_id === undefined) throw conflict(`${domain} is not moving`)
  const undecided = known && isUndecided(known)
  if (undecided && (type === 'site.move-confirm' || other_id !== known.other_id)) {
    throw conflict(`A move of ${domain} could not end: repeat it first`)
  }
  const progress = undecided ? known.progress : leftBy(known)
  await beginMove(db, { site_id, other_id, operation_id, progress })
  const row = await findMove(db, site_id)
  if (!row) throw conflict(`${domain} is not moving`)
  return row
}

/** The server on which a move that ended without its copy may have left it. */
function leftBy(row: MoveRow | undefined): MoveRow['progress'] {
  if (!row || row.moved_at !== null) return {}
  const { left, cleared, receiving } = row.progress
  if (left !== undefined && cleared === undefined) return { left }
  return receiving === undefined ? {} : { left: row.other_id }
}
