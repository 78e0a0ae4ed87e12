import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, newOperation } from '#dashboard/operations/begin.ts'
import { deleteUnreached, insertTransition, wasReached } from './queries.ts'

/**
 * Moves the site to the trash of its server, in the background. A record that never reached a server
 * that never answered is removed at once. 409 while another operation of the site is under way.
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
  if (server.status === 'pending' && !(await wasReached(deps.db, site.id))) {
    await deleteUnreached(deps.db, site, operation)
    deps.worker.cancel((job) => job.site_id === site.id)
  } else deps.worker.start(await insertTransition(deps.db, site, 'deleting', operation))
  const { id, domain } = site
  return { site: { id, domain, status: 'deleting' }, operation_id: operation.id }
}
