import type { Database } from '#dashboard/kernel/db/client.ts'
import type { RulesTable } from '#dashboard/kernel/engine/rules.ts'
import { conflict, invalid, notManaged } from '#shared/kernel/errors.ts'
import { type BulkType, OPERATION_TYPES } from '#shared/operation-types.ts'
import {
  type BulkTarget,
  type BulkTargets,
  MAX_ITEMS,
  type SkippedTarget,
} from '#shared/operations/api/bulk-operations.ts'
import {
  listServerTargets,
  listSiteTargets,
  type SiteTarget,
  unknownServers,
  unknownSites,
} from './targets.queries.ts'

const SHOWN = 10

export interface Selected {
  targets: BulkTarget[]
  /** Named, but not suitable for the call. */
  skipped: SkippedTarget[]
}

/** The targets of a call. 422 on `targets` for unknown ids, for none and for too many. */
export async function selectTargets(
  { db, types }: { db: Database; types: RulesTable },
  type: BulkType,
  targets: BulkTargets,
): Promise<Selected> {
  const onSites = OPERATION_TYPES[type].target === 'site'
  if (!onSites && targets.site_ids.length > 0)
    throw refused(`${type} is for servers, not for sites`)
  refuseUnknown('server', await unknownServers(db, targets.server_ids))
  refuseUnknown('site', await unknownSites(db, targets.site_ids))
  const found = onSites
    ? await listSiteTargets(db, types[type].bulk, targets, MAX_ITEMS + 1)
    : await listServerTargets(db, targets, MAX_ITEMS + 1)
  if (found.length === 0) throw refused(`No ${onSites ? 'site' : 'server'} is selected`)
  if (found.length > MAX_ITEMS) throw refused(`Must be at most ${MAX_ITEMS} in one call`)
  return types[type].site?.found === false
    ? withoutFound(found)
    : { targets: found.map(targetOf), skipped: [] }
}

/** A discovered site can only be read. */
function withoutFound(sites: readonly (BulkTarget | SiteTarget)[]): Selected {
  const selected: Selected = { targets: [], skipped: [] }
  for (const site of sites) {
    const target = targetOf(site)
    const isSkipped = 'found' in site && site.found
    if (isSkipped) selected.skipped.push({ ...target, error: notManaged(site.domain).body })
    else selected.targets.push(target)
  }
  return selected
}

const targetOf = ({ server_id, site_id, domain }: BulkTarget) => ({ server_id, site_id, domain })

/** 409 without a suitable target. */
export function refuseNone({ targets, skipped }: Selected): void {
  if (targets.length > 0) return
  const message = 'None of them was created by Hosting Control'
  throw conflict(
    skipped.length > 1 ? message : String(skipped[0]?.error.message),
    'site_not_managed',
  )
}

function refuseUnknown(what: string, ids: readonly number[]): void {
  if (ids.length === 0) return
  const more = ids.length > SHOWN ? ', …' : ''
  throw refused(`No such ${what}: ${ids.slice(0, SHOWN).join(', ')}${more}`)
}

const refused = (rule: string) => invalid({ targets: [rule] })
