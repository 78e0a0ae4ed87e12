import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { siteTabs } from '#dashboard/web/features/sites/site-search.ts'
import { launch } from '#tests/support/browser/index.ts'
import { sessionOf } from '#tests/support/browser/pages.ts'
import { PLACES, startBulk } from '#tests/support/browser/places.ts'
import { painted, settled } from '#tests/support/browser/settled.ts'
import type { Client } from '#tests/support/client.ts'
import { startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'
import { fail } from './lib/fail.ts'

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

const SIZE = { width: 1280, height: 800 }
/** It stays in one step for a minute, in any demo. */
const DOMAIN = 'slow-bakery.example.com'

type Take = (page: Page) => Promise<void>

/** The pictures in the documents, and the user's way to each page. */
const PICTURES: Record<string, Take> = {
  overview: (page) => open(page, '/'),
  sites: (page) => open(page, '/sites'),
  create: createSite,
}

/** Takes each in both themes, and saves them in a folder. */
async function pictureReadme(page: Page, folder: string): Promise<void> {
  await page.setViewportSize(SIZE)
  for (const [name, go] of Object.entries(PICTURES)) {
    await go(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await painted(page)
      await writeFile(join(folder, `ui-${name}-${colorScheme}.webp`), await webpOf(page))
    }
  }
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settled(page)
}

/** Creates a site, and waits for its longest step. */
async function createSite(page: Page): Promise<void> {
  await open(page, '/sites/new')
  await page.getByLabel('Domain').fill(DOMAIN)
  await page.getByRole('radio', { name: /^fra-web-01/ }).check()
  await page.getByRole('button', { name: 'Review plan' }).click()
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.locator('li[aria-current=step]', { hasText: 'Installing WordPress' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
}

/** Returns the picture as WebP, which has a third of the bytes of a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await session.detach()
  return Buffer.from(data, 'base64')
}

await main().then(() => process.exit(0), fail)
