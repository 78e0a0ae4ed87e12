import { listServers } from '#agent/features/web/nginx-servers.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSiteWithName, type Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

/** Throws conflict if another site here answers to a name of this one that is not in `known`. */
export async function refuseTakenNames(
  host: Host,
  site: Site,
  known: readonly string[] = [],
): Promise<void> {
  const { all } = await listServers(host)
  for (const name of allNamesOf(site).filter((each) => !known.includes(each))) {
    const except = site.domain
    const served = await findSiteWithName(host, [name], { except })
    if (served) throw conflict(`${name} is a name of the site ${served.domain} of this server`)
    const trashed = await findSiteWithName(host, [name], { folder: 'trash', except })
    if (trashed) {
      throw conflict(
        `${name} is a name of ${trashed.domain}, which is in the trash of this server: delete it permanently, or remove the name`,
      )
    }
    const path = all.find((server) => server.names.includes(name))?.path
    if (path) throw conflict(`${name} is already served by ${path} on this server`)
  }
}
