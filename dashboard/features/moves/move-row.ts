import { z } from 'zod'
import { keepPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { OperationRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { findMove, type MoveRow } from '#dashboard/kernel/targets/moves.queries.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { isCopyDeleted, isNotForwarding, isUndecided, retryCountOf } from './move-state.ts'
import { insertMove } from './queries.ts'

type MoveProgress = Pick<MoveRow, 'progress'>

/** The servers on which earlier moves may have left a copy. */
export const LeftCopies = z.array(z.number())

/**
 * Returns the row of an operation. A new one continues what an earlier one could not decide, and
 * otherwise begins with the removal of the copy that an earlier one may have left. One without a
 * user only ends what an earlier one has left. Throws conflict without a move, if it would undo what may
 * be decided, and with `policy_broken` for a server where the site breaks the access policy.
 */
export async function moveRowOf(
  records: MarkedRecords,
  { id: operation_id, type, actor }: Pick<OperationRow, 'id' | 'type' | 'actor'>,
  { id: site_id, domain }: Pick<SiteRow, 'id' | 'domain'>,
  requested: number | undefined,
): Promise<MoveRow> {
  const { db } = records
  const known = await findMove(db, site_id)
  if (known?.operation_id === operation_id) return known
  const other_id = requested ?? known?.other_id
  const isMissing = other_id === undefined || (actor === null && !known)
  if (isMissing) throw conflict(`${domain} is not moving`)
  refuseLost({ type, other_id, domain }, known)
  const undecided = known && isUndecided(known)
  const next = undecided ? progressOfRepeat(known) : progressAfter(known)
  const progress = actor === null && known ? progressOfRetry(known, next) : next
  const move = { site_id, other_id, operation_id, progress }
  await keepPolicy(records, { site: { site_id, server_id: other_id } }, (guard) =>
    insertMove(db, move, guard),
  )
  const row = await findMove(db, site_id)
  if (!row) throw conflict(`${domain} is not moving`)
  return row
}

interface RequestedMove {
  type: OperationRow['type']
  other_id: number
  domain: string
}

/** Throws conflict for an operation that would lose what an earlier one may have done. */
function refuseLost({ type, other_id, domain }: RequestedMove, known: MoveRow | undefined): void {
  if (type === 'site.move' && known && known.moved_at !== null) {
    throw conflict(`${domain} has moved before: confirm that move, or move the site back`)
  }
  if (type === 'site.move-back') refuseDeleted(known, domain)
  if (!known || !isUndecided(known)) return
  if (type !== 'site.move-confirm' && other_id === known.other_id) return
  throw conflict(`A move of ${domain} has not ended: retry it first`)
}

/** Throws conflict for a move that a confirmation has ended in part. */
export function refuseDeleted(known: MoveProgress | undefined, domain: string): void {
  if (known && isCopyDeleted(known))
    throw conflict(`The copy of ${domain} is deleted: confirm the move first`)
}

/** Returns the progress of a repeated operation, whose calls are new ones. */
const progressOfRepeat = ({ progress }: MoveProgress): MoveRow['progress'] => ({
  ...progress,
  parting: true,
  failure: undefined,
  tries: undefined,
  repeats: undefined,
})

/** Returns the progress of a retry without a user, which moves no site of its own. */
function progressOfRetry(known: MoveRow, next: MoveRow['progress']): MoveRow['progress'] {
  const repeats = retryCountOf(known) + 1
  if (isUndecided(known)) return { ...next, repeats }
  return { ...known.progress, failure: known.progress.failure ?? NOT_ENDED, repeats }
}

const NOT_ENDED = { error: 'Conflict', message: 'The move did not end' }

const progressAfter = (known: MoveRow | undefined): MoveRow['progress'] => ({
  ...leftCopiesOf(known),
  ...(known && isCopyDeleted(known) && { deleted: known.progress.deleted }),
  ...(known && isNotForwarding(known) && { returning: true, astray: true }),
})

function leftCopiesOf(row: MoveRow | undefined): MoveRow['progress'] {
  const all = row && row.moved_at === null ? copiesOf(row) : []
  return all.length === 0 ? {} : { left: all }
}

/** Returns the servers on which a move, and those before it, may have left a copy. */
export function copiesOf(row: MoveRow): number[] {
  const { left, cleared, receiving, removed } = row.progress
  if (row.moved_at !== null) return isCopyDeleted(row) ? [] : [row.other_id]
  const earlier = cleared === undefined ? (LeftCopies.safeParse(left).data ?? []) : []
  const own = receiving === undefined || removed !== undefined ? [] : [row.other_id]
  return [...new Set([...earlier, ...own])]
}
