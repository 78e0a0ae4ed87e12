import type { Change } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type OwnFile, ownFileChange } from '#agent/kernel/sandbox/own-file.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { MU_PLUGIN_TEXT } from './plugin-php.ts'

type PluginSite = Pick<Site, 'user' | 'php'>

export const pluginPathOf = (user: string) =>
  `${docrootOf(user)}/wp-content/mu-plugins/hosting-control-purge.php`

const fileOf = ({ user }: PluginSite): OwnFile => ({
  path: pluginPathOf(user),
  text: MU_PLUGIN_TEXT,
  makes_folder: true,
})

/** Throws conflict for a file of somebody else, and without a wp-content. */
export const installPlugin = (host: Host, site: PluginSite): Change =>
  ownFileChange(host, site, 'install', fileOf(site), ({ kind }) => {
    if (kind === 'no_folder') throw conflict(`${docrootOf(site.user)}/wp-content is missing`)
    if (kind === 'other') {
      throw conflict(`${pluginPathOf(site.user)} was not made by Hosting Control: move it away`)
    }
  })

export const removePlugin = (host: Host, site: PluginSite): Change =>
  ownFileChange(host, site, 'remove', fileOf(site))
