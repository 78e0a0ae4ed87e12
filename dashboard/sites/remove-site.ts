import { newOperation } from '#dashboard/operations/begin.ts'
import { type StartDeps, startOrPlan } from '#dashboard/operations/start.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import { findAgent } from '#dashboard/trust/queries.ts'
import type { Plan } from '#shared/plan.ts'
import { deleteUnreached, wasReached } from './queries.ts'

/**
 * Moves the site to the trash of its server, in the background. A record that never reached a server
 * that never answered and is not enrolled is removed at once. 409 while another operation of the site
 * is running.
 */
export async function removeSite(
  deps: StartDeps,
  target: SiteTarget,
  { dry_run }: { dry_run: boolean },
): Promise<{ operation_id: string } | { plan: Plan }> {
  if (!(await isUnreached(deps, target)))
    return startOrPlan(deps, 'site.delete', target, { dry_run })
  if (dry_run) return { plan: { steps: [] } }
  const { site } = target
  const params = { domain: site.domain }
  const operation = newOperation(deps, {
    type: 'site.delete',
    ...target,
    params,
    wait_for_agent: true,
  })
  await deleteUnreached(deps.db, site, operation)
  deps.worker.cancel((job) => job.site_id === site.id)
  return { operation_id: operation.id }
}

/** An agent that is enrolled may have made the site already, with only its answer lost. */
async function isUnreached({ db }: StartDeps, { server, site }: SiteTarget): Promise<boolean> {
  if (server.status !== 'pending' || (await wasReached(db, site.id))) return false
  return (await findAgent(db, server.id)) === undefined
}
