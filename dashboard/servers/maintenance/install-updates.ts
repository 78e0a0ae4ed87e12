import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { InstallUpdates } from '#shared/api/maintenance.ts'
import { parse } from '#shared/parse.ts'

/** Installs updates of packages. 503 when the agent is away. */
export async function installUpdates(
  deps: BeginDeps & PlanDeps,
  server: ServerRow,
  input: unknown,
  actor: number,
) {
  const { dry_run, ...params } = parse(InstallUpdates, input)
  const type = 'server.update'
  if (dry_run) return planOf(deps, { type, server, params })
  return begin(deps, { type, server, params, actor, patient: false })
}
