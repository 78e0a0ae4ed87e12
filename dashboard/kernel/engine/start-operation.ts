import { excludesOf } from '#dashboard/kernel/db/exclusion.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { InputOf, OperationType } from '#shared/operation-types.ts'
import { refuseWhileServerBusy } from './busy.queries.ts'
import { type EnqueueDeps, enqueue, enqueueOrJoin } from './enqueue.ts'
import type { OperationHandle } from './operation-handle.ts'
import { type PlanDeps, planOf } from './plan.ts'
import { refuseWrongState } from './refuse-wrong-state.ts'
import { type OperationTarget, type RulesDeps, rulesOf } from './rules.ts'

export type StartDeps = RulesDeps & PlanDeps & EnqueueDeps

/** The fields of a call; with `dry_run` it returns the plan. */
export type StartInput<K extends OperationType> = InputOf<K> & { dry_run?: boolean }

/** Throws 409 for an unsuitable or busy target, and 503 for an offline agent unless it waits. */
export async function startOperation<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: OperationTarget,
  input: InputOf<K>,
  { waits = rulesOf(deps, type).waits.first } = {},
): Promise<OperationHandle> {
  const prepared = await prepareOperation(deps, type, target, input)
  const { joins } = rulesOf(deps, type)
  const operation = { ...prepared, actor: target.actor, wait_for_agent: waits }
  return joins ? enqueueOrJoin(deps, operation) : enqueue(deps, operation)
}

/** Starts operations without a user; on a conflict, another dashboard was faster. */
export async function startOperations<K extends OperationType>(
  deps: StartDeps,
  type: K,
  targets: readonly Omit<OperationTarget, 'actor'>[],
  input: InputOf<K>,
): Promise<void> {
  for (const target of targets)
    await startOperation(deps, type, { ...target, actor: null }, input).catch((error: unknown) => {
      if (!isServiceError(error, 'conflict')) throw error
    })
}

async function planOperation<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: OperationTarget,
  input: InputOf<K>,
): Promise<{ plan: Plan }> {
  const { plan } = await planOf(deps, await prepareOperation(deps, type, target, input))
  const { site } = target
  const last = site && (await rulesOf(deps, type).last_step?.(deps, site))
  return { plan: last ? { ...plan, steps: [...plan.steps, last] } : plan }
}

export function startOrPlan<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: OperationTarget,
  call: StartInput<K>,
): Promise<OperationHandle | { plan: Plan }> {
  const { dry_run = false, ...rest } = call
  // A call without `dry_run` has the params of its type, which TypeScript cannot infer here.
  const input = rest as Omit<StartInput<K>, 'dry_run'> & InputOf<K>
  return (dry_run ? planOperation : startOperation)(deps, type, target, input)
}

async function prepareOperation<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: OperationTarget,
  input: InputOf<K>,
) {
  const { server, site } = target
  const rules = rulesOf(deps, type)
  if (site) refuseWrongState(rules.site, site)
  if (excludesOf(type) === 'all_of_server') await refuseWhileServerBusy(deps.db, server.id)
  const params = await rules.params(deps, target, input)
  const backup_first = (await rules.backup_first?.(deps, target, input)) ?? null
  return { type, server, params, backup_first, ...(site && { site }) }
}
