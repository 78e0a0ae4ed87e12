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

export function server({ db }: Pick<Deps, 'db'>, { server_id }: Pick<Params, 'server_id'>) {
  return getServer(db, idIn(server_id, 'Server'))
}

/** The server that a path names, and who asks for it. */
export async function serverTarget(
  deps: Pick<Deps, 'db' | 'public_url'>,
  request: Request,
  params: Pick<Params, 'server_id'>,
) {
  const origin = deps.public_url ?? new URL(request.url).origin
  return { server: await server(deps, params), actor: callerOf(request).user.id, origin }
}

/** The site that a path names, and who asks for it. 404 for a site of another server. */
export async function place(deps: Deps, request: Request, params: Params) {
  const home = await server(deps, params)
  const site = await getSite(deps.db, home.id, idIn(params.site_id, 'Site'))
  return { server: home, site, actor: callerOf(request).user.id }
}

/** The same, and 409 for a site in the trash. */
export async function livePlace(deps: Deps, request: Request, params: Params) {
  const found = await place(deps, request, params)
  refuseTrashed(found.site)
  return found
}

/** The same, and 409 for a site that was only found: for all that would change it. */
export async function managedPlace(deps: Deps, request: Request, params: Params) {
  const wanted = await livePlace(deps, request, params)
  refuseFound(wanted.site)
  return wanted
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
