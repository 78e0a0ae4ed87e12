import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { SITE_STATUSES } from '#shared/values.ts'
import { launch } from '#tests/support/browser/index.ts'
import { sessionOf } from '#tests/support/browser/pages.ts'
import type { Client } from '#tests/support/client.ts'
import { startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'
import { blank } from './blank.ts'

const SITES = 10_000
const SERVERS = 40

/** The demo with many sites, a browser, and an empty page to compare with. */
export interface Bench {
  client: Client
  /** The number of sites; of 10,000 a few are in the trash. */
  sites: number
  browser: Browser
  blank_url: string
  /** A page with a login and an empty cache. */
  open(options?: BrowserContextOptions): Promise<Page>
}

export async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const empty = blank()
  try {
    const { client } = await startDemo(['--servers', `${SERVERS}`, '--sites', `${SITES}`], {
      pages: true,
    })
    const browser = await launch()
    try {
      await work({
        client,
        sites: await countSites(client),
        browser,
        blank_url: empty.url,
        async open(options = {}) {
          const context = await browser.newContext({
            baseURL: client.base,
            viewport: { width: 1440, height: 900 },
            ...options,
          })
          await context.addCookies(sessionOf(client))
          return context.newPage()
        },
      })
    } finally {
      await browser.close()
    }
  } finally {
    empty.stop()
    await sweep()
  }
}

/** The query of the page of all sites, as parameters of `GET /api/fleet/sites`. */
export const OUT_OF_TRASH = SITE_STATUSES.filter((status) => status !== 'trashed').join(',')

/** The number of sites on the page of all sites, from the API. */
export async function countSites(client: Client, q = ''): Promise<number> {
  const found = await client.get(`/api/fleet/sites?page=1&status=${OUT_OF_TRASH}&q=${q}`)
  return (found.body as { total: number }).total
}
