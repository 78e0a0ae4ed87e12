import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin } from '#dashboard/operations/begin.ts'
import type { Job } from '#dashboard/operations/job.ts'
import { findActive } from '#dashboard/operations/queries.ts'

/** A second scan of a site attaches to the one under way. */
export async function scanSite(
  deps: BeginDeps,
  server: ServerRow,
  site: SiteRow,
  actor: number,
): Promise<Job> {
  const type = 'site.scan'
  const active = await findActive(deps.db, { type, server_id: server.id, site_id: site.id })
  if (active?.type === type) return deps.worker.start(active)
  const params = { domain: site.domain }
  return begin(deps, { type, server, site, params, actor, patient: false })
}
