import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import {
  type FolderNode,
  file,
  type Node,
  sharedFolder,
} from '#agent/kernel/host/simulated/nodes.ts'

/** `file` as WordPress names the plugin; versions from the oldest in use to the newest. */
interface Offer {
  file: string
  name: string
  versions: readonly [string, ...string[]]
}

/** The newest is the one in the fleet's cache. */
const CORES = ['6.8.3', '6.9.2', '7.0.3', '7.1', '7.1.1'] as const
export const NEWEST_CORE = '7.1.1'

function offer(file: string, name: string, ...versions: Offer['versions']): Offer {
  return { file, name, versions }
}

const PLUGINS: readonly Offer[] = [
  offer('akismet/akismet.php', 'Akismet Anti-spam', '5.4', '5.5', '5.6'),
  offer('hello.php', 'Hello Dolly', '1.7.2'),
  offer('woocommerce/woocommerce.php', 'WooCommerce', '10.1.2', '10.3.0', '10.4.1'),
  offer('wordpress-seo/wp-seo.php', 'Yoast SEO', '26.1', '26.4', '26.5'),
  offer('contact-form-7/wp-contact-form-7.php', 'Contact Form 7', '6.0.6', '6.1.3', '6.1.4'),
  offer('elementor/elementor.php', 'Elementor', '3.31.2', '3.33.0', '3.33.2'),
  offer('wordfence/wordfence.php', 'Wordfence Security', '8.0.5', '8.1.0'),
  offer('updraftplus/updraftplus.php', 'UpdraftPlus', '1.25.6', '1.25.8', '1.25.9'),
  offer('advanced-custom-fields/acf.php', 'Advanced Custom Fields', '6.4.2', '6.6.0', '6.6.2'),
  offer('redirection/redirection.php', 'Redirection', '5.5.2'),
  offer('wpforms-lite/wpforms.php', 'WPForms Lite', '1.9.6', '1.9.8.2'),
  offer('classic-editor/classic-editor.php', 'Classic Editor', '1.6.7'),
  offer('autoptimize/autoptimize.php', 'Autoptimize', '3.1.12', '3.1.14'),
  offer('polylang/polylang.php', 'Polylang', '3.7.3', '3.7.5'),
]

const THEMES: readonly Offer[] = [
  offer('twentytwentyfive', 'Twenty Twenty-Five', '1.3', '1.4'),
  offer('twentytwentyfour', 'Twenty Twenty-Four', '1.3', '1.4'),
  offer('astra', 'Astra', '4.11.9', '4.11.15'),
  offer('generatepress', 'GeneratePress', '3.6.0', '3.6.1'),
  offer('storefront', 'Storefront', '4.6.1'),
]

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
  /** Whether WordPress could check for updates; otherwise they are unknown. */
  informed: boolean
  /** Many sites share one kit: each has these same folders. */
  content: FolderNode
  core_files: readonly (readonly [string, Node])[]
  options: readonly { name: string; value: string }[]
}

type Parts = Pick<Kit, 'core' | 'plugins' | 'themes' | 'active' | 'theme' | 'informed'>

function makeKit(parts: Parts): Kit {
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

const newest = ({ versions }: Offer) => versions.at(-1) ?? versions[0]

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

/** Returns what serialize() of PHP writes: lists and objects become arrays. */
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

const KITS = 48

const newestOf = (offer: Offer) => ({ offer, version: newest(offer) })

/** A newly installed WordPress. */
export const freshKit: Kit = makeKit({
  core: NEWEST_CORE,
  plugins: PLUGINS.slice(0, 2).map(newestOf),
  themes: THEMES.slice(0, 2).map(newestOf),
  active: [],
  theme: 'twentytwentyfive',
  informed: true,
})

/** Returns the kits of a fleet's sites: most are up to date, as in a maintained fleet. */
export function makeKits(dice: Dice): [Kit, ...Kit[]] {
  const kits = Array.from({ length: KITS - 1 }, (_, at) => makeKit(partsOf(dice, at)))
  return [makeKit(partsOf(dice, 0)), ...kits]
}

function partsOf(dice: Dice, at: number): Parameters<typeof makeKit>[0] {
  const current = dice.chance(0.55)
  const core = current || dice.chance(0.5) ? NEWEST_CORE : dice.pick(CORES)
  const plugins = PLUGINS.filter((_, place) => place < 2 || dice.chance(0.4)).map((offer) =>
    versionOf(dice, offer, current),
  )
  const themes = THEMES.filter((_, place) => place === 0 || dice.chance(0.3)).map((offer) =>
    versionOf(dice, offer, current || dice.chance(0.8)),
  )
  return {
    core,
    plugins,
    themes,
    active: plugins.slice(2).map(({ offer }) => offer.file),
    theme: themes.at(-1)?.offer.file ?? 'twentytwentyfive',
    informed: at % 16 !== 15,
  }
}

function versionOf(dice: Dice, offer: Offer, current: boolean) {
  if (current || dice.chance(0.6)) return newestOf(offer)
  return { offer, version: dice.pick(offer.versions) }
}
