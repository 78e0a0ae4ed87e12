import { refuseLack } from '#agent/features/backups/fetch.ts'
import { findReport } from '#agent/features/copies/clone/report.ts'
import { listConfigFiles } from '#agent/features/copies/rename/config.ts'
import { findRenaming, newNames, type Renaming } from '#agent/features/copies/rename/renaming.ts'
import { refuseServedNames } from '#agent/features/web/nginx-servers.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import { objectsIn } from '#agent/kernel/database/foreign-objects.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { DATABASES } from '#agent/kernel/database/space-watch.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'
import { findSiteWithName, getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, ready } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { AddressReport } from '#shared/copies/copy-source.ts'
import type { Renamed } from '#shared/copies/site.rename.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { NO_NAMES, pairOf, problemsOf } from '#shared/kernel/site-names.ts'
import { stepsOf } from './rename-steps.ts'

type RenameParams = ParamsOf<'site.rename'>

/** Serves the site under exactly one of both names as its primary domain, whatever fails. */
export const siteRename = command('site.rename', {
  lock: onSite.lock,
  check: (params, host) => checkedRenaming(host, params),
  find: (params, host) => findRenaming(host, params),
  steps: (job) => [ready(() => mariadbSteps(job.host)), ...stepsOf(job)],
  unfinished: warnOfCleanup,
  async result({ host, former, target }) {
    const report = await findReport(host, target.user)
    if (!report) throw new Error('The operation has no result')
    return resultOf({ former, target }, report.addresses)
  },
})

const resultOf = ({ former, target }: Renaming, addresses: AddressReport): Renamed => ({
  domain: target.domain,
  former: former.domain,
  addresses,
  ...(target.names ?? NO_NAMES),
})

/** Throws invalid for a foreign name, and conflict for a site that cannot be renamed now. */
export async function checkedRenaming(host: Host, params: RenameParams): Promise<Renaming> {
  const site = await getSite(host, params.domain)
  refuseState(site)
  const renaming = await findRenaming(host, params)
  if (!renaming) throw new Error(`${params.domain} has no record`)
  const { target } = renaming
  const problems = Object.values(problemsOf(target.domain, target.names ?? NO_NAMES)).flat()
  if (problems.length > 0) throw invalid({ primary: problems })
  await refuseTakenName(host, site, target.domain)
  await refuseServedNames(host, newNames(renaming), 'primary')
  await refuseDatabase(host, site)
  await listConfigFiles(host, site, target)
  return renaming
}

function refuseState({ domain, moving, suspended }: Site): void {
  if (moving) throw conflict(`${domain} is moving to another server: try again after the move`)
  if (suspended) throw conflict(`${domain} is suspended: resume it first`)
}

async function refuseTakenName(host: Host, site: Site, primary: string): Promise<void> {
  const except = site.domain
  for (const folder of ['sites', 'moved', 'trash', 'purging'] as const) {
    const holder = await findSiteWithName(host, pairOf(primary), { folder, except })
    if (!holder) continue
    const where = folder === 'trash' ? ' in the trash of this server' : ''
    throw invalid({ primary: [`${primary} is a name of the site ${holder.domain}${where}`] })
  }
}

/** Refuses triggers, which the site's account can neither save nor create. */
async function refuseDatabase(host: Host, { domain, user }: Site): Promise<void> {
  const size = await databaseSize(host, user)
  if (size === undefined) throw conflict(`${domain} has no database`)
  const objects = await objectsIn(host, user)
  if (objects.some(({ kind }) => kind === 'trigger'))
    throw conflict(`The database of ${domain} has triggers, which the change would remove`)
  for (const [path, bytes] of [
    [HOMES, 3 * size],
    [DATABASES, size],
  ] as const)
    await refuseLack(host, path, bytes, 'the change of the addresses')
}
