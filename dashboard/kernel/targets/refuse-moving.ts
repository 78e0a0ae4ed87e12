import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { findMove } from './moves.queries.ts'

/** Throws 409 while another server forwards to the site. */
export async function refuseMoving(
  { db }: { db: Database },
  { id, domain }: SiteRow,
): Promise<void> {
  const move = await findMove(db, id)
  if (!move) return
  if (move.moved_at === null) {
    throw conflict(`A move of ${domain} has not ended: retry it before you delete the site`)
  }
  throw conflict(
    `${domain} has moved: confirm the move, or move the site back, before you delete it`,
  )
}
