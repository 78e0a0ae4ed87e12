import { z } from 'zod'
import type { Outcome } from '#dashboard/operations/job.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { reachable } from '#dashboard/targets/addresses.ts'
import type { ErrorBody } from '#shared/errors.ts'
import { backedUp } from './backups.ts'
import { broughtAccess } from './bring-access.ts'
import { frozenSeconds, handOver } from './hand-over.ts'
import { Done } from './parts.ts'
import { switchStatements } from './queries.ts'
import { ended, failed, finalReason, type Session, session } from './session.ts'
import { caughtUp, frozen, switchSite } from './switch-site.ts'

const Params = z.object({ discard_changes: z.boolean() })
const Failure = z.looseObject({ error: z.string() })

/** The same way back: the copy that only forwards catches up, and the two servers change places. */
export const runMoveBack = session(moveBack)

async function moveBack(session: Session): Promise<Outcome> {
  const { deps, operation, parts, site, here, other } = session
  const known = parts.get('failure', Failure)
  if (known) return stay(session, known)
  try {
    await broughtBack(session, Params.parse(operation.params))
  } catch (error) {
    const reason = finalReason(session, error)
    await parts.keep('failure', reason)
    return stay(session, reason)
  }
  await parts.once('open', `Opening ${site.domain} on ${other.name}`, Done, async () => {
    const peers = await reachable(here)
    await switchSite(session, { id: 'arrived', server: other, state: 'arrived', peers })
    return true
  })
  const access = await broughtAccess(session)
  const switched = {
    ...{ site_id: site.id, server_id: other.id, other_id: here.id },
    certificate: parts.get('frozen', z.string()) ?? '',
    moved_at: timestamp(deps.clock),
  }
  const report = { domain: site.domain, server_id: other.id, seconds: frozenSeconds(session) }
  return ended(session, 'site.move-back', report, (queries, subject, at) => [
    ...switchStatements(queries, switched),
    ...access(queries, subject, at),
  ])
}

async function broughtBack(
  session: Session,
  { discard_changes }: z.infer<typeof Params>,
): Promise<void> {
  const { operation, parts, site, here, other, row } = session
  // The copy stays as it was before the move until the site is frozen.
  const backup = discard_changes
    ? undefined
    : await parts.once('backup', `Backing up ${site.domain} on ${here.name}`, z.number(), () =>
        backedUp(session, operation.created_at),
      )
  await frozen(session)
  if (backup !== undefined) await caughtUp(session, backup, 'frozen')
  await parts.once('arriving', `Starting ${site.domain} on ${other.name}`, Done, async () => {
    const peers = await reachable(here)
    await switchSite(session, { id: 'arriving', server: other, state: 'arriving', peers })
    return true
  })
  await handOver(session, { challenges: true, certificate: row.certificate })
}

/** The site stays where it is, and the other server forwards again. */
async function stay(session: Session, reason: ErrorBody): Promise<Outcome> {
  const { parts, site, here, other } = session
  await parts.finally('thaw', `Serving ${site.domain} as before`, Done, async () => {
    await switchSite(session, { id: 'thaw', server: here, state: 'thawed' })
    return true
  })
  if (parts.has('arriving')) {
    await parts.finally('forward', `Forwarding from ${other.name} again`, Done, async () => {
      const peers = await reachable(here)
      const way = { peers, challenges: true, certificate: parts.get('frozen', z.string()) ?? '' }
      await switchSite(session, { id: 'forward', server: other, state: 'parted', ...way })
      return true
    })
  }
  return failed(session, reason)
}
