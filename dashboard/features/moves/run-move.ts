import { z } from 'zod'
import { stagingFor } from '#dashboard/features/copies/staging-access.ts'
import type { Outcome } from '#dashboard/kernel/engine/job.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { reachable } from '#dashboard/kernel/targets/addresses.ts'
import { Accept } from '#shared/kernel/plan.ts'
import { Staging } from '#shared/sites/staging.ts'
import { backedUp, withSource } from './backups.ts'
import { broughtAccess } from './bring-access.ts'
import { cleared, giveUp } from './give-up.ts'
import { frozenSeconds, handOver } from './hand-over.ts'
import { opened } from './open-site.ts'
import { siteOf } from './params.ts'
import { Done, isRefusal } from './parts.ts'
import { switchStatements } from './queries.ts'
import { ended, finalReason, type Session, session } from './session.ts'
import { caughtUp, frozen, refuseUncovered, switchSite } from './switch-site.ts'

const Params = z.object({ server_id: z.number(), accept: Accept.optional() })
const Failure = z.looseObject({ error: z.string() })

/**
 * Copies the site while it serves visitors, freezes it, copies the changes, and makes its server
 * forward all requests. Until that, a failure leaves everything as it was.
 */
export const runMove = session(move, ({ params }) => Params.parse(params).server_id)

function acceptIn(params: unknown) {
  const { accept } = Params.parse(params)
  return accept ? { accept } : {}
}

async function move(session: Session): Promise<Outcome> {
  const { deps, parts, site, here, other } = session
  const known = parts.get('failure', Failure)
  if (known) return giveUp(session, known)
  try {
    if (!parts.has('parting')) await brought(session)
    await handOver(session)
  } catch (error) {
    const reason = finalReason(session, error)
    await parts.keep('failure', reason)
    return giveUp(session, reason)
  }
  await opened(session)
  const access = await broughtAccess(session)
  const seconds = frozenSeconds(session)
  const switched = {
    ...{ site_id: site.id, server_id: other.id, other_id: here.id },
    certificate: parts.get('frozen', z.string()) ?? '',
    moved_at: timestamp(deps.clock),
  }
  const report = { domain: site.domain, server_id: other.id, seconds }
  return ended(session, 'site.move', report, (queries, subject, at) => [
    ...switchStatements(queries, switched),
    ...access(queries, subject, at),
  ])
}

async function brought(session: Session): Promise<void> {
  const backup = await copied(session)
  await caughtUp(session, backup, 'serving')
  await frozen(session)
  await caughtUp(session, backup, 'frozen')
}

/** While the site serves. Returns its backup. */
async function copied(session: Session): Promise<number> {
  const { parts, operation, site, here, other } = session
  const { domain } = site
  const [from, to] = [await reachable(here), await reachable(other)]
  const leaving = { server: here, state: 'leaving', peers: to, challenges: true } as const
  const own = await parts.once('leaving', `Preparing ${here.name}`, z.string(), () =>
    switchSite(session, { id: 'leaving', ...leaving }),
  )
  // The server has just said that it serves the site: no copy is the live site.
  if (parts.has('left')) await cleared(session)
  const backup = await parts.once(
    'backup',
    `Backing up ${domain} on ${here.name}`,
    z.number(),
    () => backedUp(session, operation.created_at),
  )
  const title = `Copying ${domain} to ${other.name}`
  const certificate = await parts.once('certificate', title, z.string(), async () => {
    const staging = await stagingOf(session)
    const params = { ...siteOf(site), ...staging, peers: from, ...acceptIn(operation.params) }
    const call = { id: 'receive', server: other, command: 'site.receive' } as const
    await parts.keep('receiving', true)
    try {
      const received = await withSource(session, backup, other, (source) =>
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

/** Recorded: the agent gets the same params with each delivery. */
async function stagingOf({ deps, parts, site }: Session): Promise<{ staging?: Staging }> {
  if (!site.staging) return {}
  const known = parts.get('staging', Staging)
  if (known) return { staging: known }
  const staging = await stagingFor(deps, site)
  await parts.keep('staging', staging)
  return { staging }
}
