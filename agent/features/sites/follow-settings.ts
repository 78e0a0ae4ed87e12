import { isDeepStrictEqual } from 'node:util'
import { readManifest } from '#agent/features/backups/fetch.ts'
import type { OpenRepository } from '#agent/features/backups/restic/run.ts'
import { provideObjectCache } from '#agent/features/object-cache/programs.ts'
import { applyAccount } from '#agent/kernel/database/mariadb.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { installedPhp } from '#agent/kernel/packages/packages.ts'
import { findSite, recordIn, removeSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { limitDisk } from '#agent/kernel/users/quota.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { omit } from '#shared/kernel/omit.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { refuseTakenNames } from './refuse-taken-names.ts'

/**
 * A copy that only forwards takes over what was changed on the other server since the site moved:
 * its record, from which PHP, virtual host, names and jobs follow when it serves again. The previous
 * record is kept beside it until `forgetFormerStep`, for the undo in this process and the next one.
 */
export function followSettings(
  host: Host,
  copy: Site,
  opened: OpenRepository,
  backup: string,
): Step {
  const { domain } = copy
  const steady = host.steady ?? host
  return {
    name: 'settings',
    title: `Taking over the settings of ${domain}`,
    effects: [change('settings', domain)],
    async *apply() {
      const next = followed(copy, (await readManifest(host, opened, backup)).site)
      if (isDeepStrictEqual(next, copy)) return
      await refuseUnready(host, copy, next)
      await writeSite(host, copy, 'former')
      await applyAccount(host, next).apply()
      const problem = await limitDisk(host, next)
      if (problem !== undefined) yield `Warning: ${next.user} has no disk quota: ${problem}`
      await provideObjectCache(host, next)
      await writeSite(host, next, 'moved')
    },
    async undo() {
      await applyAccount(steady, copy).apply()
      await limitDisk(steady, copy)
      await writeSite(steady, copy, 'moved')
      await removeSite(steady, domain, 'former').apply()
    },
  }
}

/** From then on the copy has the settings of the site. */
export const forgetFormerStep = (host: Host, { domain }: Site): Step => ({
  name: 'former settings',
  title: 'Removing the previous settings',
  effects: [],
  apply: removeSite(host, domain, 'former').apply,
  decided: async () => (await findFormer(host, domain)) === undefined,
})

/** The record before other settings are taken over; undefined: none are. */
export const findFormer = (host: Host, domain: string): Promise<Site | undefined> =>
  findSite(host, domain, 'former')

/**
 * Returns the new record. The dashboard decides who has access; this server has the state of the
 * move, and may lack the program for debug logs.
 */
function followed(copy: Site, value: unknown): Site {
  const recorded = recordIn(value)
  if (!recorded) throw conflict('The settings in the backup cannot be read: upgrade this agent')
  const { domain, user } = recorded
  if (domain !== copy.domain || user !== copy.user) {
    throw conflict(`The backup is one of ${domain}`)
  }
  const { access, clients, moving, staging } = copy
  return {
    ...omit(recorded, 'staging', 'suspended', 'moving', 'debug', 'access', 'clients'),
    ...(staging && { staging: recorded.staging ?? staging }),
    ...(access && { access }),
    ...(clients && { clients }),
    ...(moving && { moving }),
  }
}

async function refuseUnready(host: Host, copy: Site, next: Site): Promise<void> {
  const { php, domain } = next
  if (!(await installedPhp(host)).includes(php)) {
    throw conflict(`This server does not have PHP ${php}, which ${domain} uses: install it`)
  }
  await refuseTakenNames(host, next, allNamesOf(copy))
}
