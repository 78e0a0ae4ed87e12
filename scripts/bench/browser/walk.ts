import type { Locator, Page } from 'playwright-core'
import { settled } from '#tests/support/browser/settled.ts'
import { type Bench, OUT_OF_TRASH } from './bench.ts'

type Walk = Pick<Bench, 'client' | 'sites'>

/**
 * Visits the pages as a person does. Each round opens other servers, sites and operations than
 * earlier rounds, so that a leak adds up.
 */
export async function visitPages(
  page: Page,
  { client, sites }: Walk,
  round: number,
): Promise<void> {
  const at = (round * 997) % sites
  await goTo(page, 'Overview')
  await goTo(page, 'Servers')
  await openOne(page, page.getByRole('table').getByRole('link'), round)
  await goTo(page, 'Sites')
  await scrollTo(page, at / sites)
  const domain = await domainOf(client, at)
  await findBySearch(page, domain)
  await openOne(page, page.getByRole('grid').getByRole('link', { name: domain, exact: true }), 0)
  await findByName(page, domain)
  await goTo(page, 'Operations')
  await openOne(page, page.getByRole('list', { name: 'History' }).getByRole('link'), round)
  await goTo(page, 'Activity')
  await goTo(page, 'Trash')
  // Equally long at any time, whatever changes in the fleet.
  await goTo(page, 'Settings')
}

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await settled(page)
}

/** Opens one of them, and goes back. */
async function openOne(page: Page, links: Locator, nth: number): Promise<void> {
  const { pathname } = new URL(page.url())
  await links.first().waitFor()
  await links.nth(nth % (await links.count())).click()
  await page.waitForURL((url) => url.pathname.startsWith(`${pathname}/`))
  await settled(page)
  await page.goBack()
  await page.waitForURL((url) => url.pathname === pathname)
  await settled(page)
}

/** Scrolls to a part of the list of all sites, and up again. */
async function scrollTo(page: Page, part: number): Promise<void> {
  await page.evaluate((part) => window.scrollTo(0, part * document.body.scrollHeight), part)
  await page.waitForFunction(() => !document.querySelector('td[aria-label="Loading"]'))
  // The banner of a demo moves the menu down at the top: an earlier click misses it.
  await page.evaluate(() => window.scrollTo(0, 0))
  await settled(page)
}

async function findBySearch(page: Page, domain: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search sites' }).fill(domain)
  await page.waitForURL((url) => url.searchParams.get('q') !== null)
  await page.getByRole('grid').getByRole('link', { name: domain, exact: true }).waitFor()
  await settled(page)
}

/** Types in the palette, and closes it without a choice. */
async function findByName(page: Page, domain: string): Promise<void> {
  const box = page.getByRole('combobox', { name: /^Search/ })
  await page.keyboard.press('Control+k')
  await box.fill(domain)
  await page.getByRole('option', { name: domain }).first().waitFor()
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
}

async function domainOf(client: Bench['client'], at: number): Promise<string> {
  const found = await client.get(
    `/api/fleet/sites?status=${OUT_OF_TRASH}&page=${at + 1}&per_page=1`,
  )
  const [site] = (found.body as { sites: { domain: string }[] }).sites
  if (!site) throw new Error(`There is no site number ${at}`)
  return site.domain
}
