import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { originOf } from '#dashboard/kernel/http/connection.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import type { PathCall } from '#dashboard/kernel/http/route.ts'
import { conflict, notManaged } from '#shared/kernel/errors.ts'

interface Deps {
  db: Database
}

type ServerCall<D = Deps> = PathCall<D, 'server_id'>
type SiteCall = PathCall<Deps, 'server_id' | 'site_id'>

export interface SiteTarget {
  server: ServerRow
  site: SiteRow
  actor: number
}

export function loadServer({ deps: { db }, params }: ServerCall): Promise<ServerRow> {
  return getServer(db, idIn(params.server_id, 'Server'))
}

export async function serverTarget(call: ServerCall<Deps & { public_url: string | undefined }>) {
  const origin = originOf(call.deps, call.request)
  return { server: await loadServer(call), actor: call.caller.user.id, origin }
}

/** Returns the site of a path, its server and the caller. A site of another server is not found. */
export async function loadSite(call: SiteCall): Promise<SiteTarget> {
  const server = await loadServer(call)
  const site = await getSite(call.deps.db, server.id, idIn(call.params.site_id, 'Site'))
  return { server, site, actor: call.caller.user.id }
}

/** Returns the site of a path; one in the trash is a conflict. */
export async function loadLiveSite(call: SiteCall): Promise<SiteTarget> {
  const target = await loadSite(call)
  refuseTrashed(target.site)
  return target
}

/** Returns the site of a path for a change: a discovered one is refused too. */
export async function loadManagedSite(call: SiteCall): Promise<SiteTarget> {
  const target = await loadLiveSite(call)
  refuseFound(target.site)
  return target
}

export function refuseFound(site: SiteRow): SiteRow {
  if (site.found && site.status !== 'trashed') throw notManaged(site.domain)
  return site
}

function refuseTrashed(site: SiteRow): SiteRow {
  if (site.status === 'trashed')
    throw conflict(`${site.domain} is in the trash: restore it or delete it permanently`)
  return site
}
