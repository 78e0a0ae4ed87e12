import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin, outcome } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { RestartService } from '#shared/api/servers.ts'
import { parse } from '#shared/parse.ts'

/** Waits for the outcome. 503 when the agent is away. */
export async function restartService(
  deps: BeginDeps & PlanDeps,
  server: ServerRow,
  input: unknown,
  actor: number,
) {
  const { dry_run, ...params } = parse(RestartService, input)
  if (dry_run) return planOf(deps, { type: 'service.restart', server, params })
  const job = await begin(deps, { type: 'service.restart', server, params, actor, patient: false })
  await outcome(deps, job)
  return { status: 'ok' as const, message: `Restarted ${params.service}` }
}
