import type { CDPSession, Locator, Page } from 'playwright-core'
import { CACHE_MS } from '#dashboard/web/api/cache-limit.ts'
import { report } from '#scripts/bench/lib/benchmark.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { type Bench, OUT_OF_TRASH } from './bench.ts'

/** Until the caches are full. The rounds follow without pauses, so that hot code is compiled. */
const WARM_MS = CACHE_MS + 60_000
/** A round lasts this long: it does ten times as much as a person. */
const ROUND_MS = 6_000
/** A line needs at least this number of rounds. */
const MIN_ROUNDS = 20

const KINDS = { heap: 'JavaScript heap', nodes: 'DOM nodes', listeners: 'event listeners' } as const
type Kind = keyof typeof KINDS
type Use = Record<Kind | 'minute', number>

/**
 * Visits the pages while the fleet changes: first until caches of some minutes are full, then for
 * the given minutes, with a measurement of used memory after each round.
 */
export async function memory(bench: Bench, minutes: number): Promise<void> {
  const page = await bench.open()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await page.goto('/')
  const uses: Use[] = []
  const start = performance.now()
  const elapsed = () => performance.now() - start
  for (let round = 0; elapsed() < WARM_MS + minutes * 60_000; round++) {
    const next = elapsed() + ROUND_MS
    await visitPages(page, bench, round)
    if (elapsed() < WARM_MS) continue
    uses.push({ minute: elapsed() / 60_000, ...(await inUse(session)) })
    await page.waitForTimeout(Math.max(0, next - elapsed()))
  }
  await page.context().close()
  if (uses.length < MIN_ROUNDS) throw new Error(`${uses.length} rounds say little`)
  for (const kind of Object.keys(KINDS) as Kind[]) reportGrowth(kind, uses)
}

/** Returns what is in use after a garbage collection. */
async function inUse(session: CDPSession): Promise<Record<Kind, number>> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage')
  const { metrics } = await session.send('Performance.getMetrics')
  const count = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN
  return { heap, nodes: count('Nodes'), listeners: count('JSEventListeners') }
}

/** Reports the growth of the line through all rounds, chance included. */
function reportGrowth(kind: Kind, uses: readonly Use[]): void {
  const line = lineThrough(uses.map((use) => ({ x: use.minute, y: use[kind] })))
  const [first, last] = [uses[0]?.minute ?? 0, uses.at(-1)?.minute ?? 0]
  const growth = ((line.slope + 2 * line.error) * (last - first)) / line.at(first)
  report(`growth of ${KINDS[kind]}`, growth * 100, '%', { at_most: 5 })
}

interface Line {
  slope: number
  /** The standard error of the slope: the share of chance. */
  error: number
  at(x: number): number
}

/** Returns the line through the points by least squares. */
function lineThrough(points: readonly { x: number; y: number }[]): Line {
  const mean = (axis: 'x' | 'y') => points.reduce((sum, at) => sum + at[axis], 0) / points.length
  const sum = (part: (at: { x: number; y: number }) => number) =>
    points.reduce((total, at) => total + part(at), 0)
  const [x, y] = [mean('x'), mean('y')]
  const wide = sum((at) => (at.x - x) ** 2)
  const slope = sum((at) => (at.x - x) * (at.y - y)) / wide
  const at = (there: number) => y + slope * (there - x)
  const off = sum((point) => (point.y - at(point.x)) ** 2) / (points.length - 2)
  return { slope, error: Math.sqrt(off / wide), at }
}

type Walk = Pick<Bench, 'client' | 'sites'>

/**
 * Visits the pages as a person does. Each round opens other servers, sites and operations than
 * earlier rounds, so that a leak adds up.
 */
async function visitPages(page: Page, { client, sites }: Walk, round: number): Promise<void> {
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
