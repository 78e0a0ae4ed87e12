import { z } from 'zod'
import { stagingParams } from '#dashboard/features/copies/staging-access.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { sendCancelRequest } from '#dashboard/kernel/engine/cancel/cancel-request.ts'
import type { Outcome } from '#dashboard/kernel/engine/operation-handle.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { requireAddresses } from '#dashboard/kernel/targets/addresses.ts'
import {
  conflict,
  type ErrorBody,
  isCancelled,
  messageOf,
  ServiceError,
} from '#shared/kernel/errors.ts'
import { Accept } from '#shared/kernel/plan.ts'
import { Staging } from '#shared/sites/staging.ts'
import { copyAccess } from './copy-access.ts'
import { copyMail } from './copy-mail.ts'
import { forwardRequests, frozenSeconds } from './forward-requests.ts'
import { backUpSite, withBackupSource } from './move-backup.ts'
import { Done, isRefusal } from './move-parts.ts'
import { LeftCopies } from './move-row.ts'
import {
  endWithFailure,
  endWithSuccess,
  finalReason,
  type MoveSession,
  withSession,
} from './move-session.ts'
import { openOnNewServer } from './open-site.ts'
import { moveSiteParams } from './params.ts'
import { deleteMove, findServer, isLost, switchStatements } from './queries.ts'
import { copyChanges, freezeSite, refuseUncovered, switchSite } from './switch-site.ts'
import {
  deletedRow,
  recordTrashedCopy,
  removeTrashedCopy,
  resultUnlessGone,
  trashedCopyRow,
} from './trashed-copy.ts'

const Params = z.object({ server_id: z.number(), accept: Accept.optional() })
const Failure = z.looseObject({ error: z.string() })

/**
 * Copies the site while it serves visitors, freezes it, copies the changes, and makes its server
 * forward all requests. Until that, a failure leaves everything as it was.
 */
export const runMove = withSession(move, ({ params }) => Params.parse(params).server_id)

function acceptIn(params: unknown) {
  const { accept } = Params.parse(params)
  return accept ? { accept } : {}
}

async function move(session: MoveSession): Promise<Outcome> {
  const { deps, parts, site, here, other } = session
  const known = parts.get('failure', Failure)
  if (known) return giveUp(session, known)
  if (await isLost(deps.db, session.other.id))
    return giveUp(session, conflict(`${session.other.name} was declared lost`).body)
  try {
    if (!parts.has('parting')) await copySite(session)
    await forwardRequests(session)
  } catch (error) {
    const reason = finalReason(session, error)
    await parts.keep('failure', reason)
    return giveUp(session, reason)
  }
  await openOnNewServer(session)
  const access = await copyAccess(session)
  const seconds = frozenSeconds(session)
  const switched = {
    site_id: site.id,
    server_id: other.id,
    other_id: here.id,
    certificate: parts.get('frozen', z.string()) ?? '',
    moved_at: timestamp(deps.clock),
  }
  const report = { domain: site.domain, server_id: other.id, seconds }
  return endWithSuccess(session, 'site.move', report, (queries, subject, at) => [
    ...switchStatements(queries, switched),
    ...access(queries, subject, at),
  ])
}

async function copySite(session: MoveSession): Promise<void> {
  const backup = await copyWhileServing(session)
  await copyMail(session)
  await copyChanges(session, backup, 'serving')
  await freezeSite(session)
  await copyChanges(session, backup, 'frozen')
}

/** Copies the site while it serves visitors, and returns its backup. */
async function copyWhileServing(session: MoveSession): Promise<number> {
  const { parts, operation, site, here, other } = session
  const { domain } = site
  const [from, to] = [await requireAddresses(here), await requireAddresses(other)]
  const leaving = { server: here, state: 'leaving', peers: to, challenges: true } as const
  const own = await parts.once('leaving', `Preparing ${here.name}`, z.string(), () =>
    switchSite(session, { id: 'leaving', ...leaving }),
  )
  // The server has just said that it serves the site: no copy is the live site.
  if (parts.has('left')) await removeLeftCopies(session)
  const backup = await parts.once(
    'backup',
    `Backing up ${domain} on ${here.name}`,
    z.number(),
    () => backUpSite(session, operation.created_at),
  )
  const title = `Copying ${domain} to ${other.name}`
  const certificate = await parts.once('certificate', title, z.string(), async () => {
    const staging = await stagingOf(session)
    const params = {
      ...moveSiteParams(site),
      ...staging,
      peers: from,
      ...acceptIn(operation.params),
    }
    const call = { id: 'receive', server: other, command: 'site.receive' } as const
    await parts.keep('receiving', true)
    try {
      const received = await withBackupSource(session, backup, other, (source) =>
        parts.call({ ...call, params: { ...params, from: { kind: 'backup', ...source } } }),
      )
      return received.certificate
    } catch (error) {
      if (isRefusal(error)) await parts.keep('receiving', undefined)
      throw error
    }
  })
  await parts.keep('received', true)
  refuseUncovered(session, own, certificate)
  await parts.once('way', `Preparing the forwarding to ${other.name}`, Done, async () => {
    await switchSite(session, { id: 'way', ...leaving, certificate })
    return true
  })
  return backup
}

/** Returns the recorded params of a staging site, which are the same in each attempt. */
async function stagingOf({ deps, parts, site }: MoveSession): Promise<{ staging?: Staging }> {
  if (!site.staging) return {}
  const known = parts.get('staging', Staging)
  if (known) return { staging: known }
  const staging = await stagingParams(deps, site)
  await parts.keep('staging', staging)
  return { staging }
}

/** Gives the move up: the site serves as before, and the other server has nothing of it. */
async function giveUp(session: MoveSession, reason: ErrorBody): Promise<Outcome> {
  const { deps, operation, parts, site, here, other } = session
  const { domain } = site
  const is_lost = await isLost(deps.db, other.id)
  await parts.finally('settled', `Serving ${domain} as before`, Done, async () => {
    if (is_lost) await stopForwarding(session)
    await switchSite(session, { id: 'settled', server: here, state: 'settled' })
    return true
  })
  if (parts.has('receiving') && !is_lost) {
    await parts.finally('removed', `Removing the copy on ${other.name}`, Done, async () => {
      // Its agent may still be making the copy.
      const receiving = { id: `${operation.id}-receive`, cancel: 'forced' } as const
      if (!parts.has('received')) await sendCancelRequest(deps, other, receiving)
      return removeCopy(session, other, '')
    })
  }
  // Otherwise no later move would remove the copies of earlier ones.
  if (operation.actor === null) await removeLeftCopies(session)
  if (!parts.has('left')) await deleteMove(deps.db, site.id)
  return endWithFailure(session, reason)
}

/**
 * Starts the site again where an undecided move may have left it forwarding to a server that is
 * lost. A site that does not forward refuses that.
 */
async function stopForwarding(session: MoveSession): Promise<void> {
  const { parts, here } = session
  if (!parts.has('parting')) return
  // The name of a lost server may lead nowhere, and nothing forwards to this one.
  const peers = await requireAddresses(here)
  const arriving = { id: 'return', server: here, state: 'arriving', peers } as const
  await switchSite(session, arriving).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
  })
}

/**
 * Removes the copies that earlier moves could not remove, because their servers were unreachable.
 * Only the server to which the site moves now must answer.
 */
async function removeLeftCopies(session: MoveSession): Promise<void> {
  const { deps, parts, here } = session
  const all = parts.get('left', LeftCopies) ?? []
  const still: number[] = []
  for (const id of all) {
    const isGone = id === here.id || (await isLost(deps.db, id))
    const server = isGone ? undefined : await findServer(deps.db, id)
    if (server && !(await isCopyRemoved(session, server))) still.push(id)
  }
  await parts.keep('left', still.length === 0 ? undefined : still)
}

async function isCopyRemoved(session: MoveSession, server: ServerRow): Promise<boolean> {
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

/** Removes nothing but the copy: the server may have got another site of this name. */
async function removeCopy(
  session: MoveSession,
  server: ServerRow,
  prefix: '' | `left-${number}-`,
): Promise<true> {
  const { deps, parts, site, context } = session
  const { domain } = site
  const deletion = { server, command: 'site.delete', params: { domain, copy: true } } as const
  const deleted = await resultUnlessGone(parts.call({ id: `${prefix}delete`, ...deletion }))
  if (!deleted) {
    // An earlier operation may have deleted it, and not permanently.
    const kept = trashedCopyRow(session, server, undefined).catch(() => undefined)
    await recordTrashedCopy(deps.db, await kept)
    return true
  }
  try {
    // The copy was deleted just now.
    const params = { domain, confirm: domain, trashed_days: 0 }
    const purge = { server, command: 'site.purge', params } as const
    await resultUnlessGone(parts.call({ id: `${prefix}purge`, ...purge }))
    await removeTrashedCopy(session, server)
  } catch (error) {
    if (context.signal.aborted) throw error
    await recordTrashedCopy(deps.db, deletedRow(session, server, deleted.size))
    if (!isRefusal(error)) throw error
    await parts.log(`Warning: the copy stays in the trash of ${server.name}: ${messageOf(error)}`)
  }
  return true
}
