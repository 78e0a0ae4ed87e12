import { beforeAll } from 'bun:test'
import type { Page, Response } from 'playwright-core'
import type { Used } from '#tests/support/running.ts'
import type { DIALOGS } from './dialogs.ts'
import { inspect } from './inspect.ts'
import { useBrowser } from './pages.ts'
import { PLACES } from './places.ts'
import { settled } from './settled.ts'

/** The problems of a page's requests, as lists that should be empty. */
interface Traffic {
  /** Requests that left the dashboard's origin. */
  elsewhere: string[]
  /** Files without compression, or without permanent caching. */
  costly: string[]
}

/** Records the requests of a page from now on. */
function watchTraffic(page: Page, origin: string): Traffic {
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

export const FLAWLESS = {
  light: [],
  dark: [],
  too_wide: [],
  problems: [],
  elsewhere: [],
  costly: [],
}

/** One tab visits pages, as a person would; what is wrong with them is returned page by page. */
export function useTab(used: Used) {
  const open = useBrowser(used)
  let page: Page
  let problems: string[]
  let traffic: Traffic

  beforeAll(async () => {
    const opened = await open('/login')
    page = opened.page
    problems = opened.problems
    traffic = watchTraffic(page, used.running().url)
  })

  /** Where the last dialog was closed. */
  let shown: string | undefined
  const goTo = async (path: string) => {
    for (const list of [problems, traffic.elsewhere, traffic.costly]) list.length = 0
    if (shown !== path) {
      shown = undefined
      await page.goto(path)
    }
    await settled(page)
  }
  const found = async () => ({ ...(await inspect(page)), problems, ...traffic })
  return {
    async visit(route: string) {
      await goTo((await PLACES[route]?.(used.client())) ?? '')
      return found()
    },
    /** Opens a dialog, and closes it with Escape. */
    async opened({ path, open }: (typeof DIALOGS)[string]) {
      await goTo(path)
      shown = undefined
      await open(page)
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      const seen = structuredClone(await found())
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      shown = path
      return seen
    },
  }
}
