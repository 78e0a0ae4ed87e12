import type { z } from 'zod'
import { newOperation } from '#dashboard/kernel/engine/enqueue.ts'
import { type StartDeps, startOrPlan } from '#dashboard/kernel/engine/start-operation.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import { findAgent } from '#dashboard/kernel/trust/queries.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { DeleteSite } from '#shared/sites/api/sites.ts'
import { deleteUnreached, hasReachedAgent } from './queries.ts'

/**
 * Moves the site to the trash of its server, in the background. The record of a site is removed at
 * once if its server is not enrolled and never answered, and no operation reached it. 409 while
 * another operation of the site is running.
 */
export async function removeSite(
  deps: StartDeps,
  target: SiteTarget,
  { dry_run, without_backup }: z.output<typeof DeleteSite>,
): Promise<{ operation_id: string } | { plan: Plan }> {
  if (!(await isUnreached(deps, target)))
    return startOrPlan(deps, 'site.delete', target, { dry_run, without_backup })
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

/** Whether a server has nothing of a site; an enrolled agent may have made it unheard. */
async function isUnreached({ db }: StartDeps, { server, site }: SiteTarget): Promise<boolean> {
  if (server.status !== 'pending' || (await hasReachedAgent(db, site.id))) return false
  return (await findAgent(db, server.id)) === undefined
}
