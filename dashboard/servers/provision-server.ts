import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin } from '#dashboard/operations/begin.ts'
import { type PlanDeps, planOf } from '#dashboard/operations/plan.ts'
import { ProvisionServer } from '#shared/api/servers.ts'
import { parse } from '#shared/parse.ts'

/** Makes a server ready for sites. 503 when its agent is away. */
export async function provisionServer(
  deps: BeginDeps & PlanDeps,
  server: ServerRow,
  input: unknown,
  actor: number,
) {
  const { dry_run, ...params } = parse(ProvisionServer, input)
  const type = 'server.provision'
  if (dry_run) return planOf(deps, { type, server, params })
  return begin(deps, { type, server, params, actor, patient: false })
}
