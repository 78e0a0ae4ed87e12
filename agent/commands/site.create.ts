import { conflict, invalid } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { Secret } from '#shared/secret.ts'
import type { Host } from '../host/ports.ts'
import { issue } from '../os/certificates.ts'
import * as cron from '../os/cron.ts'
import { createDatabase, refuseExistingDatabase, removeDatabase } from '../os/mariadb.ts'
import * as nginx from '../os/nginx.ts'
import * as fpm from '../os/php-fpm.ts'
import { provision } from '../os/provision.ts'
import { findSite, listSites, type Site, writeSite } from '../os/sites.ts'
import { budgetOf, machineOf, plannedFor } from '../os/tiers.ts'
import { listTrash } from '../os/trash.ts'
import * as users from '../os/users.ts'
import { configure, copyCore, install } from '../os/wordpress.ts'
import { provideCore } from '../os/wordpress-core.ts'
import type { Command, Progress, Step } from './command.ts'

const MIN_FREE = 500 * 2 ** 20

export const siteCreate: Command<'site.create'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: stepsOf,
  // The record is written last: what comes after it, a certificate, never costs the site.
  async finished({ domain, user }, host) {
    const site = await findSite(host, domain)
    return site?.user === user ? { domain } : undefined
  },
  async *run(site, { host, perform }) {
    await refuseTaken(host, site)
    yield* provision(host, [site.php], 'php')
    await refuseExistingDatabase(host, site.user)
    await nginx.refuseServedNames(host, site.domain)
    yield* warnOfCapacity(host, site)
    yield* provideCore(host)
    yield* perform(stepsOf(site, host))
    yield* secure(host, site)
    return { domain: site.domain }
  },
}

/** What can be known before anything is touched. */
async function refuseTaken(host: Host, { domain, user }: Site): Promise<void> {
  const apex = apexOf(domain)
  const taken = (await listSites(host)).find((site) => apexOf(site.domain) === apex)
  if (taken) throw invalid({ domain: [`Already taken by the site ${taken.domain} of this server`] })
  const trashed = (await listTrash(host)).find((site) => apexOf(site.domain) === apex)
  if (trashed) {
    const message = `${trashed.domain} is in the trash of this server: restore or purge it`
    throw invalid({ domain: [message] })
  }
  await users.refuseExistingUser(host, user)
  const { free } = await host.files.space('/srv')
  if (free < MIN_FREE) {
    const megabytes = Math.floor(free / 2 ** 20)
    throw conflict(`Only ${megabytes} MB are free on this server, and a site needs 500 MB`)
  }
}

async function* warnOfCapacity(host: Host, site: Site): Progress<void> {
  const machine = await machineOf(host)
  const tiers = [...(await listSites(host)), site].map(({ tier }) => tier)
  const planned = plannedFor(tiers, machine)
  const budget = budgetOf(machine)
  if (planned <= 2 * budget) return
  yield `Warning: all sites at once could need ${planned} MB for PHP, and this server has ${budget} MB`
}

/** Each undo acts on what carries the mark of this site: a user whose comment names its domain. */
function stepsOf(site: Site, host: Host): Step[] {
  const { domain, user } = site
  const steps: Step[] = [
    {
      name: 'user',
      title: `Creating the system user ${user}`,
      apply: () => users.createUser(host, user, domain),
      undo: () => users.removeUser(host, user, domain),
    },
    {
      name: 'folders',
      title: 'Creating the folders',
      apply: () => users.createFolders(host, user),
      undo: () => users.removeFolders(host, user, domain),
    },
    {
      name: 'core',
      title: 'Copying WordPress',
      async *apply() {
        await copyCore(host, site, yield* provideCore(host))
      },
    },
    {
      name: 'database',
      title: 'Creating the database and wp-config.php',
      async apply() {
        const password = new Secret(host.random.text(32))
        await createDatabase(host, user, password)
        await configure(host, site, password)
      },
      undo: () => removeDatabase(host, user),
    },
    {
      name: 'install',
      title: 'Installing WordPress',
      apply: () => install(host, site),
    },
    {
      name: 'pool',
      title: `Starting PHP ${site.php}`,
      apply: () => fpm.apply(host, site),
      undo: () => fpm.removeAll(host, site),
    },
    {
      name: 'vhost',
      title: 'Adding the virtual host',
      apply: () => nginx.apply(host, site, undefined),
      undo: () => nginx.remove(host, site),
    },
    {
      name: 'cron',
      title: 'Scheduling the jobs of WordPress',
      apply: () => cron.apply(host, site),
      undo: () => cron.remove(host, user),
    },
    {
      name: 'probe',
      title: 'Asking for the front page',
      apply: () => answering(host, domain),
    },
    {
      name: 'record',
      title: 'Recording the site',
      async apply() {
        await users.settleFolders(host, user)
        await writeSite(host, site)
      },
    },
  ]
  return steps.map((step) => guarded(step, host, site))
}

/** With the record written the site is complete: a restart during what follows must not undo it. */
function guarded(step: Step, host: Host, site: Site): Step {
  const { undo } = step
  if (!undo) return step
  return {
    ...step,
    async undo() {
      const complete = await findSite(host, site.domain)
      if (!complete && (await users.isOf(host, site.user, site.domain))) await undo()
    },
  }
}

/** nginx takes up a new configuration a moment after it was told to. */
async function answering(host: Host, domain: string): Promise<void> {
  const end = host.clock.now() + 10_000
  for (;;) {
    const problem = await problemOf(host, domain)
    if (problem === undefined) return
    if (host.clock.now() > end) throw new Error(`The front page of ${domain} ${problem}`)
    await host.clock.sleep(50)
  }
}

async function problemOf(host: Host, domain: string): Promise<string | undefined> {
  try {
    const { status, body } = await host.net.probe({ host: domain, path: '/' })
    if (status !== 200) return `answers ${status}`
    return body.includes(`//${domain}/`) ? undefined : 'is that of another site'
  } catch (error) {
    return `does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** A certificate that cannot be had never costs the site. */
async function* secure(host: Host, { domain, tls, email }: Site): Progress<void> {
  if (tls === 'none') return
  try {
    yield* issue(host, { domain, tls, email })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    yield `No certificate yet, the site answers on http: ${reason}`
  }
}
