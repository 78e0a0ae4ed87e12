import { forgetRestores } from '#agent/features/backups/replace.ts'
import { askpassOf } from '#agent/features/isolation/attacks/clients.ts'
import { removePlanted } from '#agent/features/isolation/attacks/restore.ts'
import { accountOf } from '#agent/kernel/database/account.ts'
import { remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { randomOf } from '#agent/kernel/site/canary.ts'
import { homeOf, logsOf, trashOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { accountFolders } from '#agent/kernel/site-etc/accounts.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { forwardedOf } from './forwarded.ts'
import { removeKeys } from './person.ts'
import { unsandboxed } from './scene.ts'
import { markerOf, SHARED } from './scripts.ts'

/**
 * Traces of successful or interrupted attacks outside the two sites: files in shared folders of the
 * system, a file and an account of MariaDB, a dump, restored files.
 */
export async function removeTraces(host: Host, sites: readonly Site[]): Promise<void> {
  for (const site of sites) {
    const random = randomOf(site)
    const marker = markerOf(random)
    const paths = SHARED.map((folder) => `${folder}/${marker}`)
    // As the user that made them, and outside the sandbox of the agent, which has its own /tmp.
    await host.shell.try(unsandboxed(site, ['rm', '-f', '--', ...paths]), {
      unconfined: true,
      starts: ['/usr/bin/rm'],
    })
    await host.files.remove(`/var/lib/mysql/${marker}`)
    await host.files.remove(trashOf(site.user))
    await forgetRestores(host, site.user).apply()
    await host.files.remove(askpassOf(host, site))
    await host.files.remove(forwardedOf(host, site))
    await removeKeys(host, site)
    await removePlanted(host, random)
  }
}

/** What the removal of the sites does. */
export const planRemoveSites = (host: Host, sites: readonly Site[]): Effect[] =>
  sites.flatMap(({ user, domain }) => [
    remove('account', accountOf(user)),
    remove('database', user),
    remove('folder', homeOf(user)),
    remove('folder', logsOf(user)),
    remove('user', user),
    remove('group', user),
    ...accountFolders(host, user).map((path) => remove('folder', path)),
    remove('file', `${host.settings.state_dir}/canaries/${domain}.json`),
  ])
