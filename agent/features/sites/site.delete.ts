import * as accounts from '#agent/features/access/accounts.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import * as kept from '#agent/features/sites/trash/database.ts'
import * as trash from '#agent/features/sites/trash/trash.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { mariadbSteps, removeDatabase } from '#agent/kernel/database/mariadb.ts'
import { inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, getSite, moveSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, line, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { notFound } from '#shared/kernel/errors.ts'

type DeleteParams = ParamsOf<'site.delete'>

/** Before the record in the trash the site is restored, after it the rest is removed. */
export const siteDelete = command('site.delete', {
  lock: onSite.lock,
  async check(params, host) {
    const site = await getDeletable(host, params)
    if (await isRunning(host, MARIADB)) await trash.refuseWithoutSpace(host, site)
    return { site }
  },
  async find(params, host) {
    const known = await findDeletable(host, params)
    const site = known ?? (await findSite(host, params.domain, 'trash'))
    return site && { site }
  },
  steps: ({ host, site }) => [
    ready(
      () => mariadbSteps(host),
      () => trash.refuseWithoutSpace(host, site),
    ),
    line(`Moving ${site.domain} to the trash`),
    ...stepsOf(site, host),
  ],
  async result({ host, site: { domain, user } }) {
    return { domain, size: (await trash.readTrashFacts(host, user)).size }
  },
})

/** Finds also the former copy of a site that has moved to another server. */
async function findDeletable(
  host: Host,
  { domain, copy }: DeleteParams,
): Promise<Site | undefined> {
  const site = (await findSite(host, domain)) ?? (await findSite(host, domain, 'moved'))
  const isCopy = site?.moving?.closed || site?.moving?.parted
  return copy && !isCopy ? undefined : site
}

async function getDeletable(host: Host, params: DeleteParams): Promise<Site> {
  const site = await findDeletable(host, params)
  if (site) return site
  if (params.copy) throw notFound(`Copy of ${params.domain}`)
  return getSite(host, params.domain)
}

/** Removes the virtual host first, the processes, and the files. The certificate stays. */
function stepsOf(site: Site, host: Host): Step[] {
  const { domain, user, moving } = site
  const ran = !moving?.parted
  return [
    {
      name: 'vhost',
      title: 'Removing the virtual host and the page cache',
      ...nginx.remove(host, site),
      undo: nginx.serve(host, site).apply,
    },
    {
      name: 'cron',
      title: 'Removing the jobs',
      ...cron.unscheduleJobs(host, user),
      undo: async () => (ran ? cron.scheduleJobs(host, site).apply() : undefined),
    },
    {
      name: 'pool',
      title: 'Stopping PHP',
      ...fpmRemoval.removePoolsAndSlice(host, site),
      undo: async () => (ran ? fpm.apply(host, site).apply() : undefined),
    },
    {
      name: 'account',
      title: `Closing the account of ${user}`,
      ...accounts.closeAccount(host, user, domain),
      undo: accounts.openAccount(host, user, domain).apply,
    },
    {
      name: 'dump',
      title: 'Writing the database to the trash',
      ...kept.keptDatabase(host, site),
    },
    {
      name: 'files',
      title: 'Moving the files to the trash',
      ...inOrder(trash.writeTrashFacts(host, site), trash.trashFiles(host, site)),
      undo: trash.restoreTrashedFiles(host, site).apply,
    },
    {
      name: 'record',
      title: 'Moving the record to the trash',
      ...moveSite(host, domain, ran ? 'sites' : 'moved', 'trash'),
      decided: async () => (await findSite(host, domain, 'trash')) !== undefined,
    },
    {
      name: 'database',
      title: 'Dropping the database',
      ...removeDatabase(host, user),
    },
  ]
}
