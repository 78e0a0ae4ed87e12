import type { Database } from '#dashboard/db/client.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { getServer, getSite } from '#dashboard/db/targets.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { conflict } from '#shared/errors.ts'
import type { Plan } from '#shared/plan.ts'
import { type BeginDeps, begin } from './begin.ts'
import { type PlanDeps, planOf } from './plan.ts'
import { getOperation, getView } from './queries.ts'
import { refuseUnfit } from './refuse-unfit.ts'
import { type RulesTable, rulesOf } from './rules.ts'

/** 404 when its server or site was deleted, 409 unless it has failed and its site is free. */
export async function retryOperation(
  deps: BeginDeps,
  id: string,
  actor: number,
): Promise<OperationView> {
  const again = await getRetryable(deps, id)
  const wait_for_agent = rulesOf(deps, again.type).waits.retry
  const { operation_id } = await begin(deps, { ...again, actor, wait_for_agent, retry_of: id })
  return getView(deps.db, operation_id)
}

/** The plan of a retry. Changes nothing. */
export async function planRetry(deps: PlanDeps, id: string): Promise<{ plan: Plan }> {
  return planOf(deps, await getRetryable(deps, id))
}

async function getRetryable({ db, types }: { db: Database; types: RulesTable }, id: string) {
  const first = await getOperation(db, id)
  const { type, params, site_id } = first
  const server = await getServer(db, first.server_id)
  const site = site_id === null ? undefined : await getSite(db, server.id, site_id)
  refuseUnlessFailed(first)
  if (site) refuseUnfit(types[type].site, site)
  return { type, params, server, ...(site && { site }) }
}

function refuseUnlessFailed({ status }: OperationRow): void {
  if (status === 'success') throw conflict('The operation succeeded')
  if (status !== 'failed' && status !== 'cancelled') throw conflict('The operation is running')
}
