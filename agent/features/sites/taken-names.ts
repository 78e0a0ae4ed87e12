import { servers } from '#agent/features/web/others.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findHolder, type Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

/**
 * Throws conflict, with the name, if another site of this server answers to a name of this one.
 * `known` are names that it has already.
 */
export async function refuseTakenNames(
  host: Host,
  site: Site,
  known: readonly string[] = [],
): Promise<void> {
  const { all } = await servers(host)
  for (const name of allNamesOf(site).filter((each) => !known.includes(each))) {
    const except = site.domain
    const served = await findHolder(host, [name], { except })
    if (served) throw conflict(`${name} is a name of the site ${served.domain} of this server`)
    const trashed = await findHolder(host, [name], { folder: 'trash', except })
    if (trashed) {
      throw conflict(
        `${name} is a name of ${trashed.domain}, which is in the trash of this server: delete it permanently, or remove the name`,
      )
    }
    const path = all.find((server) => server.names.includes(name))?.path
    if (path) throw conflict(`${name} is already served by ${path} on this server`)
  }
}
