import { useSyncExternalStore } from 'react'

const root = document.documentElement

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(root, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

/** What the page is shown in now: for what cannot be styled, such as a canvas. */
export const useTheme = (): string =>
  useSyncExternalStore(subscribe, () => root.dataset.theme ?? 'light')
