import type { Page, Response } from 'playwright-core'

/** The problems of a page's requests, as lists that should be empty. */
export interface Traffic {
  /** Requests that left the dashboard's origin. */
  elsewhere: string[]
  /** Files without compression, or without permanent caching. */
  costly: string[]
}

/** Records the requests of a page from now on. */
export function watchTraffic(page: Page, origin: string): Traffic {
  const traffic: Traffic = { elsewhere: [], costly: [] }
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== 'data:' && asked !== origin) traffic.elsewhere.push(request.url())
  })
  page.on('response', (response) => {
    if (isFile(response) && !isCheap(response.headers())) traffic.costly.push(response.url())
  })
  return traffic
}

const isFile = (response: Response) => new URL(response.url()).pathname.startsWith('/assets/')

function isCheap(headers: Record<string, string>): boolean {
  const isKept = headers['cache-control'] === 'public, max-age=31536000, immutable'
  // A font is already compressed.
  return (
    isKept && (headers['content-encoding'] === 'br' || headers['content-type'] === 'font/woff2')
  )
}
