import * as accounts from '#agent/features/access/accounts.ts'
import { removeRestoreFolders } from '#agent/features/backups/replace.ts'
import { removeRepositorySecrets } from '#agent/features/backups/restic/session.ts'
import { mailRemoved } from '#agent/features/mail/sockets.ts'
import { emptyTrash, refuseTooYoung } from '#agent/features/sites/trash/trash.ts'
import { baselineRemoved } from '#agent/kernel/baseline/baseline.ts'
import { removeDatabase, startMariadb } from '#agent/kernel/database/mariadb.ts'
import { inOrder, provided, removed } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { findSite, moveSite, removeSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, line, type Step } from '#agent/kernel/steps/command.ts'
import { unlimitDisk } from '#agent/kernel/users/quota.ts'
import * as users from '#agent/kernel/users/users.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'

type PurgeParams = ParamsOf<'site.purge'>

/** After a restart, the site may be gone altogether. */
interface Subject {
  site: Site | undefined
}

/** Leaves the trash first, so that a partly deleted site is never restored; the record is removed last. */
export const sitePurge = command<'site.purge', Subject>('site.purge', {
  lock: onSite.lock,
  check: async (params, host) => ({ site: await getPurgeable(host, params) }),
  async find({ domain }, host) {
    const site = await findPurgeable(host, domain)
    return site || !(await findSite(host, domain)) ? { site } : undefined
  },
  steps: ({ host, site, params: { domain } }) => [
    line(`Deleting ${domain} permanently`),
    markStep(host, domain),
    ...(site ? removingSteps(host, site) : []),
  ],
  unfinished(reason, { params: { domain } }) {
    throw new Error(`${domain} is not deleted completely: ${reason}`)
  },
  async result({ host, params: { domain } }) {
    if (await findPurgeable(host, domain)) throw new Error(`${domain} is not deleted completely`)
    return { domain }
  },
})

async function findPurgeable(host: Host, domain: string): Promise<Site | undefined> {
  return (await findSite(host, domain, 'purging')) ?? (await findSite(host, domain, 'trash'))
}

/** Continues a purge that has begun without checking its age again. */
async function getPurgeable(host: Host, { domain, trashed_days }: PurgeParams): Promise<Site> {
  const begun = await findSite(host, domain, 'purging')
  const site = begun ?? (await findSite(host, domain, 'trash'))
  if (site && !begun) await refuseTooYoung(host, site, trashed_days)
  if (site) return site
  if (await findSite(host, domain)) throw conflict(`Site ${domain} is not in the trash`)
  throw notFound(`Site ${domain} in the trash`)
}

const markStep = (host: Host, domain: string): Step => ({
  name: 'mark',
  title: 'Taking the record out of the trash',
  ...provided(
    async () => !(await findSite(host, domain, 'purging')),
    moveSite(host, domain, 'trash', 'purging'),
  ),
  decided: async () => (await findSite(host, domain, 'trash')) === undefined,
})

function removingSteps(host: Host, site: Site): Step[] {
  const { domain, user } = site
  return [
    {
      name: 'database',
      title: 'Dropping the database',
      ...inOrder(startMariadb(host), removeDatabase(host, user)),
    },
    {
      name: 'files',
      title: 'Removing the files and the dump',
      ...inOrder(
        emptyTrash(host, site),
        mailRemoved(host, user),
        removeRestoreFolders(host, user),
        removeRepositorySecrets(host, user),
        baselineRemoved(host, domain),
      ),
    },
    {
      name: 'user',
      title: `Removing the system user ${user}`,
      ...inOrder(
        provided(() => users.isUserOfSite(host, user, domain), unlimitDisk(host, user)),
        accounts.removeUser(host, user, domain),
      ),
    },
    {
      name: 'certificate',
      title: 'Removing the certificate',
      ...removed(host, 'folder', certificateFolder(domain)),
    },
    {
      name: 'record',
      title: 'Removing the record',
      ...removeSite(host, domain, 'purging'),
    },
  ]
}
