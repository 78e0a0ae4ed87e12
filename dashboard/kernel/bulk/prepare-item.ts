import type { BulkItemRow, BulkRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSite, getSiteById } from '#dashboard/kernel/db/targets.ts'
import { type EnqueueDeps, newOperation } from '#dashboard/kernel/engine/enqueue.ts'
import type { NewOperation } from '#dashboard/kernel/engine/queries.ts'
import { refuseWrongState } from '#dashboard/kernel/engine/refuse-wrong-state.ts'
import { type RulesDeps, rulesOf } from '#dashboard/kernel/engine/rules.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'

export type PrepareDeps = EnqueueDeps & RulesDeps

type ItemTarget = Pick<BulkItemRow, 'server_id' | 'site_id'>

/** Prepares the operation of an item like a single call, but without waiting for an agent. */
export async function prepareItem(
  deps: PrepareDeps,
  { type, params: { origin, ...given }, actor }: Pick<BulkRow, 'type' | 'params' | 'actor'>,
  item: ItemTarget,
): Promise<NewOperation> {
  const rules = rulesOf(deps, type)
  const server = await getServer(deps.db, item.server_id)
  const site = await siteOf(deps, item, rules.bulk?.arrives)
  if (site) refuseWrongState(rules.site, site)
  const on = { server, ...(site && { site }), actor }
  const input = OPERATION_TYPES[type].params.parse(given)
  const params = await rules.params(deps, { ...on, origin: String(origin) }, input)
  const backup_first = (await rules.backup_first?.(deps, on, input)) ?? null
  return newOperation(deps, { type, ...on, params, backup_first, wait_for_agent: false })
}

/** Returns the site of an item, which `arrives` on its server; undefined for a server. */
async function siteOf({ db }: PrepareDeps, { server_id, site_id }: ItemTarget, arrives = false) {
  if (site_id === null) return undefined
  return arrives ? getSiteById(db, site_id) : getSite(db, server_id, site_id)
}
