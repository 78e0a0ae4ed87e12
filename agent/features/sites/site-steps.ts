import * as accounts from '#agent/features/access/accounts.ts'
import { certificateStep } from '#agent/features/domains/certificate-step.ts'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import { mailRemoved } from '#agent/features/mail/sockets.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { sliceApplied } from '#agent/features/php/fpm-slice.ts'
import { awaitFrontPage } from '#agent/features/web/front-page.ts'
import { listeningNotes } from '#agent/features/web/listening-notes.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { namesTakenOver } from '#agent/features/web/nginx-servers.ts'
import { createDatabase, removeDatabase } from '#agent/kernel/database/mariadb.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, type Site, siteRecord, writeSite } from '#agent/kernel/site/sites.ts'
import { andThen, type Step, type StepList, type Warn } from '#agent/kernel/steps/command.ts'
import { quotaSteps, unlimitDisk } from '#agent/kernel/users/quota.ts'
import * as users from '#agent/kernel/users/users.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { allNamesOf, pairOf } from '#shared/kernel/site-names.ts'

/**
 * Returns the steps that create a site around its files and database, which `content` brings. Each
 * undo acts only on a user whose comment names the domain of this site.
 */
export async function siteSteps(host: Host, site: Site, content: readonly Step[]): Promise<Step[]> {
  const probe = () => awaitOwnPage(host, site)
  const steps = [...(await accountSteps(host, site)), ...content, ...servedSteps(host, site, probe)]
  return steps.map((step) => withoutUndoOnceRecorded(step, host, site))
}

interface ServingOptions {
  /** Returns the record of the site, of which `content` may bring parts. */
  recorded(): Site
  probe: Step['apply']
}

/** Returns the steps for a site whose record is known only after its content. */
export async function copySteps(
  host: Host,
  site: Site,
  content: readonly Step[],
  { recorded, probe }: ServingOptions,
): Promise<StepList> {
  const guard = (step: Step) => withoutUndoOnceRecorded(step, host, site)
  return [
    ...[...(await accountSteps(host, site)), ...content].map(guard),
    andThen(() => servedSteps(host, recorded(), probe).map(guard)),
  ]
}

async function accountSteps(host: Host, site: Site): Promise<Step[]> {
  const { domain, user } = site
  return [
    {
      name: 'user',
      title: `Creating the system user ${user}`,
      ...users.createUser(host, user, domain),
      undo: accounts.removeUser(host, user, domain).apply,
    },
    ...(await quotaSteps(host, async () => site, unlimitDisk(host, user).apply)),
    {
      name: 'folders',
      title: 'Creating the folders',
      effects: async () => [
        ...(await users.createFolders(host, user).effects()),
        ...(await sliceApplied(host, site).effects()),
      ],
      async apply() {
        await sliceApplied(host, site).apply()
        await users.createFolders(host, user).apply()
      },
      async undo() {
        await users.removeFolders(host, user, domain)
        await fpmRemoval.removeSlice(host, user).apply()
      },
    },
  ]
}

function servedSteps(host: Host, site: Site, probe: Step['apply']): Step[] {
  const { domain, user } = site
  return [
    {
      name: 'pool',
      title: `Starting PHP ${site.php}`,
      ...fpm.apply(host, site),
      async undo() {
        await fpmRemoval.removePoolsAndSlice(host, site).apply()
        await mailRemoved(host, user).apply()
      },
    },
    {
      name: 'vhost',
      title: 'Adding the virtual host',
      ...nginx.apply(host, site, undefined),
      imposes: () => namesTakenOver(host, allNamesOf(site), site.domain),
      notes: async () => [...(await listeningNotes(host)), ...namesNotes(site)],
      undo: nginx.remove(host, site).apply,
    },
    cron.scheduleStep(host, site),
    {
      name: 'probe',
      title: 'Checking the front page',
      effects: [run('request', `http://${domain}/`)],
      apply: probe,
    },
    {
      name: 'record',
      title: 'Recording the site',
      effects: siteRecord(host, site).effects,
      async apply() {
        await users.syncFolders(host, user)
        await writeSite(host, site)
      },
      decided: async () => (await findSite(host, domain))?.user === user,
    },
  ]
}

const SHOWN_NAMES = 3

function namesNotes(site: Site): string[] {
  const pair = pairOf(site.domain)
  const others = allNamesOf(site).filter((name) => !pair.includes(name))
  if (others.length === 0) return []
  const more = others.length - SHOWN_NAMES
  const shown = others.slice(0, SHOWN_NAMES).join(', ')
  return [`The site also has the names ${shown}${more > 0 ? ` and ${more} more` : ''}.`]
}

async function awaitOwnPage(host: Host, { domain }: Site): Promise<void> {
  await awaitFrontPage(host, domain, await nginx.otherAddresses(host, domain))
}

export const databaseStep = (host: Host, site: Site, password: Secret): Step => ({
  name: 'database',
  title: 'Creating the database',
  ...createDatabase(host, site, password),
  undo: removeDatabase(host, site.user).apply,
})

/** Skips the undo once the record is written: a later restart must keep the complete site. */
function withoutUndoOnceRecorded(step: Step, host: Host, site: Site): Step {
  const { undo } = step
  if (!undo) return step
  return {
    ...step,
    async undo() {
      const complete = await findSite(host, site.domain)
      if (!complete && (await users.isUserOfSite(host, site.user, site.domain))) await undo()
    },
  }
}

export function certificateSteps(site: Site, host: Host, warn: Warn): Step[] {
  if (site.tls === 'none') return []
  const title = `Requesting a certificate for ${site.domain}`
  const refused = 'No certificate yet, the site answers on http'
  return [certificateStep(host, site, { title, refused, warn })]
}
