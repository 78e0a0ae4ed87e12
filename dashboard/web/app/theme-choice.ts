import { useSyncExternalStore } from 'react'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

const listeners = new Set<() => void>()

/** The current choice, wherever it is changed. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, chosenTheme)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Kept in this browser; theme.ts reads it before the first paint. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  show()
}

/** Follows the system, and what another tab chooses. */
export function followTheme(): void {
  dark.addEventListener('change', show)
  window.addEventListener('storage', ({ key }) => key === KEY && show())
}

function show(): void {
  const theme = chosenTheme()
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}
