import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, beginOrJoin } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'

/** Joins a check that is running. 503 when the agent is away. */
export async function checkIsolation(
  deps: BeginDeps & PlanDeps,
  server: ServerRow,
  { actor, dry_run }: { actor: number; dry_run: boolean },
) {
  const wanted = { type: 'isolation.check', server, params: {} } as const
  if (dry_run) return planOf(deps, wanted)
  return beginOrJoin(deps, { ...wanted, actor, patient: false })
}
