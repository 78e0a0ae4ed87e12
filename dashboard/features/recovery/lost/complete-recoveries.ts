import { clientsFor } from '#dashboard/features/access/clients.ts'
import { grantsFor } from '#dashboard/features/access/show-access.ts'
import { findMail } from '#dashboard/features/mail/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { enqueue } from '#dashboard/kernel/engine/enqueue.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { closeRecovery, listOpen, listReturned } from './queries.ts'

/** The pause between two suspensions of a site that an agent does not suspend. */
const PAUSE_MS = 10 * 60_000

type Deps = StartDeps & Pick<CommonDeps, 'log'>
type RestoredSite = Awaited<ReturnType<typeof listOpen>>[number]

/**
 * Completes the restores of sites of lost servers with ordinary operations of the dashboard: their
 * suspension, their mail settings, and their access. Copies on a lost server that answers again are suspended: they must
 * neither serve nor run jobs beside the restored sites.
 */
export async function completeRecoveries(deps: Deps): Promise<void> {
  const since = timestamp(deps.clock, -PAUSE_MS)
  for (const { server, site } of await listReturned(deps.db, since)) {
    const params = { domain: site.domain }
    const work = { type: 'site.suspend', server, site, params, actor: null } as const
    await tryNow(deps, site.domain, () => enqueue(deps, { ...work, wait_for_agent: false }))
  }
  for (const open of await listOpen(deps.db, since))
    await tryNow(deps, open.site.domain, () => completeRecovery(deps, open))
}

async function completeRecovery(
  deps: Deps,
  { server, site, suspended }: RestoredSite,
): Promise<void> {
  const target = { server, site, actor: null }
  const grants = await grantsFor(deps.db, site.id, {})
  const clients = await clientsFor(deps.db, site.id, {})
  if (suspended && site.status === 'active') {
    const { status } = await (await startOperation(deps, 'site.suspend', target, {})).finished
    if (status === 'failed') return
  }
  const mail = await findMail(deps.db, { server_id: server.id, site_id: site.id })
  if (mail) await (await startOperation(deps, 'mail.apply', target, mail.setting)).finished
  if (grants.length + clients.length > 0)
    await startOperation(deps, 'site.access', target, { install: false })
  await closeRecovery(deps.db, site.id)
}

/** Does work that another operation of the site, or an offline server, only delays. */
async function tryNow({ log }: Deps, domain: string, work: () => Promise<unknown>) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) log.error(`${domain} could not be completed`, error)
  }
}
