import type { May } from '#dashboard/web/ui/rights.tsx'
import { placesFor } from './navigation.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** The keys that open the palette, as they are written on this keyboard. */
export const PALETTE_KEYS = isMac ? ['⌘', 'K'] : ['Ctrl', 'K']

/** Returns what each key does for the user. */
export const shortcutsFor = (may: May): { keys: readonly string[]; does: string }[] => [
  { keys: PALETTE_KEYS, does: 'Search pages, servers, sites and actions' },
  { keys: ['/'], does: 'Search on this page' },
  ...(may('operate', 'servers') ? [{ keys: ['c'], does: 'Create a site' }] : []),
  { keys: ['?'], does: 'Show keyboard shortcuts' },
  ...placesFor(may).map(({ name, key }) => ({ keys: ['g', key], does: `Go to ${name}` })),
]

const KEY = 'shortcuts'

/** Keys without Ctrl or ⌘ disturb users of speech input and other aids. */
export const areOn = (): boolean => localStorage.getItem(KEY) !== 'off'

export function turn(on: boolean): void {
  if (on) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}
