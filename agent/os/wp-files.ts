import type { Host, SiteTree } from '../host/ports.ts'
import type { SiteRoot } from './site-root.ts'
import type { WpConfig } from './wp-config.ts'
import { listPlugins, type Plugin } from './wp-plugins.ts'
import { listThemes, type Theme } from './wp-themes.ts'

interface Place {
  tree: SiteTree
  folder: string
}

/** `$wp_version` of wp-includes/version.php; undefined where there is no WordPress. */
export function coreVersion({ tree, base }: SiteRoot): string | undefined {
  const source = tree.head(`${base}wp-includes/version.php`, 8192)
  return source?.match(
    /(?:^|[\r\n])[ \t]*\$wp_version[ \t\r\n]*=[ \t\r\n]*(['"])([\w.+-]{1,64})\1[ \t\r\n]*;/,
  )?.[2]
}

/**
 * Plugins and themes, from WP_PLUGIN_DIR and WP_CONTENT_DIR where wp-config.php says them as plain
 * strings, else from wp-content (wp_plugin_directory_constants). `cached` tells whether an object
 * cache stands in for the database, so that transients in the options table are old.
 */
export function extensionsOf(host: Host, site: SiteRoot, config: WpConfig | undefined) {
  const content = placeOf(host, site, config, 'WP_CONTENT_DIR') ?? {
    tree: site.tree,
    folder: `${site.base}wp-content`,
  }
  const plugins = placeOf(host, site, config, 'WP_PLUGIN_DIR') ?? below(content, 'plugins')
  const themes = below(content, 'themes')
  return {
    plugins: listPlugins(plugins.tree, plugins.folder) satisfies Plugin[],
    themes: listThemes(themes.tree, themes.folder) satisfies Theme[],
    cached: content.tree.stat(`${content.folder}/object-cache.php`) !== undefined,
  }
}

/** A folder that a constant names: only next to or below the docroot, for it is the site's own word. */
function placeOf(
  host: Host,
  site: SiteRoot,
  config: WpConfig | undefined,
  constant: string,
): Place | undefined {
  const path = config?.constants.get(constant)
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined
  const clean = path.replace(/\/+/g, '/').replace(/\/$/, '')
  if (clean.split('/').includes('..')) return undefined
  const own = `${site.docroot}/`
  if (clean.startsWith(own)) return { tree: site.tree, folder: site.base + clean.slice(own.length) }
  const above = site.docroot.slice(0, site.docroot.lastIndexOf('/') + 1)
  if (above === '/' || !clean.startsWith(above)) return undefined
  return { tree: host.files.tree(above.slice(0, -1)), folder: clean.slice(above.length) }
}

function below({ tree, folder }: Place, name: string): Place {
  return { tree, folder: `${folder}/${name}` }
}
