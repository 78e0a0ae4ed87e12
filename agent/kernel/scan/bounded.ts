import type { ScannedWordpress } from '#agent/kernel/host/scanner-port.ts'
import type { Extension } from '#shared/kernel/inventory.ts'

/** Characters of each list of an inventory: the agent reads them between its other work. */
const MAX_LISTS = 1 << 19

/** Shortens unrealistic lists; the number of updates is then unknown. */
export function bounded(scanned: ScannedWordpress): ScannedWordpress {
  const { inventory } = scanned
  const plugins = firstOf(inventory.plugins)
  const themes = firstOf(inventory.themes)
  const cut = plugins.length < inventory.plugins.length || themes.length < inventory.themes.length
  if (!cut) return scanned
  const updates = { ...inventory.updates, plugins: null, themes: null }
  return {
    inventory: { ...inventory, plugins, themes, updates, unknown_because: 'limit' },
    limit: scanned.limit ?? 'bytes',
  }
}

function firstOf(extensions: Extension[]): Extension[] {
  let left = MAX_LISTS
  const end = extensions.findIndex(({ slug, name, version }) => {
    left -= slug.length + name.length + version.length + 64
    return left < 0
  })
  return end < 0 ? extensions : extensions.slice(0, end)
}
