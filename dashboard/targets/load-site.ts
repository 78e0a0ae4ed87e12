import { callerOf } from '#dashboard/auth/caller.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { getServer, getSite } from '#dashboard/db/targets.ts'
import type { Deps } from '#dashboard/deps.ts'
import { idIn } from '#dashboard/http/path.ts'
import { conflict, notManaged } from '#shared/errors.ts'

type Params = { server_id: string; site_id: string }

export interface SiteTarget {
  server: ServerRow
  site: SiteRow
  actor: number
}

export function loadServer({ db }: Pick<Deps, 'db'>, { server_id }: Pick<Params, 'server_id'>) {
  return getServer(db, idIn(server_id, 'Server'))
}

/** The server of a path and the caller. */
export async function serverTarget(
  deps: Pick<Deps, 'db' | 'public_url'>,
  request: Request,
  params: Pick<Params, 'server_id'>,
) {
  const origin = deps.public_url ?? new URL(request.url).origin
  return { server: await loadServer(deps, params), actor: callerOf(request).user.id, origin }
}

/** The site of a path, its server and the caller. A site of another server is not found. */
export async function loadSite(deps: Deps, request: Request, params: Params) {
  const server = await loadServer(deps, params)
  const site = await getSite(deps.db, server.id, idIn(params.site_id, 'Site'))
  return { server, site, actor: callerOf(request).user.id }
}

/** A site in the trash is a conflict. */
export async function loadLiveSite(deps: Deps, request: Request, params: Params) {
  const target = await loadSite(deps, request, params)
  refuseTrashed(target.site)
  return target
}

/** For every change: a discovered site is refused too. */
export async function loadManagedSite(deps: Deps, request: Request, params: Params) {
  const target = await loadLiveSite(deps, request, params)
  refuseFound(target.site)
  return target
}

export function refuseFound(site: SiteRow): SiteRow {
  if (site.found && site.status !== 'trashed') throw notManaged(site.domain)
  return site
}

function refuseTrashed(site: SiteRow): SiteRow {
  if (site.status === 'trashed')
    throw conflict(`${site.domain} is in the trash: restore or purge it`)
  return site
}
