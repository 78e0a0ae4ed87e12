import {
  type FolderNode,
  file,
  type Node,
  sharedFolder,
} from '#agent/kernel/host/simulated/nodes.ts'
import { NEWEST_CORE, type Offer } from './catalogue.ts'

interface Installed {
  offer: Offer
  version: string
}

/** The files and data of a WordPress that the agent reads. */
export interface Kit {
  core: string
  plugins: readonly Installed[]
  themes: readonly Installed[]
  active: readonly string[]
  theme: string
  /** False: WordPress could not check for updates, so they are unknown. */
  informed: boolean
  /** Many sites share one kit: each has these same folders. */
  content: FolderNode
  core_files: readonly (readonly [string, Node])[]
  options: readonly { name: string; value: string }[]
}

type Parts = Pick<Kit, 'core' | 'plugins' | 'themes' | 'active' | 'theme' | 'informed'>

export function makeKit(parts: Parts): Kit {
  const content = sharedFolder([
    ['index.php', file('<?php\n// Silence is golden.\n')],
    ['plugins', pluginsFolder(parts.plugins)],
    ['themes', themesFolder(parts.themes)],
    ['uploads', sharedFolder([])],
  ])
  return { ...parts, content, core_files: coreFiles(parts.core), options: optionsOf(parts) }
}

/** Returns the files of a WordPress without its owner's content. */
export function coreFiles(version: string): [string, Node][] {
  const named = `<?php\n$wp_version = '${version}';\n$required_php_version = '7.4';\n`
  return [
    ['index.php', file('<?php\nrequire __DIR__ . "/wp-blog-header.php";\n')],
    ['wp-settings.php', file('<?php\n')],
    ['wp-login.php', file('<?php\n')],
    ['wp-admin', sharedFolder([['index.php', file('<?php\n')]])],
    ['wp-includes', sharedFolder([['version.php', file(named)]])],
  ]
}

function pluginsFolder(plugins: readonly Installed[]): FolderNode {
  return sharedFolder(
    plugins.map(({ offer, version }) => {
      const [name = '', main] = offer.file.split('/')
      const head = file(`<?php\n/*\n * Plugin Name: ${offer.name}\n * Version: ${version}\n */\n`)
      return [name, main === undefined ? head : sharedFolder([[main, head]])]
    }),
  )
}

function themesFolder(themes: readonly Installed[]): FolderNode {
  return sharedFolder(
    themes.map(({ offer, version }) => [
      offer.file,
      sharedFolder([
        ['style.css', file(`/*\nTheme Name: ${offer.name}\nVersion: ${version}\n*/\n`)],
        ['index.php', file('<?php\n')],
      ]),
    ]),
  )
}

export const newest = ({ versions }: Offer) => versions.at(-1) ?? versions[0]

function optionsOf({ core, plugins, themes, active, theme, informed }: Parts): Kit['options'] {
  const known = [
    { name: 'active_plugins', value: serialized(active) },
    { name: 'template', value: theme },
    { name: 'stylesheet', value: theme },
  ]
  if (!informed) return known
  return [
    ...known,
    { name: '_site_transient_update_core', value: coreOffers(core) },
    { name: '_site_transient_update_plugins', value: offers(plugins) },
    { name: '_site_transient_update_themes', value: offers(themes) },
  ]
}

function coreOffers(core: string): string {
  const response = core === NEWEST_CORE ? 'latest' : 'upgrade'
  return serialized({ updates: [{ response, version: NEWEST_CORE }], version_checked: core })
}

function offers(installed: readonly Installed[]): string {
  const checked = Object.fromEntries(installed.map(({ offer, version }) => [offer.file, version]))
  const response = Object.fromEntries(
    installed
      .filter(({ offer, version }) => newest(offer) !== version)
      .map(({ offer }) => [offer.file, { new_version: newest(offer) }]),
  )
  return serialized({ checked, response })
}

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

/** As PHP's serialize() writes it: lists and objects become arrays. */
function serialized(value: Value): string {
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`
  if (typeof value === 'number') return `i:${value};`
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  const entries: (readonly [string | number, Value])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  const fields = entries.map(([key, one]) => serialized(key) + serialized(one))
  return `a:${entries.length}:{${fields.join('')}}`
}
