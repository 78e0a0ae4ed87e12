import type { Page } from 'playwright-core'
import { report } from '#scripts/bench/lib/benchmark.ts'
import { quantile } from '#scripts/bench/lib/measure.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { type Bench, countSites } from './bench.ts'

const WORDS = ['shop', 'garden', 'atelier', 'blog.']
const COLUMNS = ['Domain', 'Server', 'Status', 'WordPress', 'Updates', 'PHP', 'Tier', 'TLS']
const FILTERS = [
  ['Status', 'active'],
  ['PHP', '8.2'],
  ['Updates', 'true'],
] as const
/** The pause between two keys of a fast typist. */
const BETWEEN_KEYS_MS = 70

/** Measures the time from a key or a click to the next painted frame, while 10,000 sites are filtered and sorted. */
export async function interaction({ open, client, sites, blank_url }: Bench): Promise<void> {
  const empty = await open()
  await empty.goto(blank_url)
  const floor = await measured(empty, async () => {
    await empty.getByRole('textbox').click()
    for (const word of WORDS) await type(empty, word)
  })
  const page = await open()
  await page.goto('/sites')
  await settled(page)
  const times = await measured(page, async () => {
    await search(page, client, sites)
    await sort(page)
    await filter(page)
    await moveByKeys(page)
  })
  console.log(
    `a blank page: ${quantile(floor, 0.95).toFixed(0)} ms; longest ${Math.max(...times)} ms`,
  )
  report('interaction, p95', quantile(times, 0.95), 'ms', { at_most: 100 })
  await page.context().close()
  await empty.context().close()
}

async function search(page: Page, client: Bench['client'], sites: number) {
  const box = page.getByRole('searchbox')
  for (const word of WORDS) {
    await box.click()
    await type(page, word)
    await untilShown(page, await countSites(client, word))
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Backspace')
    await untilShown(page, sites)
  }
}

async function sort(page: Page): Promise<void> {
  for (const name of [...COLUMNS, ...COLUMNS]) {
    const heading = page.getByRole('columnheader', { name, exact: true })
    const next = (await heading.getAttribute('aria-sort')) === 'ascending' ? 'desc' : 'asc'
    await heading.getByRole('button').click()
    await page.locator(`th[aria-sort^=${next}]`, { hasText: name }).waitFor()
    await settled(page)
  }
}

async function filter(page: Page): Promise<void> {
  for (const [name, value] of FILTERS) {
    const select = page.getByLabel(name, { exact: true })
    for (const chosen of [value, '']) {
      await select.focus()
      await select.selectOption(chosen)
      await page.keyboard.press('Tab')
      await settled(page)
    }
  }
}

/** Moves down the whole list by keys. */
async function moveByKeys(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Sites' }).focus()
  for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'PageDown', 'End', 'Home', 'ArrowDown'])
    await page.keyboard.press(key, { delay: BETWEEN_KEYS_MS })
}

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text, { delay: BETWEEN_KEYS_MS })
}

async function untilShown(page: Page, sites: number): Promise<void> {
  await page
    .locator(`[role=grid][aria-rowcount="${sites + 1}"][aria-busy=false]`)
    .waitFor({ timeout: 10_000 })
}

/** Returns the duration of each key and click, at least the minimum of the API. */
async function measured(page: Page, work: () => Promise<void>): Promise<number[]> {
  const before = await page.evaluate(beginToWatch)
  await work()
  await page.waitForTimeout(500)
  const { longest, count } = await page.evaluate(endToWatch)
  const short = Math.max(0, count - before - longest.length)
  return [...longest, ...Array.from({ length: short }, () => MIN_MS)]
}

/** The minimum duration that the Event Timing API reports. */
const MIN_MS = 16

type Watching = Window & { longest?: Map<number, number> }

function beginToWatch(): number {
  const longest = new Map<number, number>()
  ;(window as Watching).longest = longest
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
      const { interactionId: id, duration } = entry
      if (id > 0) longest.set(id, Math.max(duration, longest.get(id) ?? 0))
    }
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  return (performance as Performance & { interactionCount: number }).interactionCount
}

function endToWatch() {
  const { interactionCount: count } = performance as Performance & { interactionCount: number }
  return { longest: [...((window as Watching).longest?.values() ?? [])], count }
}
