import * as accounts from '#agent/features/access/accounts.ts'
import { fetchedOf, restoreFolders } from '#agent/features/backups/paths.ts'
import { removeRestoreFolders } from '#agent/features/backups/replace.ts'
import { removeRepositorySecrets } from '#agent/features/backups/restic/session.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { renderSlice } from '#agent/features/php/fpm-units.ts'
import { removeDatabase } from '#agent/kernel/database/mariadb.ts'
import { type Change, deferred, generated, inOrder } from '#agent/kernel/effects/change.ts'
import { change, create } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { slicePathOf } from '#agent/kernel/services/systemd.ts'
import { listSites, removeSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { machineOf, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { limitDisk, quotaMount, unlimitDisk } from '#agent/kernel/users/quota.ts'
import * as users from '#agent/kernel/users/users.ts'

const PRIVATE = { mode: 0o700 }

/** Returns a temporary copy of a site without a virtual host; nobody owns `.invalid` (RFC 2606). */
export function hiddenSiteFor(host: Host, { php, tier, email }: Site): Site {
  const name = host.random.name(12)
  return { domain: `proof-${name}.invalid`, user: `proof-${name}`, email, php, tier, tls: 'none' }
}

/** Lists the hidden sites that an interrupted proof left behind. */
export const leftoverHiddenSites = (host: Host): Promise<Site[]> => listSites(host, 'proofs')

/** Returns the steps in order of creation; each undo works after none, a part or all of it. */
export function createHiddenSteps(host: Host, site: Site): Step[] {
  const { user, domain } = site
  const steady = host.steady ?? host
  return [
    {
      name: 'hidden record',
      title: 'Recording the name of the hidden site',
      ...siteRecord(host, site, 'proofs'),
      undo: removeSite(steady, domain, 'proofs').apply,
    },
    {
      name: 'hidden repository',
      title: 'Making room for the backup',
      effects: [create('folder', fetchedOf(user))],
      async apply() {
        for (const path of restoreFolders(user)) await host.files.mkdir(path, PRIVATE)
        await host.files.mkdir(fetchedOf(user), PRIVATE)
      },
      undo: inOrder(removeRestoreFolders(steady, user), removeRepositorySecrets(steady, user))
        .apply,
    },
    {
      name: 'hidden user',
      title: `Creating the system user ${user}`,
      effects: async () => [
        ...(await users.createUser(host, user, domain).effects()),
        ...((await quotaMount(host)) === undefined ? [] : [change('disk quota', user)]),
      ],
      async *apply() {
        await users.createUser(host, user, domain).apply()
        const problem = await limitDisk(host, site)
        if (problem !== undefined) yield `Warning: ${user} has no disk quota: ${problem}`
      },
      async undo() {
        await unlimitDisk(steady, user).apply()
        await accounts.removeUser(steady, user, domain).apply()
      },
    },
    {
      name: 'hidden folders',
      title: 'Creating the folders',
      effects: async () => [
        ...(await users.createFolders(host, user).effects()),
        ...(await lowPrioritySlice(host, site).effects()),
      ],
      async apply() {
        await lowPrioritySlice(host, site).apply()
        await users.createFolders(host, user).apply()
      },
      async undo() {
        await users.removeFolders(steady, user, domain)
        await fpmRemoval.removeSlice(steady, user).apply()
      },
    },
    {
      name: 'hidden database',
      title: 'Preparing the database',
      effects: [],
      apply: async () => undefined,
      undo: removeDatabase(steady, user).apply,
    },
  ]
}

/** Undoes everything that was created, newest first. */
export function removeHiddenStep(host: Host, site: Site, name = 'removal'): Step {
  const { user, domain } = site
  return {
    name,
    title: 'Removing the hidden site',
    effects: inOrder(
      removeDatabase(host, user),
      accounts.removeUser(host, user, domain),
      removeSite(host, domain, 'proofs'),
    ).effects,
    async apply() {
      for (const { undo } of createHiddenSteps(host, site).toReversed()) await undo?.()
    },
  }
}

/** The slice has the limits of the tier, and gives way to every other site. */
const CPU_WEIGHT = 5

const lowPrioritySlice = (host: Host, { user, tier }: Site): Change =>
  deferred(async () => {
    const limits = tierLimitsOn(tier, await machineOf(host))
    const slow = { ...limits, slice: { ...limits.slice, cpu_weight: CPU_WEIGHT } }
    return generated(host, [{ path: slicePathOf(user), text: renderSlice(user, slow) }])
  })
