import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin, beginOrJoin, outcome } from '#dashboard/operations/begin.ts'
import type { Job } from '#dashboard/operations/job.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { IssueTls, UpdateSite } from '#shared/api/sites.ts'
import { parse } from '#shared/parse.ts'
import { refuseUnknownPhp } from './create-site.ts'

interface Place {
  server: ServerRow
  site: SiteRow
  actor: number
  /** The caller's address, for a site that has none of its own. */
  email: string
}

type Deps = BeginDeps & PlanDeps

/** To another PHP version or tier, in the background. */
export async function updateSite(deps: Deps, { server, site, actor }: Place, input: unknown) {
  const { dry_run, ...change } = parse(UpdateSite, input)
  if (change.php !== undefined) refuseUnknownPhp(server, change.php)
  const params = { domain: site.domain, ...change }
  const type = 'site.update'
  if (dry_run) return planOf(deps, { type, server, site, params })
  const job = await begin(deps, { type, server, site, params, actor, patient: true })
  const { id, domain, status } = site
  return { site: { id, domain, status }, operation_id: job.operation_id }
}

/** Gives the site a certificate, renews it or takes it away. */
export async function issueTls(deps: Deps, place: Place, input: unknown) {
  const { server, site, actor } = place
  const { tls, dry_run } = parse(IssueTls, input)
  const params = { domain: site.domain, tls, email: site.email || place.email }
  const type = 'tls.issue'
  if (dry_run) return planOf(deps, { type, server, site, params })
  return begin(deps, { type, server, site, params, actor, patient: false })
}

/** A second scan of a site joins the one under way. */
export function scanSite(deps: BeginDeps, { server, site, actor }: Place): Promise<Job> {
  const params = { domain: site.domain }
  return beginOrJoin(deps, { type: 'site.scan', server, site, params, actor, patient: false })
}

/** Waits for the outcome. 503 when the agent is away. */
export async function purgeCache(deps: Deps, { server, site, actor }: Place, dry_run: boolean) {
  const params = { domain: site.domain }
  const type = 'cache.purge'
  if (dry_run) return planOf(deps, { type, server, site, params })
  const job = await begin(deps, { type, server, site, params, actor, patient: false })
  await outcome(deps, job)
  return { status: 'ok' as const, message: `Emptied the page cache of ${site.domain}` }
}
