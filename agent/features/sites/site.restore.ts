import * as accounts from '#agent/features/access/accounts.ts'
import { needsRenewal } from '#agent/features/domains/certificate-coverage.ts'
import { certificateStep } from '#agent/features/domains/certificate-step.ts'
import { recordInterruptedIssue } from '#agent/features/domains/interrupted-issue.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import { objectCacheSteps } from '#agent/features/object-cache/programs.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { provisionSteps } from '#agent/features/servers/provision/provision.ts'
import * as kept from '#agent/features/sites/trash/database.ts'
import * as trash from '#agent/features/sites/trash/trash.ts'
import { awaitAnswerStep } from '#agent/features/web/front-page.ts'
import { listeningNotes } from '#agent/features/web/listening-notes.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { namesTakenOver, refuseServedNames } from '#agent/features/web/nginx-servers.ts'
import { connectionSteps } from '#agent/kernel/database/connections.ts'
import { removeDatabase } from '#agent/kernel/database/mariadb.ts'
import { inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import {
  findSite,
  findSiteWithName,
  moveSite,
  type Site,
  siteRecord,
} from '#agent/kernel/site/sites.ts'
import { after, command, line, ready, type Step, type Warn } from '#agent/kernel/steps/command.ts'
import { findUnitOf } from '#agent/kernel/users/known-names.ts'
import * as users from '#agent/kernel/users/users.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, notFound, ServiceError } from '#shared/kernel/errors.ts'
import { isReserved } from '#shared/kernel/fields.ts'
import { omit } from '#shared/kernel/omit.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { isSystemAccount } from '#shared/kernel/system-accounts.ts'

/** The site is restored when its record leaves the trash: until then the trash is unchanged. */
export const siteRestore = command('site.restore', {
  lock: onSite.lock,
  check: async ({ domain }, host) => ({ site: withoutMove(await getTrashed(host, domain)) }),
  async find({ domain }, host) {
    const site = (await findSite(host, domain, 'trash')) ?? (await findSite(host, domain))
    return site && { site: withoutMove(site) }
  },
  steps: ({ params: { domain, accept }, host, site, warn }) => [
    ready(
      () => preparationSteps(host, site, accept),
      () => asConflict(site, refuseServedNames(host, allNamesOf(site))),
    ),
    line(`Restoring ${domain} from the trash`),
    ...stepsOf(site, host),
    after(
      () => certificateSteps(host, site, warn),
      () => recordInterruptedIssue(host, domain),
    ),
  ],
  result: domainOf,
})

/**
 * Returns the site as it is restored: the former copy of a site that has moved serves again, without
 * the logins, which have followed the site.
 */
function withoutMove(site: Site): Site {
  const { moving } = site
  return moving?.parted || moving?.closed ? omit(site, 'moving', 'access', 'clients') : site
}

async function preparationSteps(
  host: Host,
  site: Site,
  accept: ParamsOf<'site.restore'>['accept'],
): Promise<Step[]> {
  await refuseTakenSite(host, site)
  await trash.refuseUnrestorable(host, site)
  const steps = await asConflict(site, provisionSteps(host, [site.php], 'php', { accept }))
  const installed = await host.files.stat(NGINX.program)
  if (installed) await asConflict(site, refuseServedNames(host, allNamesOf(site)))
  const all = [
    ...steps,
    ...(await connectionSteps(host, site)),
    ...(await objectCacheSteps(host, site)),
  ]
  return all.map((step) => stepAsConflict(site, step))
}

async function getTrashed(host: Host, domain: string): Promise<Site> {
  const site = await findSite(host, domain, 'trash')
  if (site) return site
  if (await findSite(host, domain)) throw conflict(`Site ${domain} is not in the trash`)
  if (await findSite(host, domain, 'purging')) {
    throw conflict(`The permanent deletion of ${domain} has started: it cannot be restored`)
  }
  throw notFound(`Site ${domain} in the trash`)
}

async function refuseTakenSite(host: Host, site: Site): Promise<void> {
  const { domain, user } = site
  const taken = await findSiteWithName(host, allNamesOf(site))
  if (taken) throw conflict(`${domain} is now used by the site ${taken.domain} of this server`)
  if (!(await users.isUserOfSite(host, user, domain))) {
    throw conflict(`The system user ${user} is missing: ${domain} can only be deleted permanently`)
  }
  if (isSystemAccount(user)) {
    throw conflict(`${domain} cannot be restored: ${user} is the name of a system account`)
  }
  const unit = isReserved(user) ? 'Hosting Control' : await findUnitOf(host, user)
  if (unit !== undefined) {
    throw conflict(`${domain} cannot be restored: ${unit} of this server now runs as ${user}`)
  }
}

/** Turns an invalid field into a conflict: the request is valid, but the server has changed. */
async function asConflict<T>({ domain }: Site, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.fields)) throw error
    const reason = Object.values(error.fields).flat().join('; ')
    throw conflict(`${domain} cannot be restored: ${reason}`)
  })
}

const stepAsConflict = (site: Site, { apply, ...step }: Step): Step => ({
  ...step,
  async *apply() {
    const work = apply()
    if (!(Symbol.asyncIterator in work)) return asConflict(site, work)
    for (;;) {
      const next = await asConflict(site, work.next())
      if (next.done) return
      yield next.value
    }
  },
})

/** Restores the files of the user first, then its processes, the virtual host last. */
function stepsOf(site: Site, host: Host): Step[] {
  const { domain, user } = site
  return [
    {
      name: 'database',
      title: 'Importing the database',
      ...kept.restoreTrashedDatabase(host, site),
      undo: removeDatabase(host, user).apply,
    },
    {
      name: 'files',
      title: 'Moving the files back',
      ...trash.restoreTrashedFiles(host, site),
      undo: trash.trashFiles(host, site).apply,
    },
    {
      name: 'account',
      title: `Opening the account of ${user}`,
      ...accounts.openAccount(host, user, domain),
      undo: accounts.closeAccount(host, user, domain).apply,
    },
    {
      name: 'pool',
      title: `Starting PHP ${site.php}`,
      ...fpm.apply(host, site),
      undo: fpmRemoval.removePoolsAndSlice(host, site).apply,
    },
    cron.scheduleStep(host, site),
    {
      name: 'vhost',
      title: 'Adding the virtual host',
      ...nginx.serve(host, site),
      imposes: () => namesTakenOver(host, allNamesOf(site), site.domain),
      notes: () => listeningNotes(host),
      undo: nginx.remove(host, site).apply,
    },
    awaitAnswerStep(host, domain),
    {
      name: 'record',
      title: 'Moving the record back',
      ...inOrder(siteRecord(host, site, 'trash'), moveSite(host, domain, 'trash', 'sites')),
      decided: async () => (await findSite(host, domain)) !== undefined,
    },
    {
      name: 'dump',
      title: 'Removing the dump of the database',
      ...kept.removeTrashedDatabase(host, site),
    },
  ]
}

/** Renews the certificate if it has expired since the deletion. */
async function certificateSteps(host: Host, site: Site, warn: Warn): Promise<Step[]> {
  if (!(await needsRenewal(host, site))) return []
  const title = `Renewing the certificate of ${site.domain}`
  const refused = 'The certificate must be renewed, which failed'
  return [certificateStep(host, site, { title, refused, warn })]
}
