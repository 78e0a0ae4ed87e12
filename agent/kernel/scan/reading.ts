import type { Entry } from '#agent/kernel/host/ports.ts'
import type { Application } from '#agent/kernel/host/scanner-port.ts'
import { type FoundConfig, openSite, readWpConfig, type SiteRoot } from './site-root.ts'
import type { OpenTree } from './site-tree.ts'
import { filesVersion } from './version.ts'
import type { WpConfig } from './wp-config.ts'
import { extensionsOf, type WpFiles } from './wp-files.ts'

/** The result of reading the files of a site. */
export interface Reading {
  framework: Application['framework']
  config?: WpConfig | undefined
  /** Of a WordPress. */
  files?: WpFiles
  /** Another one after a change of what it runs. */
  version?: string
  /** The values that only the site itself can report: its settings, or the targets of links. */
  unsure: 'config' | 'environment' | 'folders' | null
}

const LINKED: Reading = { framework: 'unknown', unsure: 'folders' }

/** Reads a site without running its code, and without following a link that it can create. */
export function readSite(open: OpenTree, docroot: string): Reading {
  const root = openSite(open, docroot)
  if (!root) return LINKED
  const wp_version = root.version
  if (wp_version === undefined) return otherSite(root)
  const { config, ...settings } = readConfig(root)
  const found = extensionsOf(root, config)
  const files = { wp_version, ...found, gaps: found.gaps || settings.unsure === 'config' }
  return { framework: 'wordpress', config, files, unsure: settings.unsure ?? gapIn(files) }
}

/** The settings only, without listing folders. */
export function readSettings(open: OpenTree, docroot: string): Reading {
  const root = openSite(open, docroot)
  if (!root) return LINKED
  const { config, unsure } = readConfig(root)
  if (root.version !== undefined) return { framework: 'wordpress', config, unsure }
  const other = otherSite(root)
  return { ...other, config, unsure: unsure ?? other.unsure }
}

/** The settings, and the version of the files of a WordPress. */
export function readVersion(open: OpenTree, docroot: string): Reading {
  const root = openSite(open, docroot)
  const reading = readSettings(open, docroot)
  if (!root || reading.framework !== 'wordpress') return reading
  return { ...reading, version: filesVersion(root) }
}

function readConfig(root: SiteRoot): Pick<Reading, 'config' | 'unsure'> {
  const found: FoundConfig = readWpConfig(root)
  if (found === 'none') return { unsure: null }
  if (found === 'unreadable') return { unsure: 'config' }
  return { config: found, unsure: found.unsure.size > 0 ? 'config' : null }
}

const gapIn = ({ gaps }: WpFiles) => (gaps ? 'folders' : null)

/** No WordPress, or one behind a link. */
function otherSite(root: SiteRoot): Reading {
  const { tree, base } = root
  const places = ['wp-includes', 'wp-includes/version.php', 'wp', 'wordpress', 'blog']
  const linked = places.some((place) => tree.stat(base + place)?.kind === 'link')
  const entries = tree.list(base)
  const hidden = linked || (entries === undefined && tree.stat(base) !== undefined)
  return { framework: otherFramework(entries ?? []), unsure: hidden ? 'folders' : null }
}

/** PHP if there is a script; the caller has to know whether something runs it. */
function otherFramework(entries: readonly Entry[]): Reading['framework'] {
  const files = entries.filter(({ name, kind }) => kind === 'file' && !name.startsWith('.'))
  if (files.length === 0) return 'unknown'
  return files.some(({ name }) => name.endsWith('.php')) ? 'php' : 'static'
}
