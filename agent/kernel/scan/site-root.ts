import { basename, dirname } from 'node:path'
import type { OpenTree, SiteTree } from './site-tree.ts'
import { type ConfigPlace, parseWpConfig, type WpConfig } from './wp-config.ts'
import { coreVersion } from './wp-files.ts'

const MAX_CONFIG = 1 << 20
/** The folders of a WordPress that is not in the docroot, and that index.php does not name. */
const FOLDERS = ['wp/', 'wordpress/', 'blog/']
const INDEX_BYTES = 8192

/** The root of a site. Paths in `tree` begin with `base` (`""` or `public/`). */
export interface SiteRoot {
  docroot: string
  /** The real path; undefined if a link of root leads to it. */
  real: string | undefined
  tree: SiteTree
  base: string
  /** The folder of WordPress, with `base` and a slash at the end. */
  core: string
  /** The version; undefined without WordPress. */
  version: string | undefined
  /** The folder above the docroot. */
  above: SiteTree
}

/** A wp-config.php: its content, missing, or unreadable here. */
export type FoundConfig = WpConfig | 'none' | 'unreadable'

/**
 * Opens a docroot from the folder above it: a link that the site's user puts in its place is
 * refused (undefined). A link that root made (`current` of a deployment) is followed.
 */
export function openSite(openTree: OpenTree, docroot: string): SiteRoot | undefined {
  const name = basename(docroot)
  const above = openTree(dirname(docroot))
  const found = above.stat(name)
  if (found?.kind === 'link' && found.uid !== 0) return undefined
  const linked = found?.kind === 'link'
  const [tree, base] = linked ? [openTree(docroot), ''] : [above, `${name}/`]
  const folder = linked ? undefined : above.where()
  const real = folder === undefined ? undefined : `${folder === '/' ? '' : folder}/${name}`
  return { docroot, real, tree, base, above, ...coreIn(tree, base) }
}

/** Returns the docroot itself, or the folder of wp-blog-header.php that its index.php loads. */
function coreIn(tree: SiteTree, base: string): Pick<SiteRoot, 'core' | 'version'> {
  const own = coreVersion(tree, base)
  if (own !== undefined) return { core: base, version: own }
  const index = tree.head(`${base}index.php`, INDEX_BYTES) ?? ''
  const [, linked] = /['"]\/?([\w.-]+(?:\/[\w.-]+)*)\/wp-blog-header\.php['"]/.exec(index) ?? []
  const folders = linked === undefined ? FOLDERS : [`${linked}/`, ...FOLDERS]
  for (const folder of folders.filter((path) => !path.split('/').includes('..'))) {
    const version = coreVersion(tree, base + folder)
    if (version !== undefined) return { core: base + folder, version }
  }
  return { core: base, version: undefined }
}

/** Reads wp-config.php in the folder of WordPress, or one level above it (wp-load.php). */
export function readWpConfig(site: SiteRoot): FoundConfig {
  const { tree, base, core, above, real } = site
  const abspath = real === undefined ? undefined : `${real}/${core.slice(base.length)}`
  const own = configAt(
    tree,
    core,
    abspath === undefined ? undefined : { file: `${abspath}wp-config.php`, abspath },
  )
  if (own !== 'none') return own
  // The parent folder of WordPress behind a link is not that of the link.
  if (abspath === undefined) return 'unreadable'
  const upper = dirname(abspath.slice(0, -1))
  const place = { file: `${upper === '/' ? '' : upper}/wp-config.php`, abspath }
  const [outer, folder] =
    core === base ? [above, ''] : [tree, `${dirname(core.slice(0, -1))}/`.replace(/^\.\//, '')]
  if (outer.stat(`${folder}wp-settings.php`) !== undefined) return 'none'
  return configAt(outer, folder, place)
}

function configAt(tree: SiteTree, folder: string, place: ConfigPlace | undefined): FoundConfig {
  const path = `${folder}wp-config.php`
  const text = tree.head(path, MAX_CONFIG + 1)
  if (text === undefined) return tree.stat(path) === undefined ? 'none' : 'unreadable'
  return Buffer.byteLength(text) > MAX_CONFIG ? 'unreadable' : parseWpConfig(text, place)
}
