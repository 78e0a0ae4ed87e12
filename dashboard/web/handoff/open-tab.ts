import { type Handoff, READY } from './message.ts'

/** A new tab that waits for a token. */
export interface LoginTab {
  send(handoff: Handoff): Promise<void>
  close(): void
}

const PATIENCE_MS = 10_000

/**
 * Opens it; must be called by the handler of a click, or the browser blocks it. Throws if the
 * browser blocks it anyway.
 */
export function openLoginTab(): LoginTab {
  const tab = window.open('/handoff', '_blank')
  if (!tab) throw new Error('The browser blocked the new tab: allow pop-ups of this dashboard')
  const ready = listens(tab)
  ready.catch(() => undefined)
  return {
    close: () => tab.close(),
    async send({ url, token }) {
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
