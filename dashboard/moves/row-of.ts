import { z } from 'zod'
import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow, SiteRow } from '#dashboard/db/rows.ts'
import { conflict } from '#shared/errors.ts'
import { beginMove, findMove, type MoveRow } from './queries.ts'

type Progress = Pick<MoveRow, 'progress'>

/**
 * Whether its last operation ended without knowing which of the two servers has the site. A server
 * that serves it as before has said so.
 */
export const isUndecided = ({ progress: { parting, settled, stay } }: Progress): boolean =>
  parting !== undefined && settled === undefined && stay === undefined

/** The servers on which earlier moves may have left a copy; older records have one. */
export const Left = z.union([z.number().transform((id) => [id]), z.array(z.number())])

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
  if (type === 'site.move' && known && known.moved_at !== null) {
    throw conflict(`${domain} has moved before: confirm that move, or move the site back`)
  }
  const undecided = known && isUndecided(known)
  if (undecided && (type === 'site.move-confirm' || other_id !== known.other_id)) {
    throw conflict(`A move of ${domain} could not end: repeat it first`)
  }
  const progress = undecided ? repeatedBy(known) : leftBy(known)
  await beginMove(db, { site_id, other_id, operation_id, progress })
  const row = await findMove(db, site_id)
  if (!row) throw conflict(`${domain} is not moving`)
  return row
}

/** Its calls are new ones: nothing of the earlier calls that have no result counts. */
const repeatedBy = ({ progress }: Progress): MoveRow['progress'] => ({
  ...progress,
  ...{ parting: true, failure: undefined, tries: undefined },
})

/** The servers on which moves that ended without their copies may have left them. */
function leftBy(row: MoveRow | undefined): MoveRow['progress'] {
  if (!row || row.moved_at !== null) return {}
  const { left, cleared, receiving, removed } = row.progress
  const earlier = cleared === undefined ? (Left.safeParse(left).data ?? []) : []
  const own = receiving === undefined || removed !== undefined ? [] : [row.other_id]
  const all = [...new Set([...earlier, ...own])]
  return all.length === 0 ? {} : { left: all }
}
