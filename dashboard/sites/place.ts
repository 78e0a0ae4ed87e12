import { callerOf } from '#dashboard/auth/caller.ts'
import type { SiteRow } from '#dashboard/db/rows.ts'
import type { Deps } from '#dashboard/deps.ts'
import { idIn } from '#dashboard/http/path.ts'
import { getServer } from '#dashboard/servers/queries.ts'
import { conflict, notManaged } from '#shared/errors.ts'
import { getSite } from './queries.ts'

type Params = { server_id: string; site_id: string }

export function server({ db }: Pick<Deps, 'db'>, { server_id }: Pick<Params, 'server_id'>) {
  return getServer(db, idIn(server_id, 'Server'))
}

/** The site that a path names, and who asks for it. 404 for a site of another server. */
export async function place(deps: Deps, request: Request, params: Params) {
  const home = await server(deps, params)
  const site = await getSite(deps.db, home.id, idIn(params.site_id, 'Site'))
  const { id: actor, email } = callerOf(request).user
  return { server: home, site, actor, email }
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

export function refuseTrashed(site: SiteRow): SiteRow {
  if (site.status === 'trashed')
    throw conflict(`${site.domain} is in the trash: restore or purge it`)
  return site
}
