import { excludesOf } from '#dashboard/kernel/db/exclusion.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { InputOf, OperationType } from '#shared/operation-types.ts'
import { type BeginDeps, begin, beginOrJoin } from './begin.ts'
import { refuseWhileServerBusy } from './busy.queries.ts'
import type { Job } from './job.ts'
import { type PlanDeps, planOf } from './plan.ts'
import { refuseUnfit } from './refuse-unfit.ts'
import { type RulesDeps, rulesOf, type Target } from './rules.ts'

export type StartDeps = RulesDeps & PlanDeps & BeginDeps

/** The fields of a call; with `dry_run` it returns the plan. */
export type Input<K extends OperationType> = InputOf<K> & { dry_run?: boolean }

/** 409 for an unsuitable or busy target; 503 for an offline agent unless it waits for it. */
export async function start<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: Target,
  input: InputOf<K>,
  { waits = rulesOf(deps, type).waits.first } = {},
): Promise<Job> {
  const prepared = await prepare(deps, type, target, input)
  const { joins } = rulesOf(deps, type)
  const operation = { ...prepared, actor: target.actor, wait_for_agent: waits }
  return joins ? beginOrJoin(deps, operation) : begin(deps, operation)
}

/** Operations without a user; a conflict means that another dashboard has started it first. */
export async function startEach<K extends OperationType>(
  deps: StartDeps,
  type: K,
  targets: readonly Omit<Target, 'actor'>[],
  input: InputOf<K>,
): Promise<void> {
  for (const target of targets)
    await start(deps, type, { ...target, actor: null }, input).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === 'conflict')) throw error
    })
}

/** Its current plan. */
async function plan<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: Target,
  input: InputOf<K>,
): Promise<{ plan: Plan }> {
  const { plan } = await planOf(deps, await prepare(deps, type, target, input))
  const { site } = target
  const last = site && (await rulesOf(deps, type).last_step?.(deps, site))
  return { plan: last ? { ...plan, steps: [...plan.steps, last] } : plan }
}

export function startOrPlan<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: Target,
  call: Input<K>,
): Promise<Job | { plan: Plan }> {
  const { dry_run = false, ...rest } = call
  // A call without `dry_run` has the params of its type, which TypeScript cannot infer here.
  const input = rest as Omit<Input<K>, 'dry_run'> & InputOf<K>
  return (dry_run ? plan : start)(deps, type, target, input)
}

async function prepare<K extends OperationType>(
  deps: StartDeps,
  type: K,
  target: Target,
  input: InputOf<K>,
) {
  const { server, site } = target
  const rules = rulesOf(deps, type)
  if (site) refuseUnfit(rules.site, site)
  if (excludesOf(type) === 'all_of_server') await refuseWhileServerBusy(deps.db, server.id)
  const params = await rules.params(deps, target, input)
  const backup_first = (await rules.backup_first?.(deps, target, input)) ?? null
  return { type, server, params, backup_first, ...(site && { site }) }
}
