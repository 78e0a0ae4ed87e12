import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { painted, settled } from '#tests/support/browser/settled.ts'

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
export async function pictureReadme(page: Page, folder: string): Promise<void> {
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

/** Until its longest step. */
async function createSite(page: Page): Promise<void> {
  await open(page, '/sites/new')
  await page.getByLabel('Domain').fill(DOMAIN)
  await page.getByRole('radio', { name: /^fra-web-01/ }).check()
  await page.getByRole('button', { name: 'Review plan' }).click()
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.locator('li[aria-current=step]', { hasText: 'Installing WordPress' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
}

/** A third of the bytes of a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await session.detach()
  return Buffer.from(data, 'base64')
}
