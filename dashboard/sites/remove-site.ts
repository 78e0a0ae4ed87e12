import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, newOperation } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { findAgent } from '#dashboard/trust/queries.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Plan } from '#shared/plan.ts'
import { deleteUnreached, insertTransition, wasReached } from './queries.ts'

/**
 * Moves the site to the trash of its server, in the background. A record that never reached a server
 * that never answered and is not enrolled is removed at once. 409 while another operation of the site is under way.
 */
export async function removeSite(deps: BeginDeps, server: ServerRow, site: SiteRow, actor: number) {
  const operation = newOperation(deps, {
    type: 'site.delete',
    server,
    site,
    params: { domain: site.domain },
    actor,
    patient: true,
  })
  if (await isUnreached(deps, server, site)) {
    await deleteUnreached(deps.db, site, operation)
    deps.worker.cancel((job) => job.site_id === site.id)
  } else deps.worker.start(await insertTransition(deps.db, site, 'deleting', operation))
  const { id, domain } = site
  return { site: { id, domain, status: 'deleting' as const }, operation_id: operation.id }
}

/** Nothing, for a site that is on no server or that the agent does not know. */
export async function planRemoval(
  deps: PlanDeps,
  server: ServerRow,
  site: SiteRow,
): Promise<{ plan: Plan }> {
  const nothing = { plan: { steps: [] } }
  if (await isUnreached(deps, server, site)) return nothing
  const params = { domain: site.domain }
  return planOf(deps, { type: 'site.delete', server, site, params }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'not_found') return nothing
    throw error
  })
}

/** An agent that is enrolled may have made the site already, with only its answer lost. */
async function isUnreached({ db }: Pick<PlanDeps, 'db'>, server: ServerRow, site: SiteRow) {
  if (server.status !== 'pending' || (await wasReached(db, site.id))) return false
  return (await findAgent(db, server.id)) === undefined
}
