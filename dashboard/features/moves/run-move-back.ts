import { z } from 'zod'
import type { Outcome } from '#dashboard/kernel/engine/operation-handle.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { requireAddresses } from '#dashboard/kernel/targets/addresses.ts'
import type { ErrorBody } from '#shared/kernel/errors.ts'
import { copyAccess } from './copy-access.ts'
import { copyMail } from './copy-mail.ts'
import { forwardRequests, frozenSeconds } from './forward-requests.ts'
import { backUpSite } from './move-backup.ts'
import { Done } from './move-parts.ts'
import {
  endWithFailure,
  endWithSuccess,
  finalReason,
  type MoveSession,
  withSession,
} from './move-session.ts'
import { openOnNewServer } from './open-site.ts'
import { switchStatements } from './queries.ts'
import { copyChanges, freezeSite, refuseUncovered, switchSite } from './switch-site.ts'

const Params = z.object({ discard_changes: z.boolean() })
const Failure = z.looseObject({ error: z.string() })

/** Moves a site back: its copy gets the changes, and the two servers change places. */
export const runMoveBack = withSession(moveBack)

async function moveBack(session: MoveSession): Promise<Outcome> {
  const { deps, operation, parts, site, here, other } = session
  const known = parts.get('failure', Failure)
  if (known) return endWithoutMove(session, known)
  try {
    if (!parts.has('parting')) await copyBack(session, Params.parse(operation.params))
    await forwardRequests(session)
  } catch (error) {
    const reason = finalReason(session, error)
    await parts.keep('failure', reason)
    return endWithoutMove(session, reason)
  }
  await openOnNewServer(session)
  await copyMail(session)
  const access = await copyAccess(session)
  const switched = {
    site_id: site.id,
    server_id: other.id,
    other_id: here.id,
    certificate: parts.get('frozen', z.string()) ?? '',
    moved_at: timestamp(deps.clock),
  }
  const report = { domain: site.domain, server_id: other.id, seconds: frozenSeconds(session) }
  return endWithSuccess(session, 'site.move-back', report, (queries, subject, at) => [
    ...switchStatements(queries, switched),
    ...access(queries, subject, at),
  ])
}

async function copyBack(
  session: MoveSession,
  { discard_changes }: z.infer<typeof Params>,
): Promise<void> {
  const { operation, parts, site, here, other } = session
  if (parts.has('astray')) await parts.once('straight', ...forwardingPart(session, 'straight'))
  const own = await openWayBack(session)
  // The copy stays as it was before the move.
  const backup = discard_changes
    ? undefined
    : await parts.once('backup', `Backing up ${site.domain} on ${here.name}`, z.number(), () =>
        backUpSite(session, operation.created_at),
      )
  if (backup !== undefined) await copyChanges(session, backup, 'serving', { settings: true })
  await prepareSite(session, own)
  await freezeSite(session)
  if (backup !== undefined) await copyChanges(session, backup, 'frozen')
  await parts.once('arriving', `Starting ${site.domain} on ${other.name}`, Done, async () => {
    const peers = await requireAddresses(here)
    await switchSite(session, { id: 'arriving', server: other, state: 'arriving', peers })
    return true
  })
}

/**
 * Lets the copy keep the challenges of the site before the site forwards them to it: requests never
 * go in a circle. Returns the certificate of the site.
 */
async function openWayBack(session: MoveSession): Promise<string> {
  const { parts, here, other } = session
  if (!parts.has('returning')) await parts.keep('returning', true)
  await parts.once('copy', `Preparing the copy on ${other.name}`, z.string(), async () => {
    const peers = await requireAddresses(here)
    return switchSite(session, { id: 'copy', server: other, state: 'returning', peers })
  })
  return parts.once('leaving', `Preparing ${here.name}`, z.string(), () =>
    freezeAndForward(session, { id: 'leaving' }),
  )
}

/** Prepares the site with the names that it has now. */
async function prepareSite(session: MoveSession, own: string): Promise<void> {
  const { parts, site, here, other } = session
  const title = `Checking the certificate of ${site.domain} on ${other.name}`
  const certificate = await parts.once('certificate', title, z.string(), async () => {
    const state = {
      state: 'returning',
      peers: await requireAddresses(here),
      certificate: own,
    } as const
    return switchSite(session, { id: 'returning', server: other, ...state })
  })
  refuseUncovered(session, own, certificate)
  await parts.once('way', `Preparing the forwarding to ${other.name}`, Done, async () => {
    await freezeAndForward(session, { id: 'way', certificate })
    return true
  })
}

async function freezeAndForward(
  session: MoveSession,
  way: { id: string; certificate?: string },
): Promise<string> {
  const { here, other } = session
  const peers = await requireAddresses(other)
  return switchSite(session, { server: here, state: 'leaving', peers, challenges: true, ...way })
}

/** Ends without a move: the site stays, and the other server only forwards to it. */
async function endWithoutMove(session: MoveSession, reason: ErrorBody): Promise<Outcome> {
  const { parts, site, here, other } = session
  await parts.finally('stay', `Serving ${site.domain} as before`, Done, async () => {
    const peers = await requireAddresses(other)
    await switchSite(session, { id: 'stay', server: here, state: 'arrived', peers })
    return true
  })
  if (parts.has('returning')) await parts.finally('forward', ...forwardingPart(session, 'forward'))
  return endWithFailure(session, reason)
}

/** The part after which the other server only forwards, also if it was started again before. */
function forwardingPart(
  session: MoveSession,
  id: string,
): [string, typeof Done, () => Promise<true>] {
  const { parts, here, other } = session
  const forward = async (): Promise<true> => {
    const peers = await requireAddresses(here)
    const certificate = parts.get('leaving', z.string()) ?? ''
    const way = { peers, challenges: true, certificate }
    await switchSite(session, { id, server: other, state: 'parted', ...way })
    return true
  }
  return [`Forwarding from ${other.name} as before`, Done, forward]
}
