import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow, SiteRow } from '#dashboard/db/rows.ts'
import { getServer } from '#dashboard/servers/queries.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { conflict, notManaged } from '#shared/errors.ts'
import type { Plan } from '#shared/plan.ts'
import { type BeginDeps, newOperation } from '../begin.ts'
import { type PlanDeps, planOf } from '../plan.ts'
import { getOperation, getView, insertOperation } from '../queries.ts'
import { getSiteById, siteStatements } from './queries.ts'

/**
 * The same once more, as an operation of its own. 404 when its server or site is gone, 409 when it
 * has not failed, or another one of the site is under way.
 */
export async function retryOperation(
  deps: BeginDeps,
  id: string,
  actor: number,
): Promise<OperationView> {
  const { type, params, server, site, site_id } = await getRetryable(deps.db, id)
  const patient = type !== 'server.sync'
  const wanted = { type, server, params, actor, patient, retry_of: id, ...(site ? { site } : {}) }
  const operation = newOperation(deps, wanted)
  const row = await insertOperation(deps.db, operation, site_id, (queries) =>
    site_id === null ? [] : siteStatements(queries, type, site_id),
  )
  deps.worker.start(row)
  return getView(deps.db, row.id)
}

/** What the same once more would do: nothing is changed by looking. */
export async function planRetry(deps: PlanDeps, id: string): Promise<{ plan: Plan }> {
  const { type, params, server, site } = await getRetryable(deps.db, id)
  if (type === 'server.sync' || type === 'site.scan') return { plan: { steps: [] } }
  return planOf(deps, { type, server, params, ...(site ? { site } : {}) })
}

async function getRetryable(db: Database, id: string) {
  const first = await getOperation(db, id)
  const { type, params, site_id } = first
  const server = await getServer(db, first.server_id)
  const site = site_id === null ? undefined : await getSiteById(db, site_id)
  refuseUnlessFailed(first, site)
  return { type, params, server, site, site_id }
}

function refuseUnlessFailed({ type, status }: OperationRow, site: SiteRow | undefined): void {
  if (status === 'success') throw conflict('The operation succeeded')
  if (status !== 'failed' && status !== 'cancelled') throw conflict('The operation is under way')
  if (site) refuseUnfit(type, site)
}

/**
 * 409 for a site that the operation is not for: one that is there is not made, one in the trash not
 * changed, and one that was only found is read and no more.
 */
export function refuseUnfit(type: OperationRow['type'], { found, status, domain }: SiteRow): void {
  if (found && status !== 'trashed' && type !== 'site.scan') throw notManaged(domain)
  if (type === 'site.create' && status !== 'failed' && status !== 'cancelled')
    throw conflict('The site is there already')
  const leaves = type === 'site.restore' || type === 'site.purge'
  if (leaves && status !== 'trashed') throw conflict(`${domain} is not in the trash`)
  if (!leaves && status === 'trashed')
    throw conflict(`${domain} is in the trash: restore or purge it`)
}
