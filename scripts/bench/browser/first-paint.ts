import type { Page } from 'playwright-core'
import { median } from '#scripts/bench/lib/measure.ts'
import { settled } from '#tests/support/browser/settled.ts'
import type { Bench } from './bench.ts'
import { ms, type Outcome } from './bench.ts'

const PROMISED_MS = 500
const RUNS = 9
const PAGES = ['/', '/sites', '/servers', '/operations']

/** Measures the time from the first byte to the first visible text, with an empty cache. */
export async function firstPaint(bench: Bench): Promise<Outcome[]> {
  await checkSites(bench)
  const runs = new Map<string, Painted[]>([bench.blank_url, ...PAGES].map((url) => [url, []]))
  for (let run = 0; run < RUNS; run++) {
    for (const [url, list] of runs) list.push(await painted(bench, url))
  }
  const medianOf = (url: string, what: keyof Painted) =>
    median((runs.get(url) ?? []).map((run) => run[what]))
  const floor = medianOf(bench.blank_url, 'first')
  return PAGES.map((path) => {
    const found = medianOf(path, 'first')
    const ratio = (found / floor).toFixed(1)
    const heading = `its heading after ${ms(medianOf(path, 'heading'))}`
    return {
      name: `first paint of ${path}`,
      found: `${ms(found)} (promised: ${ms(PROMISED_MS)}), ${ratio} × a blank page's ${ms(floor)}; ${heading}`,
      holds: found <= PROMISED_MS,
      figure: { name: `first paint of ${path}`, unit: 'ms', ours: found, at_most: PROMISED_MS },
    }
  })
}

/** The milliseconds since the request of the page. */
interface Painted {
  first: number
  heading: number
}

async function painted({ open }: Bench, url: string): Promise<Painted> {
  const page = await open()
  await page.goto(url)
  const heading = await page.waitForFunction(
    () => document.querySelector('h1') && performance.now(),
  )
  const times = { first: await page.evaluate(paintOf), heading: Number(await heading.jsonValue()) }
  await page.context().close()
  return times
}

/** Runs in the browser. */
function paintOf(): Promise<number> {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [first] = list.getEntriesByName('first-contentful-paint')
      if (first) resolve(first.startTime)
    }).observe({ type: 'paint', buffered: true })
  })
}

/** Confirms that the measured page is the one of all sites. */
async function checkSites({ open, sites }: Bench): Promise<void> {
  const page = await open()
  await page.goto('/sites')
  await settled(page)
  const shown = await countOf(page)
  if (shown !== sites) throw new Error(`/sites shows ${shown} of ${sites} sites`)
  await page.context().close()
}

const countOf = async (page: Page) =>
  Number(await page.getByRole('grid', { name: 'Sites' }).getAttribute('aria-rowcount')) - 1
