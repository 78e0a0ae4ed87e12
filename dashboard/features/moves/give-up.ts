import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { sendCancelRequest } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import type { Outcome } from '#dashboard/kernel/engine/job.ts'
import { type ErrorBody, isCancelled, messageOf, ServiceError } from '#shared/kernel/errors.ts'
import { Done, isRefusal } from './parts.ts'
import { endMove, findServer } from './queries.ts'
import { Left } from './row-of.ts'
import { failed, type Session } from './session.ts'
import { switchSite } from './switch-site.ts'
import { deletedRow, listed, trashedCopy, unlessGone, unlisted } from './trashed-copy.ts'

/** The site serves as before, and the other server has nothing of it. */
export async function giveUp(session: Session, reason: ErrorBody): Promise<Outcome> {
  const { deps, operation, parts, site, here, other } = session
  const { domain } = site
  await parts.finally('settled', `Serving ${domain} as before`, Done, async () => {
    await switchSite(session, { id: 'settled', server: here, state: 'settled' })
    return true
  })
  if (parts.has('receiving')) {
    await parts.finally('removed', `Removing the copy on ${other.name}`, Done, async () => {
      // Its agent may still be making the copy.
      const receiving = { id: `${operation.id}-receive`, cancel: 'forced' } as const
      if (!parts.has('received')) await sendCancelRequest(deps, other, receiving)
      return removeCopy(session, other, '')
    })
  }
  // Otherwise no later move would remove the copies of earlier ones.
  if (operation.actor === null) await cleared(session)
  if (!parts.has('left')) await endMove(deps.db, site.id)
  return failed(session, reason)
}

/**
 * The copies that earlier moves could not remove, because their servers were unreachable. Only the
 * server to which the site moves now must answer.
 */
export async function cleared(session: Session): Promise<void> {
  const { deps, parts, here } = session
  const all = parts.get('left', Left) ?? []
  const still: number[] = []
  for (const id of all) {
    const server = id === here.id ? undefined : await findServer(deps.db, id)
    if (server && !(await isCleared(session, server))) still.push(id)
  }
  await parts.keep('left', still.length === 0 ? undefined : still)
}

async function isCleared(session: Session, server: ServerRow): Promise<boolean> {
  const { parts, context, other } = session
  const title = `Removing the copy that an earlier move left on ${server.name}`
  try {
    await parts.once(`cleared-${server.id}`, title, Done, () =>
      removeCopy(session, server, `left-${server.id}-`),
    )
    return true
  } catch (error) {
    const isFinal = !(error instanceof ServiceError) || isCancelled(error.body)
    if (isFinal || context.signal.aborted || server.id === other.id) throw error
    await parts.log(`Warning: the copy on ${server.name} stays: ${messageOf(error)}`)
    return false
  }
}

/** Nothing but the copy: the server may have got another site of this name. */
async function removeCopy(
  session: Session,
  server: ServerRow,
  prefix: '' | `left-${number}-`,
): Promise<true> {
  const { deps, parts, site, context } = session
  const { domain } = site
  const deletion = { server, command: 'site.delete', params: { domain, copy: true } } as const
  const deleted = await unlessGone(parts.call({ id: `${prefix}delete`, ...deletion }))
  if (!deleted) {
    // An earlier operation may have deleted it, and not permanently.
    const kept = trashedCopy(session, server, undefined).catch(() => undefined)
    await listed(deps.db, await kept)
    return true
  }
  try {
    // The copy was deleted just now.
    const params = { domain, confirm: domain, trashed_days: 0 }
    const purge = { server, command: 'site.purge', params } as const
    await unlessGone(parts.call({ id: `${prefix}purge`, ...purge }))
    await unlisted(session, server)
  } catch (error) {
    if (context.signal.aborted) throw error
    await listed(deps.db, deletedRow(session, server, deleted.size))
    if (!isRefusal(error)) throw error
    await parts.log(`Warning: the copy stays in the trash of ${server.name}: ${messageOf(error)}`)
  }
  return true
}
