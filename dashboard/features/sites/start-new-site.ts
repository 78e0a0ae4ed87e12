import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { NewSite, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { type EnqueueDeps, newOperation } from '#dashboard/kernel/engine/enqueue.ts'
import type { User } from '#shared/kernel/api/auth.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { identityOf } from '#shared/kernel/site-identity.ts'
import type { SiteChanging } from '#shared/sites/api/sites.ts'
import { insertSite } from './queries.ts'

export type StartedSite = { site: SiteChanging; operation_id: string }

interface NewSiteRequest {
  type: 'site.create' | 'site.clone'
  site: Pick<NewSite, 'domain' | 'php' | 'tier' | 'tls' | 'user'> & { staging?: boolean }
  params: Record<string, unknown>
  actor: User
  /** Returns further statements for the batch; `site_id` stands for the new site. */
  also?: (queries: Queries, site_id: SiteId) => Statement[]
}

type SiteId = Parameters<NonNullable<Parameters<typeof insertSite>[3]>>[1]

/** Records a new site, which the agent makes in the background. */
export async function startNewSite(
  deps: EnqueueDeps,
  server: ServerRow,
  { type, site, params, actor, also }: NewSiteRequest,
): Promise<StartedSite> {
  const operation = newOperation(deps, {
    type,
    server,
    params,
    actor: actor.id,
    site: { id: 0, domain: site.domain },
    wait_for_agent: true,
  })
  const record = {
    ...site,
    ...identityOf(site.user),
    server_id: server.id,
    apex: apexOf(site.domain),
    managed: true,
    status: 'provisioning',
    created_at: operation.created_at,
  } as const
  const inserted = await insertSite(deps.db, record, operation, also)
  const job = deps.worker.start(inserted.operation)
  const { id, domain, status } = inserted.site
  return { site: { id, domain, status }, operation_id: job.operation_id }
}
