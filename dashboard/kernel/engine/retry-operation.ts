import type { z } from 'zod'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import type { Names } from '#dashboard/kernel/http/places.queries.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { OperationView, RetryOperation } from '#shared/operations/api/operations.ts'
import { enqueue } from './enqueue.ts'
import { planOf } from './plan.ts'
import { getOperation } from './queries.ts'
import { refuseWrongState } from './refuse-wrong-state.ts'
import { rulesOf } from './rules.ts'
import type { StartDeps } from './start-operation.ts'
import { getView } from './views.queries.ts'

type RetryOptions = Pick<z.output<typeof RetryOperation>, 'without_backup'>

/** Retries a failed operation. Throws 404 when its target was deleted, and 409 for others. */
export async function retryOperation(
  deps: StartDeps,
  id: string,
  { actor, ...how }: RetryOptions & { actor: number | null },
): Promise<OperationView> {
  const again = await getRetryable(deps, id, how)
  const wait_for_agent = rulesOf(deps, again.type).waits.retry
  const { operation_id } = await enqueue(deps, { ...again, actor, wait_for_agent, retry_of: id })
  return getView(deps.db, operation_id)
}

/** Returns what else a retry of an operation needs the right on; undefined for most types. */
export async function namesOfRetry(deps: StartDeps, id: string): Promise<Names | undefined> {
  const first = await getOperation(deps.db, id)
  return rulesOf(deps, first.type).retry_also?.(deps, first)
}

export async function planRetry(
  deps: StartDeps,
  id: string,
  how: RetryOptions,
): Promise<{ plan: Plan }> {
  return planOf(deps, await getRetryable(deps, id, how))
}

async function getRetryable(deps: StartDeps, id: string, { without_backup }: RetryOptions) {
  const { db } = deps
  const first = await getOperation(db, id)
  const { type, params, site_id } = first
  const server = await getServer(db, first.server_id)
  const site = site_id === null ? undefined : await getSite(db, server.id, site_id)
  refuseUnlessFailed(first)
  const rules = rulesOf(deps, type)
  if (site) refuseWrongState(rules.site, site)
  await rules.refuse_retry?.(deps, first)
  // The deciding field of the call is also one of the params.
  const target = { server, ...(site && { site }), actor: first.actor }
  const call = { ...params, without_backup }
  const backup_first =
    first.backup_first && ((await rules.backup_first?.(deps, target, call)) ?? null)
  return { type, params, server, backup_first, ...(site && { site }) }
}

function refuseUnlessFailed({ status }: OperationRow): void {
  if (status === 'success') throw conflict('The operation succeeded')
  if (status !== 'failed' && status !== 'cancelled') throw conflict('The operation is running')
}
