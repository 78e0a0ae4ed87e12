import { objectCacheSteps } from '#agent/features/object-cache/programs.ts'
import { provisionSteps } from '#agent/features/servers/provision/provision.ts'
import { refuseServedNames } from '#agent/features/web/nginx-servers.ts'
import { connectionSteps } from '#agent/kernel/database/connections.ts'
import { refuseExistingDatabase } from '#agent/kernel/database/mariadb.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB, NGINX } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { findSiteWithName, listSites, type Site } from '#agent/kernel/site/sites.ts'
import { budgetOf, machineOf, plannedFor } from '#agent/kernel/site/tiers.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import { refuseKnownUser } from '#agent/kernel/users/known-names.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { refuseFullDisk } from './free-space.ts'

const MIN_FREE = 500 * 2 ** 20

/** Returns the steps that make the server ready for a new site, after all checks. */
export async function preparationSteps(
  host: Host,
  site: Site,
  accept: readonly string[] = [],
): Promise<Step[]> {
  await refuseTakenSite(host, site)
  const steps = await provisionSteps(host, [site.php], 'php', { accept })
  await refuseKnownNames(host, site)
  return [...steps, ...(await connectionSteps(host, site)), ...(await objectCacheSteps(host, site))]
}

/** Checks only running services: before provisioning, there may be none. */
export async function refuseKnownNames(host: Host, site: Site): Promise<void> {
  if (await isRunning(host, MARIADB)) await refuseExistingDatabase(host, site.user)
  if (await host.files.stat(NGINX.program)) await refuseServedNames(host, allNamesOf(site))
}

async function refuseTakenSite(host: Host, site: Site): Promise<void> {
  const names = allNamesOf(site)
  const taken = await findSiteWithName(host, names)
  if (taken) throw invalid({ domain: [`Already taken by the site ${taken.domain} of this server`] })
  const trashed =
    (await findSiteWithName(host, names, { folder: 'trash' })) ??
    (await findSiteWithName(host, names, { folder: 'purging' }))
  if (trashed) {
    const message = `${trashed.domain} is in the trash of this server: restore it or delete it permanently`
    throw invalid({ domain: [message] })
  }
  await refuseKnownUser(host, site.user)
  await refuseFullDisk(host, MIN_FREE, 'a site')
}

export async function* warnOfCapacity(host: Host, site: Site): Progress<void> {
  const machine = await machineOf(host)
  const tiers = [...(await listSites(host)), site].map(({ tier }) => tier)
  const planned = plannedFor(tiers, machine)
  const budget = budgetOf(machine)
  if (planned <= 2 * budget) return
  yield `Warning: all sites at once could need ${planned} MB for PHP, and this server has ${budget} MB`
}
