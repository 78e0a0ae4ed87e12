import type { Host } from '#agent/host/ports.ts'
import { handle, type OwnFile, planHandle } from '#agent/os/as-site/own-file.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { conflict } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import { MU_PLUGIN_TEXT } from './plugin-php.ts'

type Owner = Pick<Site, 'user' | 'php'>

export const pluginPathOf = (user: string) =>
  `${docrootOf(user)}/wp-content/mu-plugins/hosting-control-purge.php`

const fileOf = ({ user }: Owner): OwnFile => ({
  ...{ path: pluginPathOf(user), text: MU_PLUGIN_TEXT },
  makes_folder: true,
})

/** Throws conflict for a file of somebody else, and without a wp-content. */
export async function installPlugin(host: Host, site: Owner): Promise<void> {
  const { kind } = await handle(host, site, 'install', fileOf(site))
  if (kind === 'no_folder') throw conflict(`${docrootOf(site.user)}/wp-content is missing`)
  if (kind === 'other') {
    throw conflict(`${pluginPathOf(site.user)} was not made by Hosting Control: move it away`)
  }
}

export async function removePlugin(host: Host, site: Owner): Promise<void> {
  await handle(host, site, 'remove', fileOf(site))
}

/** What `installPlugin` would do. */
export const planInstall = (host: Host, site: Owner): Promise<Effect[]> =>
  planHandle(host, site, 'install', fileOf(site))

/** What `removePlugin` would do. */
export const planRemove = (host: Host, site: Owner): Promise<Effect[]> =>
  planHandle(host, site, 'remove', fileOf(site))
