import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { siteTabs } from '#dashboard/web/pages/sites/detail/search.ts'
import { launch } from '#tests/support/browser/index.ts'
import { sessionOf } from '#tests/support/browser/pages.ts'
import { PLACES, startBulk } from '#tests/support/browser/places.ts'
import { settled } from '#tests/support/browser/settled.ts'
import type { Client } from '#tests/support/client.ts'
import { startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'
import { fail } from './lib/fail.ts'
import { pictureReadme } from './screenshots/readme.ts'

const WIDTHS = { 390: 844, 820: 1180, 1440: 900 }
const THEMES = ['light', 'dark'] as const
const SITE = '/sites/$site_id'
const TABS = siteTabs
  .slice(1)
  .map((tab) => [`${SITE}/${tab}`, async () => `/sites/1?tab=${tab}`] as const)
/** The maximum height of a picture; a longer page is cut. */
const MAX_HEIGHT = 1600

/**
 * Takes a picture of every page of the demo, and of every tab of a site, in three widths and both themes, into a folder:
 * bun run screenshots [--to <folder>] [--only <part of a route>]; --readme takes those in the documents.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      to: { type: 'string', default: join(tmpdir(), 'hosting-control-pages') },
      only: { type: 'string', default: '' },
      readme: { type: 'boolean', default: false },
    },
  })
  const folder = resolve(values.to)
  await mkdir(folder, { recursive: true })
  const { client } = await startDemo(['--steady'], { pages: true })
  await startBulk(client)
  const browser = await launch()
  try {
    const given = { browser, client, folder }
    if (values.readme) await pictureReadme(await openPage(given, 'light'), folder)
    else for (const theme of THEMES) await picture(given, theme, values.only)
  } finally {
    await browser.close()
    await sweep()
  }
  console.log(folder)
}

interface Given {
  browser: Browser
  client: Client
  folder: string
}

type Theme = (typeof THEMES)[number]

async function openPage({ browser, client }: Given, theme: Theme): Promise<Page> {
  const context = await browser.newContext({
    baseURL: client.base,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  await context.addCookies(sessionOf(client))
  return context.newPage()
}

async function picture(given: Given, theme: Theme, only: string): Promise<void> {
  const page = await openPage(given, theme)
  for (const [route, address] of [...Object.entries(PLACES), ...TABS]) {
    if (!route.includes(only)) continue
    await page.goto(await address(given.client))
    await settled(page)
    for (const [width, height] of Object.entries(WIDTHS)) {
      const path = join(given.folder, `${nameOf(route)}-${width}-${theme}.png`)
      await rm(path, { force: true })
      await take(page, path, { width: Number(width), height })
    }
  }
  await page.context().close()
}

async function take(page: Page, path: string, size: { width: number; height: number }) {
  await page.setViewportSize(size)
  await settled(page)
  const full = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({
    ...size,
    height: Math.min(Math.max(full, size.height), MAX_HEIGHT),
  })
  await settled(page)
  await page.screenshot({ path })
}

const nameOf = (route: string) =>
  route === '/' ? 'overview' : route.slice(1).replace(/\$\w+/g, 'one').replaceAll('/', '-')

await main().then(() => process.exit(0), fail)
