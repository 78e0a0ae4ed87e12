import { addressFor, type Handoff, READY } from './message.ts'

/** A new tab that waits for a token. */
export interface LoginTab {
  send(handoff: Handoff): Promise<void>
  close(): void
}

const PATIENCE_MS = 10_000

/**
 * Opens it, before the login is prepared: only then is its address known, and the tab goes to the page
 * whose policy allows that one. Must be called by the handler of a click, or the browser blocks it. Throws if the
 * browser blocks it anyway.
 */
export function openLoginTab(): LoginTab {
  const tab = window.open('/handoff', '_blank')
  if (!tab) throw new Error('The browser blocked the new tab: allow pop-ups of this dashboard')
  return {
    close: () => tab.close(),
    async send({ url, token }) {
      const ready = listens(tab)
      tab.location.replace(addressFor({ url }))
      await ready
      tab.postMessage({ url, token }, location.origin)
    },
  }
}

function listens(tab: Window): Promise<void> {
  const over = new AbortController()
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      over.abort()
      reject(new Error('The new tab did not open: try again'))
    }, PATIENCE_MS)
    const hear = ({ origin, source, data }: MessageEvent) => {
      if (origin !== location.origin || source !== tab || data !== READY) return
      clearTimeout(late)
      over.abort()
      resolve()
    }
    addEventListener('message', hear, { signal: over.signal })
  })
}
