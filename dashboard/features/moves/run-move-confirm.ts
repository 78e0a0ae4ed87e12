import { z } from 'zod'
import type { Queries } from '#dashboard/kernel/db/client.ts'
import type { Outcome } from '#dashboard/kernel/engine/operation-handle.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Done } from './move-parts.ts'
import { endWithSuccess, type MoveSession, withSession } from './move-session.ts'
import { endStatements, isLost } from './queries.ts'
import { switchSite } from './switch-site.ts'
import { listStatements, resultUnlessGone, trashedCopyRow } from './trashed-copy.ts'

/** The size of the deleted copy, or Done when an earlier operation has deleted it. */
const DeletedCopy = z.union([z.number(), Done])

/** Confirms a move: the former copy goes to the trash of its server, which stops forwarding. */
export const runMoveConfirm = withSession(confirm)

async function confirm(session: MoveSession): Promise<Outcome> {
  const { deps, operation, parts, site, here, other } = session
  const { domain } = site
  // Ends only what a user has started: after a cancelled confirmation, DNS may point elsewhere.
  if (operation.actor === null && !parts.has('deleted'))
    throw conflict('Only a user can confirm a move')
  const title = `Moving the copy on ${other.name} to the trash`
  const is_lost = await isLost(deps.db, other.id)
  const size = await parts.once('deleted', title, DeletedCopy, async () => {
    if (is_lost) {
      await parts.log(`Warning: ${other.name} is lost, and with it the copy of ${domain}`)
      return true
    }
    const params = { domain, copy: true }
    const call = { id: 'delete', server: other, command: 'site.delete', params } as const
    return (await resultUnlessGone(parts.call(call)))?.size ?? true
  })
  await parts.finally('settled', `Serving ${domain} for visitors only`, Done, async () => {
    await switchSite(session, { id: 'settled', server: here, state: 'settled' })
    return true
  })
  // A copy that is not listed would be forgotten.
  const copy = is_lost
    ? undefined
    : await trashedCopyRow(session, other, size === true ? undefined : size)
  const change = (queries: Queries) => [
    ...endStatements(queries, site.id),
    ...listStatements(queries, copy),
  ]
  return endWithSuccess(session, 'site.move-confirm', { domain }, change)
}
