import type { BulkRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { type PlanDeps, planOf } from '#dashboard/kernel/engine/plan.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { bodyOf, ServiceError } from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { BulkAsk, BulkAsks, BulkTarget } from '#shared/operations/api/bulk-operations.ts'
import { type PrepareDeps, prepare } from './prepare.ts'

const MAX_ASKED = 50
const AT_ONCE = 8
/** The types that can change foreign objects, and those that some sites refuse. */
const ASKING: readonly BulkRow['type'][] = [
  'site.update',
  'site.restore',
  'site.jobs',
  'server.provision',
]

type Bulk = Pick<BulkRow, 'type' | 'params' | 'actor'>
export type AskDeps = PrepareDeps & PlanDeps

/** The current plans of the agents for the first targets: changes of foreign objects. */
export async function mustAccept(
  deps: AskDeps,
  bulk: Bulk,
  targets: readonly BulkTarget[],
): Promise<BulkAsks> {
  if (!ASKING.includes(bulk.type)) return { asks: [], unasked: 0 }
  const limit = new Limit(AT_ONCE)
  const some = targets.slice(0, MAX_ASKED)
  const answers = await Promise.all(some.map((one) => limit.run(() => askOne(deps, bulk, one))))
  const asks = answers.filter(({ effects, error }) => effects.length > 0 || error !== null)
  return { asks, unasked: targets.length - some.length }
}

async function askOne(deps: AskDeps, bulk: Bulk, target: BulkTarget): Promise<BulkAsk> {
  try {
    return { ...target, effects: imposedBy(await planOne(deps, bulk, target)), error: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { ...target, effects: [], error: bodyOf(error) }
  }
}

async function planOne(
  deps: AskDeps,
  bulk: Bulk,
  { server_id, site_id }: BulkTarget,
): Promise<Plan> {
  const { type, params } = await prepare(deps, bulk, { server_id, site_id })
  const server = await getServer(deps.db, server_id)
  const site = site_id === null ? {} : { site: { id: site_id } }
  return (await planOf(deps, { type, server, params, ...site })).plan
}

const imposedBy = ({ steps }: Plan) =>
  steps.flatMap(({ effects }) => effects.filter(({ asks }) => asks !== undefined))
