import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin, outcome } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { ApplyPool } from '#shared/api/sites.ts'
import { parse } from '#shared/parse.ts'
import { refuseFound, refuseTrashed } from './place.ts'
import { getSiteOfUser } from './queries.ts'

/** Waits for the outcome. 404 when the user has no site on this server, 503 when its agent is away. */
export async function applyPool(
  deps: BeginDeps & PlanDeps,
  server: ServerRow,
  input: unknown,
  actor: number,
) {
  const { dry_run, ...params } = parse(ApplyPool, input)
  const { user, php_version, tier } = params
  const site = refuseFound(refuseTrashed(await getSiteOfUser(deps.db, server.id, user)))
  const type = 'pool.apply'
  if (dry_run) return planOf(deps, { type, server, site, params })
  const job = await begin(deps, { type, server, site, params, actor, patient: false })
  await outcome(deps, job)
  const message = `Applied tier ${tier} to the PHP ${php_version} pool of ${user}`
  return { status: 'ok' as const, message }
}
