import type { Database } from '#dashboard/db/client.ts'
import {
  type BulkTarget,
  type BulkTargets,
  type BulkType,
  MOST_ITEMS,
  SITE_BULK_PARAMS,
} from '#shared/api/bulk-operations.ts'
import { invalid } from '#shared/errors.ts'
import { listServerTargets, listSiteTargets, unknownServers, unknownSites } from './queries.ts'

const SHOWN = 10

/** What the targets of a call are. 422 on `targets` for ids of nothing, for none and for too many. */
export async function selectTargets(
  db: Database,
  type: BulkType,
  targets: BulkTargets,
): Promise<BulkTarget[]> {
  const onSites = Object.hasOwn(SITE_BULK_PARAMS, type)
  if (!onSites && targets.site_ids.length > 0)
    throw refused(`${type} is for servers, not for sites`)
  refuseUnknown('server', await unknownServers(db, targets.server_ids))
  refuseUnknown('site', await unknownSites(db, targets.site_ids))
  const found = onSites
    ? await listSiteTargets(db, type, targets, MOST_ITEMS + 1)
    : await listServerTargets(db, targets, MOST_ITEMS + 1)
  if (found.length === 0) throw refused(`Select no ${onSites ? 'site' : 'server'}`)
  if (found.length > MOST_ITEMS) throw refused(`Must be at most ${MOST_ITEMS} in one call`)
  return found
}

function refuseUnknown(what: string, ids: readonly number[]): void {
  if (ids.length === 0) return
  const more = ids.length > SHOWN ? ', …' : ''
  throw refused(`No such ${what}: ${ids.slice(0, SHOWN).join(', ')}${more}`)
}

const refused = (rule: string) => invalid({ targets: [rule] })
