import { apexOf } from '#shared/names.ts'
import type { Host } from '../host/ports.ts'
import * as cron from '../os/cron.ts'
import { ensureMariadb, removeDatabase } from '../os/mariadb.ts'
import * as nginx from '../os/nginx.ts'
import { certificateFolder } from '../os/paths.ts'
import * as fpm from '../os/php-fpm.ts'
import { findSite, getSite, removeSite, type Site } from '../os/sites.ts'
import * as users from '../os/users.ts'
import type { Command, Step } from './command.ts'

/** The record goes last, so that a deletion that was cut off can be sent again. */
export const siteDelete: Command<'site.delete'> = {
  lock: ({ domain }) => apexOf(domain),
  async finished({ domain }, host) {
    return (await findSite(host, domain)) ? undefined : { domain }
  },
  async *run({ domain }, { host, perform }) {
    const site = await getSite(host, domain)
    yield `Deleting ${domain}`
    await ensureMariadb(host)
    yield* perform(stepsOf(site, host))
    return { domain }
  },
}

/** Visitors first, then what runs as the user, then what the user owns. */
function stepsOf(site: Site, host: Host): Step[] {
  const { domain, user } = site
  return [
    {
      name: 'vhost',
      title: 'Removing the virtual host and the page cache',
      apply: () => nginx.remove(host, site),
    },
    {
      name: 'cron',
      title: 'Removing the jobs',
      apply: () => cron.remove(host, user),
    },
    {
      name: 'pool',
      title: 'Stopping PHP',
      apply: () => fpm.removeAll(host, site),
    },
    {
      name: 'database',
      title: 'Dropping the database',
      apply: () => removeDatabase(host, user),
    },
    {
      name: 'files',
      title: 'Removing the files',
      apply: () => users.removeFolders(host, user, domain),
    },
    {
      name: 'user',
      title: `Removing the system user ${user}`,
      apply: () => users.removeUser(host, user, domain),
    },
    {
      name: 'certificate',
      title: 'Removing the certificate and the record',
      async apply() {
        await host.files.remove(certificateFolder(domain))
        await removeSite(host, domain)
      },
    },
  ]
}
