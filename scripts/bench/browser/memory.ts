import type { CDPSession, Page } from 'playwright-core'
import { settled } from '#tests/support/browser/settled.ts'
import type { Bench } from './bench.ts'
import type { Outcome } from './promise.ts'
import { slope } from './statistics.ts'

/** Of what is in use, that a whole run may add by its slope. */
const PROMISED = 0.05
/** Of the run, in which code is compiled and what is kept for minutes is gathered. */
const WARM = 1 / 3
const MENU = ['Servers', 'Sites', 'Operations', 'Activity', 'Trash', 'Overview']

/** Goes round all pages for some minutes while the fleet lives; after each round what nobody needs is let go. The first third of it warms up. */
export async function memory({ open }: Bench, minutes: number): Promise<Outcome[]> {
  const page = await open()
  const session = await page.context().newCDPSession(page)
  await page.goto('/')
  const points: { x: number; y: number }[] = []
  const begun = performance.now()
  const elapsed = () => (performance.now() - begun) / 60_000
  while (elapsed() < minutes) {
    await goRound(page)
    if (elapsed() > WARM * minutes) points.push({ x: elapsed(), y: await heapOf(session) })
  }
  await page.context().close()
  const least = Math.min(...points.map(({ y }) => y))
  const grown = slope(points) * minutes
  return [
    {
      name: 'memory of a tab that goes round all pages',
      found: `${mb(slope(points))} MB a minute over ${minutes} minutes and ${points.length} rounds, ${((100 * grown) / least).toFixed(1)} % of ${mb(least)} MB (promised: ${100 * PROMISED} %)`,
      holds: points.length > 5 && grown <= PROMISED * least,
    },
  ]
}

async function goRound(page: Page): Promise<void> {
  for (const name of MENU) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await settled(page)
    if (name === 'Sites') await scrolls(page)
  }
}

async function scrolls(page: Page): Promise<void> {
  await page.keyboard.press('End')
  await page.locator('tr[aria-rowindex^="99"]').first().waitFor()
  await page.keyboard.press('Home')
  // The mark of a demo moves the menu down once the top is reached: who clicks before that misses.
  await page.waitForFunction(() => window.scrollY === 0)
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

const mb = (bytes: number) => (bytes / 1e6).toFixed(2)
