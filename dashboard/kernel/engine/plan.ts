import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'
import { busyError, findActive } from './queries.ts'
import { type BackupFirst, type RulesTable, rulesOf } from './rules.ts'

export interface PlanDeps {
  db: Database
  agents: Agents
  types: RulesTable
}

interface PlanRequest {
  type: OperationType
  server: ServerRow
  site?: { id: number }
  params: Record<string, unknown>
  backup_first?: BackupFirst
}

const backupStep = (what: string) => ({
  name: 'backup',
  title: `Backing up ${what} first`,
  effects: [],
})

/** Returns the plan. Throws 409 while the site has an operation, and 503 when offline. */
export async function planOf(deps: PlanDeps, planned: PlanRequest): Promise<{ plan: Plan }> {
  const found = await planByAgent(deps, planned)
  const first = rulesOf(deps, planned.type).first_step?.(planned.params)
  const plan = { ...found.plan, steps: [...(first ? [first] : []), ...found.plan.steps] }
  const isFirst = planned.backup_first === 'waits' && plan.steps.length > 0
  if (!isFirst) return { plan }
  const step = backupStep(planned.site ? 'the site' : 'the sites of the server')
  return { plan: { ...plan, steps: [step, ...plan.steps] } }
}

async function planByAgent(
  deps: PlanDeps,
  { type, server, site, params }: PlanRequest,
): Promise<{ plan: Plan }> {
  const { db, agents } = deps
  const nothing = { plan: { steps: [] } }
  const rules = rulesOf(deps, type)
  const { command } = OPERATION_TYPES[type]
  if (!command?.changes) return nothing
  if (site) {
    const active = await findActive(db, { type, server_id: server.id, site_id: site.id })
    if (active) throw busyError(active)
  }
  try {
    return await agents.plan(server, command.name, rules.sent(params))
  } catch (error) {
    const isAbsent = isServiceError(error, 'not_found')
    if (isAbsent && rules.absent) return nothing
    throw error
  }
}
