import { useSyncExternalStore } from 'react'

const root = document.documentElement

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(root, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

/** The current theme, for what CSS cannot style, such as a canvas. */
export const useTheme = (): string =>
  useSyncExternalStore(subscribe, () => root.dataset.theme ?? 'light')
