import type { BulkItemRow, BulkRow } from '#dashboard/db/rows.ts'
import { getServer, getSite } from '#dashboard/db/targets.ts'
import { type BeginDeps, newOperation } from '#dashboard/operations/begin.ts'
import type { NewOperation } from '#dashboard/operations/queries.ts'
import { refuseUnfit } from '#dashboard/operations/refuse-unfit.ts'
import { type RulesDeps, rulesOf } from '#dashboard/operations/rules.ts'
import { OPERATION_TYPES } from '#shared/operation-types/index.ts'

export type PrepareDeps = BeginDeps & RulesDeps

/** The operation of an item: like that of a single call, but it does not wait for an agent. */
export async function prepare(
  deps: PrepareDeps,
  { type, params: { origin, ...given }, actor }: Pick<BulkRow, 'type' | 'params' | 'actor'>,
  { server_id, site_id }: Pick<BulkItemRow, 'server_id' | 'site_id'>,
): Promise<NewOperation> {
  const rules = rulesOf(deps, type)
  const server = await getServer(deps.db, server_id)
  const site = site_id === null ? undefined : await getSite(deps.db, server_id, site_id)
  if (site) refuseUnfit(rules.site, site)
  const on = { server, ...(site && { site }), actor }
  const input = OPERATION_TYPES[type].params.parse(given)
  const params = await rules.params(deps, { ...on, origin: String(origin) }, input)
  const backup_first = (await rules.backup_first?.(deps, on, input)) ?? null
  return newOperation(deps, { type, ...on, params, backup_first, wait_for_agent: false })
}
