import { findUser } from '#dashboard/auth/queries.ts'
import type { BulkItemRow, BulkRow, ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { type BeginDeps, newOperation } from '#dashboard/operations/begin.ts'
import type { NewOperation } from '#dashboard/operations/queries.ts'
import { refuseUnfit } from '#dashboard/operations/retry/retry-operation.ts'
import { getServer } from '#dashboard/servers/queries.ts'
import { type UpgradeDeps, upgradeParams } from '#dashboard/servers/upgrade-agent.ts'
import { refuseUnknownPhp } from '#dashboard/sites/create-site.ts'
import { getSite } from '#dashboard/sites/queries.ts'
import { SERVER_BULK_PARAMS, SITE_BULK_PARAMS } from '#shared/api/bulk-operations.ts'

export type PrepareDeps = BeginDeps & UpgradeDeps

/** What an item is about to begin: as the call for one would, but it does not wait for an agent. */
export async function prepare(
  deps: PrepareDeps,
  { type, params: input, actor }: Pick<BulkRow, 'type' | 'params' | 'actor'>,
  { server_id, site_id }: Pick<BulkItemRow, 'server_id' | 'site_id'>,
): Promise<NewOperation> {
  const server = await getServer(deps.db, server_id)
  const place = { input, server, actor }
  if (site_id === null) {
    const params = await serverParams(deps, type, place)
    return newOperation(deps, { type, server, params, actor, patient: false })
  }
  const site = await getSite(deps.db, server_id, site_id)
  refuseUnfit(type, site)
  const params = await siteParams(deps, type, { ...place, site })
  return newOperation(deps, { type, server, site, params, actor, patient: false })
}

interface Place {
  input: Record<string, unknown>
  server: ServerRow
  actor: number | null
}

async function siteParams(
  { db }: PrepareDeps,
  type: BulkRow['type'],
  { input, server, site, actor }: Place & { site: SiteRow },
): Promise<Record<string, unknown>> {
  const { domain, user, php } = site
  switch (type) {
    case 'site.update': {
      const change = SITE_BULK_PARAMS[type].parse(input)
      if (change.php !== undefined) refuseUnknownPhp(server, change.php)
      return { domain, ...change }
    }
    case 'site.restore':
      return { domain, ...SITE_BULK_PARAMS[type].parse(input) }
    case 'pool.apply':
      return { user, php_version: php, ...SITE_BULK_PARAMS[type].parse(input) }
    case 'tls.issue': {
      const caller = actor === null ? undefined : await findUser(db, actor)
      return { domain, ...SITE_BULK_PARAMS[type].parse(input), email: site.email || caller?.email }
    }
    default:
      return { domain }
  }
}

async function serverParams(
  deps: PrepareDeps,
  type: BulkRow['type'],
  { input, server }: Place,
): Promise<Record<string, unknown>> {
  switch (type) {
    case 'agent.upgrade':
      return upgradeParams(deps, server, String(input.origin))
    case 'server.provision':
    case 'service.restart':
      return SERVER_BULK_PARAMS[type].parse(input)
    default:
      return {}
  }
}
