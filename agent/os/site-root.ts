import { basename, dirname } from 'node:path'
import type { Host, SiteTree } from '../host/ports.ts'
import { parseWpConfig, type WpConfig } from './wp-config.ts'

const MAX_CONFIG = 1 << 20

/** Where a site is served from. Paths in `tree` begin with `base` (`""` or `public/`). */
export interface SiteRoot {
  docroot: string
  tree: SiteTree
  base: string
  /** The folder above the docroot. */
  above: SiteTree
}

/**
 * Opens a docroot from the folder above it, so that a site's user who puts a link in its place leads
 * nowhere (undefined). A link that root made (`current` of a deployment) is followed.
 */
export function openSite(host: Host, docroot: string): SiteRoot | undefined {
  const name = basename(docroot)
  const above = host.files.tree(dirname(docroot))
  const found = above.stat(name)
  if (found?.kind === 'link' && found.uid === 0) {
    return { docroot, tree: host.files.tree(docroot), base: '', above }
  }
  return found?.kind === 'link' ? undefined : { docroot, tree: above, base: `${name}/`, above }
}

/**
 * The site's wp-config.php, in the docroot or one level above it, there only when that is not the
 * folder of another WordPress (wp-load.php). Undefined: there is none.
 */
export function readWpConfig({ tree, base, above }: SiteRoot): WpConfig | undefined {
  const own = tree.head(`${base}wp-config.php`, MAX_CONFIG)
  if (own !== undefined) return parseWpConfig(own)
  const outer = above.head('wp-config.php', MAX_CONFIG)
  if (outer === undefined || above.stat('wp-settings.php') !== undefined) return undefined
  return parseWpConfig(outer)
}
