import type { z } from 'zod'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, newOperation } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { insertTransition } from '#dashboard/sites/queries.ts'
import { PurgeSite, type RestoreSite } from '#shared/api/sites.ts'
import { conflict, invalid } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'

interface Place {
  server: Pick<ServerRow, 'id' | 'hostname'>
  site: SiteRow
  /** Null: the dashboard itself. */
  actor: number | null
}

type Accepted = z.infer<typeof RestoreSite>['accept']
type PlanPlace = { server: ServerRow; site: SiteRow }

/** Brings a site back, in the background. 409 when it is not in the trash, or on its way out of it. */
export async function restoreSite(
  deps: BeginDeps,
  { server, site, actor }: Place,
  accept?: Accepted,
) {
  refuseLive(site)
  const { id, domain } = site
  const params = { domain, ...(accept && { accept }) }
  const wanted = { type: 'site.restore', server, site, params, actor, patient: true } as const
  const operation = newOperation(deps, wanted)
  deps.worker.start(await insertTransition(deps.db, site, 'provisioning', operation))
  return { site: { id, domain, status: 'provisioning' as const }, operation_id: operation.id }
}

/** What bringing it back would do. */
export function planRestore(deps: PlanDeps, { server, site }: PlanPlace, accept?: Accepted) {
  refuseLive(site)
  const params = { domain: site.domain, ...(accept && { accept }) }
  return planOf(deps, { type: 'site.restore', server, site, params })
}

/** Removes a site for good when its domain is given once more: 422 on `domain` otherwise. */
export async function purgeSite(
  deps: BeginDeps & PlanDeps,
  place: PlanPlace & Place,
  input: unknown,
) {
  const { domain, dry_run } = parse(PurgeSite, input)
  const { server, site } = place
  if (domain !== site.domain) throw invalid({ domain: ['Must be the domain of the site'] })
  if (dry_run) {
    refuseLive(site)
    const params = { domain, confirm: domain }
    return planOf(deps, { type: 'site.purge', server, site, params })
  }
  return beginPurge(deps, place)
}

export async function beginPurge(deps: BeginDeps, { server, site, actor }: Place) {
  refuseLive(site)
  const { id, domain } = site
  const params = { domain, confirm: domain }
  const wanted = { type: 'site.purge', server, site, params, actor, patient: true } as const
  const operation = newOperation(deps, wanted)
  deps.worker.start(await insertTransition(deps.db, site, 'deleting', operation))
  return { site: { id, domain, status: 'deleting' as const }, operation_id: operation.id }
}

function refuseLive({ status, domain }: SiteRow): void {
  if (status !== 'trashed') throw conflict(`${domain} is not in the trash`)
}
