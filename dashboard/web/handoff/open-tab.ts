import { addressFor, type Handoff, READY } from './message.ts'

/** A new tab that waits for a token. */
export interface LoginTab {
  send(handoff: Handoff): Promise<void>
  close(): void
}

const TIMEOUT_MS = 10_000

/**
 * Opens the tab before the login is prepared. When the address of the site is known, the tab goes to
 * the page whose policy allows it. Must be called by the handler of a click. Throws if the browser
 * blocks the tab.
 */
export function openLoginTab(): LoginTab {
  const tab = window.open('/handoff', '_blank')
  if (!tab) throw new Error('The browser blocked the new tab: allow pop-ups of this dashboard')
  return {
    close: () => tab.close(),
    async send({ url, token }) {
      const ready = listening(tab)
      tab.location.replace(addressFor({ url }))
      await ready
      tab.postMessage({ url, token }, location.origin)
    },
  }
}

function listening(tab: Window): Promise<void> {
  const over = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      over.abort()
      reject(new Error('The new tab did not open: try again'))
    }, TIMEOUT_MS)
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      if (origin !== location.origin || source !== tab || data !== READY) return
      clearTimeout(timer)
      over.abort()
      resolve()
    }
    addEventListener('message', onMessage, { signal: over.signal })
  })
}
