import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { BulkRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { type PlanDeps, planOf } from '#dashboard/kernel/engine/plan.ts'
import { type RulesTable, rulesOf } from '#dashboard/kernel/engine/rules.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import {
  bodyOf,
  conflict,
  fieldsOf,
  invalid,
  notManaged,
  ServiceError,
} from '#shared/kernel/errors.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { type BulkType, OPERATION_TYPES } from '#shared/operation-types.ts'
import {
  type BulkAsk,
  type BulkAsks,
  type BulkOperationView,
  type BulkTarget,
  type BulkTargets,
  type CreateBulkOperation,
  MAX_ITEMS,
  type SkippedTarget,
} from '#shared/operations/api/bulk-operations.ts'
import { type PrepareDeps, prepareItem } from './prepare-item.ts'
import { listUnsuccessful } from './progress.queries.ts'
import { getBulkView, insertBulk } from './queries.ts'
import type { BulkRunner } from './runner.ts'
import {
  listServerTargets,
  listSiteTargets,
  type SiteTarget,
  unknownServers,
  unknownSites,
} from './targets.queries.ts'

export interface BulkDeps extends BulkPlanDeps, Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  bulks: BulkRunner
  types: RulesTable
}

/** The answer; with `dry_run` only the selection. */
export type BulkAnswer =
  | (BulkSelection & { must_accept?: BulkAsks })
  | { bulk_operation: BulkOperationView }

/** Starts an operation on each target, or returns them. `origin` is our address for servers. */
export async function createBulk(
  deps: BulkDeps,
  input: z.output<typeof CreateBulkOperation>,
  { actor, origin, visible }: { actor: number; origin: string; visible?: Visible | undefined },
): Promise<BulkAnswer> {
  const { dry_run, with_asks, ...call } = input
  const { type, parallel, pause_after } = call
  const own = rulesOf(deps, type).bulk?.started_by
  if (own) throw invalid({ type: [`Is started by ${own}`] })
  const more = rulesOf(deps, type).bulk?.stores_origin ? { origin } : {}
  const params = { ...paramsOf(type, call.params ?? {}), ...more }
  const selected = await selectTargets(deps, type, call.targets, visible)
  if (dry_run && with_asks) {
    const must_accept = await requiredAcceptance(deps, { type, params, actor }, selected.targets)
    return { ...selected, must_accept }
  }
  if (dry_run) return selected
  refuseNone(selected)
  const values = { type, params, parallel, pause_after, actor }
  return { bulk_operation: await storeBulk(deps, values, selected) }
}

/** Starts the failed and cancelled items again, or returns them. Throws 409 without any. */
export async function retryBulk(
  deps: BulkDeps,
  bulk: BulkOperationView,
  { actor, dry_run }: { actor: number; dry_run: boolean },
): Promise<BulkAnswer> {
  const { type, params, parallel, pause_after, finished_at } = bulk
  if (finished_at === null) throw conflict('The bulk operation is running')
  const left = await listUnsuccessful(deps.db, bulk.id)
  if (left.length === 0) throw conflict('The bulk operation succeeded')
  const targets = left.map(({ server_id, site_id, domain }) => ({ server_id, site_id, domain }))
  const selected = { targets, skipped: [] }
  if (dry_run) return selected
  const values = { type, params, parallel, pause_after, actor }
  return { bulk_operation: await storeBulk(deps, values, selected) }
}

type NewBulk = Pick<BulkOperationView, 'type' | 'params' | 'parallel' | 'pause_after'> & {
  actor: number
}

export async function storeBulk(
  { db, clock, random, bulks }: Pick<BulkDeps, 'db' | 'clock' | 'random' | 'bulks'>,
  values: NewBulk,
  { targets, skipped }: BulkSelection,
): Promise<BulkOperationView> {
  const id = randomText(random, 16)
  const created_at = timestamp(clock)
  const start = { id, status: 'running', reason: '', created_at, finished_at: null } as const
  const what = targets[0]?.site_id === null ? 'servers' : 'sites'
  const left = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
  const message = `${values.type} of ${targets.length} ${what} begins${left}`
  const entry = { type: 'bulk.create', status: 'running', operation_id: id } as const
  const activity = entryOf(clock, { ...entry, user_id: values.actor, created_at })
  await insertBulk(db, { ...values, ...start }, { targets, skipped }, { message, activity })
  bulks.start(id)
  return getBulkView(db, id)
}

/** Parses the params. Throws 422 on the fields themselves, or on `params`. */
function paramsOf(type: BulkType, value: unknown): Record<string, unknown> {
  const result = OPERATION_TYPES[type].bulk.params.safeParse(value)
  if (result.success) return result.data
  const { body, ...fields } = fieldsOf(result.error.issues)
  throw invalid({ ...fields, ...(body ? { params: body } : {}) })
}

const MAX_PLANNED = 50
const MAX_CONCURRENT = 8
/** The types that can change foreign objects, and those that some sites refuse. */
const PLANNED_TYPES: readonly BulkRow['type'][] = [
  'site.update',
  'site.restore',
  'site.jobs',
  'server.provision',
]

type BulkParams = Pick<BulkRow, 'type' | 'params' | 'actor'>
type BulkPlanDeps = PrepareDeps & PlanDeps

/** Returns what the agents of the first targets plan to change of foreign objects. */
async function requiredAcceptance(
  deps: BulkPlanDeps,
  bulk: BulkParams,
  targets: readonly BulkTarget[],
): Promise<BulkAsks> {
  if (!PLANNED_TYPES.includes(bulk.type)) return { asks: [], unasked: 0 }
  const limit = new Limit(MAX_CONCURRENT)
  const some = targets.slice(0, MAX_PLANNED)
  const answers = await Promise.all(some.map((one) => limit.run(() => planItem(deps, bulk, one))))
  const asks = answers.filter(({ effects, error }) => effects.length > 0 || error !== null)
  return { asks, unasked: targets.length - some.length }
}

async function planItem(
  deps: BulkPlanDeps,
  bulk: BulkParams,
  target: BulkTarget,
): Promise<BulkAsk> {
  try {
    return {
      ...target,
      effects: acceptableEffects(await planOfItem(deps, bulk, target)),
      error: null,
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { ...target, effects: [], error: bodyOf(error) }
  }
}

async function planOfItem(
  deps: BulkPlanDeps,
  bulk: BulkParams,
  { server_id, site_id }: BulkTarget,
): Promise<Plan> {
  const { type, params } = await prepareItem(deps, bulk, { server_id, site_id })
  const server = await getServer(deps.db, server_id)
  const site = site_id === null ? {} : { site: { id: site_id } }
  return (await planOf(deps, { type, server, params, ...site })).plan
}

const acceptableEffects = ({ steps }: Plan) =>
  steps.flatMap(({ effects }) => effects.filter(({ asks }) => asks !== undefined))

const MAX_SHOWN = 10

interface BulkSelection {
  targets: BulkTarget[]
  /** The targets that were named, but are not suitable for the call. */
  skipped: SkippedTarget[]
}

/** Selects the targets of a call. Throws 422 on `targets` for unknown, no or too many ones. */
async function selectTargets(
  { db, types }: { db: Database; types: RulesTable },
  type: BulkType,
  targets: BulkTargets,
  visible: Visible | undefined,
): Promise<BulkSelection> {
  const onSites = OPERATION_TYPES[type].target === 'site'
  if (!onSites && targets.site_ids.length > 0)
    throw targetsError(`${type} is for servers, not for sites`)
  // An object that the caller may not change is unknown to this call.
  refuseUnknown('server', await unknownServers(db, targets.server_ids, visible))
  refuseUnknown('site', await unknownSites(db, targets.site_ids, visible))
  const found = onSites
    ? await listSiteTargets(db, types[type].bulk, { ...targets, visible }, MAX_ITEMS + 1)
    : await listServerTargets(db, { ...targets, visible }, MAX_ITEMS + 1)
  if (found.length === 0) throw targetsError(`No ${onSites ? 'site' : 'server'} is selected`)
  if (found.length > MAX_ITEMS) throw targetsError(`Must be at most ${MAX_ITEMS} in one call`)
  return types[type].site?.found === false
    ? withoutFound(found)
    : { targets: found.map(targetOf), skipped: [] }
}

/** Leaves out discovered sites, which can only be read. */
function withoutFound(sites: readonly (BulkTarget | SiteTarget)[]): BulkSelection {
  const selected: BulkSelection = { targets: [], skipped: [] }
  for (const site of sites) {
    const target = targetOf(site)
    const isSkipped = 'found' in site && site.found
    if (isSkipped) selected.skipped.push({ ...target, error: notManaged(site.domain).body })
    else selected.targets.push(target)
  }
  return selected
}

const targetOf = ({ server_id, site_id, domain }: BulkTarget) => ({ server_id, site_id, domain })

/** Throws 409 without a suitable target. */
function refuseNone({ targets, skipped }: BulkSelection): void {
  if (targets.length > 0) return
  const message = 'None of them was created by Hosting Control'
  throw conflict(
    skipped.length > 1 ? message : String(skipped[0]?.error.message),
    'site_not_managed',
  )
}

/** Throws 422 on `targets` for ids of objects that do not exist, or that the caller may not change. */
export function refuseUnknown(what: string, ids: readonly number[]): void {
  if (ids.length === 0) return
  const more = ids.length > MAX_SHOWN ? ', …' : ''
  throw targetsError(`No such ${what}: ${ids.slice(0, MAX_SHOWN).join(', ')}${more}`)
}

export const targetsError = (rule: string) => invalid({ targets: [rule] })
