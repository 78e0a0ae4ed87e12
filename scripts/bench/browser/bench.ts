import type { Browser, Page } from 'playwright-core'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import { launch } from '#tests/support/browser/index.ts'
import { sessionOf } from '#tests/support/browser/pages.ts'
import type { Client } from '#tests/support/client.ts'
import { startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'

const SITES = 10_000
const SERVERS = 40

/** The demo with many sites, a browser, and an empty page to compare with. */
export interface Bench {
  client: Client
  /** The number of sites; of 10,000 a few are in the trash. */
  sites: number
  blank_url: string
  /** Opens a page with a login and an empty cache. */
  open(): Promise<Page>
}

export async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const empty = blank()
  let browser: Browser | undefined
  try {
    const size = ['--servers', `${SERVERS}`, '--sites', `${SITES}`]
    const { client } = await startDemo(size, { pages: true })
    const launched = await launch()
    browser = launched
    const viewport = { width: 1440, height: 900 }
    const open = async () => {
      const context = await launched.newContext({ baseURL: client.base, viewport })
      await context.addCookies(sessionOf(client))
      return context.newPage()
    }
    await work({ client, sites: await countSites(client), blank_url: empty.url, open })
  } finally {
    await browser?.close()
    empty.stop()
    await sweep()
  }
}

/** The query of the page of all sites, as parameters of `GET /api/fleet/sites`. */
export const OUT_OF_TRASH = SITE_STATUSES.filter((status) => status !== 'trashed').join(',')

/** Returns the number of sites on the page of all sites, from the API. */
export async function countSites(client: Client, q = ''): Promise<number> {
  const found = await client.get(`/api/fleet/sites?page=1&status=${OUT_OF_TRASH}&q=${q}`)
  return (found.body as { total: number }).total
}

const PAGE = `<!doctype html><title>Blank</title><h1>Nothing</h1><input aria-label="Text">`

/** Returns the minimum for any page: a document with a line of text and a field. */
function blank() {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PAGE, { headers: { 'content-type': 'text/html' } }),
  })
  return { url: `http://127.0.0.1:${server.port}/`, stop: () => void server.stop(true) }
}
