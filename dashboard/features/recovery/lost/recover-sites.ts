import type { z } from 'zod'
import { copySteps, isInTheWay } from '#dashboard/features/moves/left-copies.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { type BulkDeps, storeBulk } from '#dashboard/kernel/bulk/create-bulk.ts'
import { unknownServers } from '#dashboard/kernel/bulk/targets.queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSiteById } from '#dashboard/kernel/db/targets.ts'
import { planOf } from '#dashboard/kernel/engine/plan.ts'
import { refuseWrongState } from '#dashboard/kernel/engine/refuse-wrong-state.ts'
import { rulesOf } from '#dashboard/kernel/engine/rules.ts'
import type { StartDeps } from '#dashboard/kernel/engine/start-operation.ts'
import { storeFailure } from '#dashboard/kernel/engine/store-outcome.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { bodyOf, conflict, invalid, ServiceError } from '#shared/kernel/errors.ts'
import { MAX_ITEMS } from '#shared/operations/api/bulk-operations.ts'
import type {
  RecoverSites,
  RecoveryPlan,
  RecoveryPlans,
  RecoveryStarted,
} from '#shared/recovery/api/lost-servers.ts'
import { paramsFromBackup, refuseWrongSites } from './params.ts'
import { declareLost, endLoss, findLost, listActive, listLostSites } from './queries.ts'

const MAX_PLANS = 50
const MAX_CONCURRENT = 8

export type RecoverDeps = StartDeps & BulkDeps & Pick<CommonDeps, 'bus'>

type RecoverInput = z.output<typeof RecoverSites>
type RecoverCall = Pick<RecoverInput, 'sites' | 'dns' | 'accept'>
type SiteName = { domain: string }

/**
 * Records that a server does not come back, and restores its sites on others. What runs there fails
 * at once: it would hold the sites until its deadline. Throws 409 for a server that answers.
 */
export async function recoverSites(
  deps: RecoverDeps,
  server: ServerRow,
  { confirm, dry_run, parallel, ...call }: RecoverInput,
  actor: number,
): Promise<RecoveryPlans | RecoveryStarted> {
  const { db, clock } = deps
  await refuseAnswering(deps, server)
  const known = new Map((await listLostSites(db, server.id)).map((site) => [site.id, site]))
  refuseWrongSites(call.sites, known)
  const strange = await unknownServers(
    db,
    call.sites.map((one) => one.server_id),
  )
  if (strange.length > 0) throw invalid({ sites: [`Server ${strange[0]} does not exist`] })
  if (dry_run) return planRecovery(deps, server, call, { known, actor })
  if (confirm !== server.name)
    throw invalid({ confirm: [`Must be ${server.name}, the name of the server`] })
  const { id: server_id, hostname: domain } = server
  const entry = entryOf(clock, { type: 'server.lost', domain, server_id, user_id: actor })
  await declareLost(db, { server_id, declared_at: timestamp(clock) }, entry)
  for (const operation of await listActive(db, server_id))
    await storeFailure(deps, operation, conflict(`${server.name} was declared lost`).body)
  if (call.sites.length === 0) return { bulk_operation: null }
  const values = { type: 'site.recover', params: { ...call }, parallel, actor } as const
  const targets = call.sites.map((one) => targetOf(one, known))
  // A site that fails stops no other.
  const bulk_operation = await storeBulk(
    deps,
    { ...values, pause_after: MAX_ITEMS },
    { targets, skipped: [] },
  )
  return { bulk_operation }
}

/** Records that the server is used again; restored sites stay. Throws 409 if it was not lost. */
export async function endServerLoss(
  { db, clock }: Pick<RecoverDeps, 'db' | 'clock'>,
  { id: server_id, hostname: domain, name }: ServerRow,
  user_id: number,
): Promise<void> {
  if (!(await findLost(db, server_id))) throw conflict(`${name} was not declared lost`)
  await endLoss(db, server_id, entryOf(clock, { type: 'server.found', domain, server_id, user_id }))
}

async function refuseAnswering({ db }: RecoverDeps, { id }: ServerRow): Promise<void> {
  const { status, name } = await getServer(db, id)
  if (status === 'online')
    throw conflict(`${name} answers: move its sites to other servers, which loses nothing`)
  if (status === 'pending') throw conflict(`${name} has never answered: it has no sites to restore`)
}

const targetOf = (
  { site_id, server_id }: RecoverCall['sites'][number],
  known: ReadonlyMap<number, SiteName>,
) => ({ server_id, site_id, domain: known.get(site_id)?.domain ?? '' })

/** Returns the plans of the new servers, as if the server were declared lost. */
async function planRecovery(
  deps: RecoverDeps,
  lost: ServerRow,
  call: RecoverCall,
  { known, actor }: { known: ReadonlyMap<number, SiteName>; actor: number },
): Promise<RecoveryPlans> {
  const limit = new Limit(MAX_CONCURRENT)
  const some = call.sites.slice(0, MAX_PLANS)
  const plans = some.map((one) =>
    limit.run(() => planOne(deps, { call, actor, lost }, targetOf(one, known))),
  )
  return { plans: await Promise.all(plans), unplanned: call.sites.length - some.length }
}

async function planOne(
  deps: RecoverDeps,
  { call, actor, lost }: { call: RecoverCall; actor: number; lost: ServerRow },
  target: Pick<RecoveryPlan, 'server_id' | 'domain'> & { site_id: number },
): Promise<RecoveryPlan> {
  const type = 'site.recover'
  try {
    const server = await getServer(deps.db, target.server_id)
    const site = await getSiteById(deps.db, target.site_id)
    refuseWrongState(rulesOf(deps, type).site, site)
    const params = await paramsFromBackup(deps, lost, { server, site, actor }, call)
    const copies = await copySteps(deps, params, target)
    // Its agent would refuse a plan, as long as it has a site of this name.
    if (isInTheWay(params, server.id)) return { ...target, plan: { steps: copies }, error: null }
    const { plan } = await planOf(deps, { type, server, params })
    return { ...target, plan: { ...plan, steps: [...copies, ...plan.steps] }, error: null }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { ...target, plan: null, error: bodyOf(error) }
  }
}
