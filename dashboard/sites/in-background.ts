import { status } from 'elysia'
import type { SiteRow } from '#dashboard/db/rows.ts'
import { type StartDeps, startOrPlan } from '#dashboard/operations/start.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import { OPERATION_HEADER } from '#shared/agent.ts'
import type { InputOf, OperationType } from '#shared/operation-types/index.ts'

type SiteStatus = SiteRow['status']

interface Wanted<K extends OperationType> {
  target: SiteTarget
  input: InputOf<K> & { dry_run?: boolean }
  /** What the site is meanwhile. */
  as: SiteStatus
}

/** Answers at once with what the site is meanwhile, or with the plan that was asked for. */
export async function inBackground<K extends OperationType>(
  deps: StartDeps,
  type: K,
  { target, input, as }: Wanted<K>,
  set: { headers: Record<string, string | number> },
) {
  const started = await startOrPlan(deps, type, target, input)
  if ('plan' in started) return started
  set.headers[OPERATION_HEADER] = started.operation_id
  return status(202, { site: changing(target, as) })
}

export const changing = ({ site: { id, domain } }: SiteTarget, status: SiteStatus) => ({
  id,
  domain,
  status,
})
