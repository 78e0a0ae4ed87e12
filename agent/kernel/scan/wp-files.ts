import type { PhpLiteral } from './php-constant.ts'
import type { SiteRoot } from './site-root.ts'
import type { SiteTree } from './site-tree.ts'
import type { WpConfig } from './wp-config.ts'
import { listPlugins, type Plugin } from './wp-plugins.ts'
import { listThemes, type Theme } from './wp-themes.ts'

/** A folder in a tree. */
export interface TreeFolder {
  tree: SiteTree
  folder: string
}

/** What the files of a WordPress contain. */
export interface WpFiles {
  wp_version: string
  plugins: Plugin[]
  themes: Theme[]
  /** True when an object cache replaces the database: transients in the table are outdated. */
  cached: boolean
  /** True when an unreadable folder, file or link may hide further entries. */
  gaps: boolean
}

const ELSEWHERE = Symbol('elsewhere')

/** Returns `$wp_version` of wp-includes/version.php; undefined without WordPress. */
export function coreVersion(tree: SiteTree, core: string): string | undefined {
  return versionIn(tree.head(`${core}wp-includes/version.php`, 8192))
}

export function versionIn(source: string | undefined): string | undefined {
  return source?.match(
    /(?:^|[\r\n])[ \t]*\$wp_version[ \t\r\n]*=[ \t\r\n]*(['"])([\w.+-]{1,64})\1[ \t\r\n]*;/,
  )?.[2]
}

/** Finds plugins and themes in WP_PLUGIN_DIR and WP_CONTENT_DIR, otherwise in wp-content. */
export function extensionsOf(
  site: SiteRoot,
  config: WpConfig | undefined,
): Omit<WpFiles, 'wp_version'> {
  const content = folderOf(site, config, 'WP_CONTENT_DIR') ?? {
    tree: site.tree,
    folder: `${site.core}wp-content`,
  }
  const own = folderOf(site, config, 'WP_PLUGIN_DIR')
  const unsure = ['WP_CONTENT_DIR', 'WP_PLUGIN_DIR'].some((name) => config?.unsure.has(name))
  const plugins = own ?? (content === ELSEWHERE ? content : below(content, 'plugins'))
  if (content === ELSEWHERE || plugins === ELSEWHERE || unsure) {
    return { plugins: [], themes: [], cached: false, gaps: true }
  }
  return extensionsIn(content, plugins)
}

export function extensionsIn(
  content: TreeFolder,
  plugins: TreeFolder,
): Omit<WpFiles, 'wp_version'> {
  const themes = below(content, 'themes')
  let gaps = content.tree.stat(content.folder)?.kind !== 'directory'
  const gap = () => {
    gaps = true
  }
  return {
    plugins: listPlugins(plugins.tree, plugins.folder, gap),
    themes: listThemes(themes.tree, themes.folder, gap),
    cached: content.tree.stat(`${content.folder}/object-cache.php`) !== undefined,
    gaps,
  }
}

/** Returns the folder that a constant names; `ELSEWHERE` outside of the docroot and its parent. */
function folderOf(
  site: SiteRoot,
  config: WpConfig | undefined,
  constant: string,
): TreeFolder | typeof ELSEWHERE | undefined {
  const path = config?.constants.get(constant)
  if (path === undefined) return undefined
  const clean = cleaned(path)
  if (clean === undefined) return ELSEWHERE
  for (const docroot of new Set([site.docroot, site.real ?? site.docroot])) {
    if (clean.startsWith(`${docroot}/`)) {
      return { tree: site.tree, folder: site.base + clean.slice(docroot.length + 1) }
    }
    const above = docroot.slice(0, docroot.lastIndexOf('/') + 1)
    if (above !== '/' && clean.startsWith(above)) {
      return { tree: site.above, folder: clean.slice(above.length) }
    }
  }
  return ELSEWHERE
}

function cleaned(path: PhpLiteral): string | undefined {
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined
  const clean = path.replace(/\/+/g, '/').replace(/\/$/, '')
  return clean.split('/').includes('..') ? undefined : clean
}

function below({ tree, folder }: TreeFolder, name: string): TreeFolder {
  return { tree, folder: `${folder}/${name}` }
}
