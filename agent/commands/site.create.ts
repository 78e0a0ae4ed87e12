import type { Host } from '#agent/host/ports.ts'
import { cutOffCertificate } from '#agent/os/certificates/cut-off.ts'
import * as cron from '#agent/os/cron/cron.ts'
import { connectionSteps } from '#agent/os/database/connections.ts'
import {
  createDatabase,
  planCreateDatabase,
  refuseExistingDatabase,
  removeDatabase,
} from '#agent/os/database/mariadb.ts'
import { change, create, run } from '#agent/os/effects/effects.ts'
import { forgetMail } from '#agent/os/mail/sockets.ts'
import { awaitFrontPage } from '#agent/os/nginx/front-page.ts'
import * as nginx from '#agent/os/nginx/nginx.ts'
import { listeningNotes } from '#agent/os/nginx/notes.ts'
import { planTakeOver, refuseServedNames } from '#agent/os/nginx/others.ts'
import * as fpm from '#agent/os/php/fpm.ts'
import * as fpmRemoval from '#agent/os/php/fpm-removal.ts'
import { slice } from '#agent/os/php/fpm-slice.ts'
import { provisionSteps } from '#agent/os/provision/provision.ts'
import { MARIADB, NGINX } from '#agent/os/services/known.ts'
import { isRunning } from '#agent/os/services/service.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import { findSite, listSites, planWriteSite, type Site, writeSite } from '#agent/os/site/sites.ts'
import { budgetOf, machineOf, plannedFor } from '#agent/os/site/tiers.ts'
import { listTrash } from '#agent/os/trash/trash.ts'
import { quotaSteps, unlimitDisk } from '#agent/os/users/quota.ts'
import * as users from '#agent/os/users/users.ts'
import { coreSteps, provideCore } from '#agent/os/wordpress/core.ts'
import { copyCore, install } from '#agent/os/wordpress/wordpress.ts'
import type { Command, Progress, Step, Warn } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { invalid } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { Secret } from '#shared/secret.ts'
import { refuseUnaccepted } from './accept.ts'
import { certificateStep } from './certificate-step.ts'
import { refuseFullDisk } from './free-space.ts'

const MIN_FREE = 500 * 2 ** 20

export const siteCreate: Command<'site.create'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: (params, host) => stepsOf(siteOf(params), host),
  async plan(params, host) {
    const site = siteOf(params)
    return [
      ...(await preparing(params, host)),
      ...(await coreSteps(host)),
      ...(await stepsOf(site, host)),
      ...certificateSteps(site, host, () => undefined),
    ]
  },
  // The record is written last: a failure after it, of a certificate, does not undo the site.
  async finished({ domain, user }, host) {
    const site = await findSite(host, domain)
    return site?.user === user ? { domain } : undefined
  },
  missing: ({ domain }, host) => cutOffCertificate(host, domain),
  async *run(params, { host, announce, perform, warn }) {
    const site = siteOf(params)
    const missing = await preparing(params, host)
    const steps = await stepsOf(site, host)
    await refuseUnaccepted([...missing, ...steps], params.accept ?? [])
    const certificate = certificateSteps(site, host, warn)
    announce([...missing, ...(await coreSteps(host)), ...steps, ...certificate])
    yield* perform(missing)
    if (missing.length > 0) await refuseKnownNames(host, site)
    yield* warnOfCapacity(host, site)
    yield* perform(await coreSteps(host))
    yield* perform(await stepsOf(site, host))
    yield* perform(certificate)
    return { domain: site.domain }
  },
}

const siteOf = ({ accept: _, ...site }: ParamsOf<'site.create'>): Site => site

/** The steps that make the server ready, after all checks. */
async function preparing(params: ParamsOf<'site.create'>, host: Host): Promise<Step[]> {
  const site = siteOf(params)
  await refuseTaken(host, site)
  const steps = await provisionSteps(host, [site.php], 'php', params.accept)
  await refuseKnownNames(host, site)
  return [...steps, ...(await connectionSteps(host, site))]
}

/** Checks only running services: before provisioning, none may answer. */
async function refuseKnownNames(host: Host, { domain, user }: Site): Promise<void> {
  if (await isRunning(host, MARIADB)) await refuseExistingDatabase(host, user)
  if (await host.files.stat(NGINX.program)) await refuseServedNames(host, domain)
}

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
  await refuseFullDisk(host, MIN_FREE, 'a site')
}

async function* warnOfCapacity(host: Host, site: Site): Progress<void> {
  const machine = await machineOf(host)
  const tiers = [...(await listSites(host)), site].map(({ tier }) => tier)
  const planned = plannedFor(tiers, machine)
  const budget = budgetOf(machine)
  if (planned <= 2 * budget) return
  yield `Warning: all sites at once could need ${planned} MB for PHP, and this server has ${budget} MB`
}

/** Each undo acts only on a user whose comment names the domain of this site. */
export async function stepsOf(site: Site, host: Host): Promise<Step[]> {
  const { domain, user } = site
  const password = new Secret(host.random.text(32))
  const steps: Step[] = [
    {
      name: 'user',
      title: `Creating the system user ${user}`,
      effects: users.planCreateUser(host, user),
      apply: () => users.createUser(host, user, domain),
      undo: () => users.removeUser(host, user, domain),
    },
    ...(await quotaSteps(
      host,
      async () => site,
      () => unlimitDisk(host, user),
    )),
    {
      name: 'folders',
      title: 'Creating the folders',
      effects: async () => [
        ...(await users.createFolders(host, user).effects()),
        ...(await slice(host, site).effects()),
      ],
      async apply() {
        await slice(host, site).apply()
        await users.createFolders(host, user).apply()
      },
      async undo() {
        await users.removeFolders(host, user, domain)
        await fpmRemoval.removeSlice(host, user)
      },
    },
    {
      name: 'core',
      title: 'Copying WordPress',
      effects: [change('folder', docrootOf(user))],
      async *apply() {
        await copyCore(host, site, yield* provideCore(host))
      },
    },
    {
      name: 'database',
      title: 'Creating the database',
      effects: planCreateDatabase(user),
      apply: () => createDatabase(host, site, password),
      undo: () => removeDatabase(host, user),
    },
    {
      name: 'install',
      title: 'Installing WordPress',
      effects: [create('file', `${docrootOf(user)}/wp-config.php`), change('database', user)],
      apply: () => install(host, site, password),
    },
    {
      name: 'pool',
      title: `Starting PHP ${site.php}`,
      effects: () => fpm.planApply(host, site),
      apply: () => fpm.apply(host, site),
      async undo() {
        await fpmRemoval.removeAll(host, site)
        await forgetMail(host, user).apply()
      },
    },
    {
      name: 'vhost',
      title: 'Adding the virtual host',
      effects: () => nginx.planApply(host, site, undefined),
      imposes: () => planTakeOver(host, domain),
      notes: () => listeningNotes(host),
      apply: () => nginx.apply(host, site, undefined),
      undo: () => nginx.remove(host, site),
    },
    {
      name: 'cron',
      title: 'Scheduling the jobs of WordPress',
      ...cron.schedule(host, site),
      undo: cron.unschedule(host, user).apply,
    },
    {
      name: 'probe',
      title: 'Checking the front page',
      effects: [run('request', `http://${domain}/`)],
      async apply() {
        await awaitFrontPage(host, domain, await nginx.otherAddresses(host, domain))
      },
    },
    {
      name: 'record',
      title: 'Recording the site',
      effects: () => planWriteSite(host, site),
      async apply() {
        await users.settleFolders(host, user)
        await writeSite(host, site)
      },
      decided: async () => (await findSite(host, domain))?.user === user,
    },
  ]
  return steps.map((step) => guarded(step, host, site))
}

/** With its record the site is complete: a later restart must not undo it. */
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

function certificateSteps(site: Site, host: Host, warn: Warn): Step[] {
  if (site.tls === 'none') return []
  const title = `Requesting a certificate for ${site.domain}`
  const refused = 'No certificate yet, the site answers on http'
  return [certificateStep(host, site, { title, refused, warn })]
}
