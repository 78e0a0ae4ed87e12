import type { Database } from '#dashboard/db/client.ts'
import type { ServerRow } from '#dashboard/db/rows.ts'
import type { Agents } from '#dashboard/fleet/agents.ts'
import { paramsFor } from '#dashboard/mail/params.ts'
import { NO_OPERATION, OPERATION_HEADER } from '#shared/agent.ts'
import { conflict, ServiceError } from '#shared/errors.ts'
import type { OperationType } from '#shared/operation-types/index.ts'
import { type Plan, PlanAnswer } from '#shared/plan.ts'
import { findActive } from './queries.ts'

export interface PlanDeps {
  db: Database
  agents: Agents
}

interface Wanted {
  type: OperationType
  server: ServerRow
  site?: { id: number }
  params: Record<string, unknown>
}

/**
 * What the agent would do for an operation, asked of it now; nothing is stored. Throws what beginning
 * the operation throws: 409 while the site has another one, 503 when the agent is away.
 */
export async function planOf(
  { db, agents }: PlanDeps,
  { type, server, site, params }: Wanted,
): Promise<{ plan: Plan }> {
  if (site) {
    const active = await findActive(db, { type, server_id: server.id, site_id: site.id })
    if (active) throw conflict('Another operation is under way')
  }
  const body = { command: type, params: paramsFor(type, params), dry_run: true }
  try {
    return await agents.post(server, '/exec', body, PlanAnswer, {
      [OPERATION_HEADER]: NO_OPERATION,
    })
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'bad_request')) throw error
    throw conflict('The agent of this server cannot plan yet: upgrade it first')
  }
}
