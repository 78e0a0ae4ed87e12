import type { ServerRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, begin, outcome } from '#dashboard/operations/begin.ts'
import { RestartService } from '#shared/api/servers.ts'
import { parse } from '#shared/parse.ts'

/** Waits for the outcome. 503 when the agent is away. */
export async function restartService(
  deps: BeginDeps,
  server: ServerRow,
  input: unknown,
  actor: number,
) {
  const params = parse(RestartService, input)
  const job = await begin(deps, { type: 'service.restart', server, params, actor, patient: false })
  await outcome(deps, job)
  return { status: 'ok', message: `Restarted ${params.service}` }
}
