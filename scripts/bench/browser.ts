import { parseArgs } from 'node:util'
import { settled } from '#tests/support/browser/settled.ts'
import { sweep } from '#tests/support/processes.ts'
import { type Bench, withBench } from './browser/bench.ts'
import { interaction } from './browser/interaction.ts'
import { memory } from './browser/memory.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { median } from './lib/measure.ts'

/**
 * Measures the pages in Chromium on a demo with 10,000 sites. `--only paint` measures one part;
 * `--minutes` is the duration of the memory measurement, after six minutes in which the caches fill.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      minutes: { type: 'string', default: '6' },
    },
  })
  const parts: Record<string, (bench: Bench) => Promise<void>> = {
    size,
    paint,
    interaction,
    streams,
    memory: (bench) => memory(bench, Number(values.minutes)),
  }
  await withBench(async (bench) => {
    for (const [name, measure] of Object.entries(parts))
      if (name.includes(values.only)) await measure(bench)
  })
}

const PAGES = ['/', '/servers', '/sites', '/operations', '/activity', '/settings', '/docs']

/** Every page loads the files of the document. Throws unless each page then loads a part of its own. */
async function size({ client, open }: Bench): Promise<void> {
  const { text } = await client.get('/login')
  const initial = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, at]) => at)
  const sizes = await Promise.all(initial.map((path = '') => gzipped(client.base + path)))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const parts = new Set<string>()
  for (const path of PAGES) parts.add((await loadedBy(open, path, initial)).join(' '))
  if (bytes === 0 || parts.size !== PAGES.length || parts.has(''))
    throw new Error(`${parts.size} of ${PAGES.length} pages load files that no other loads alone`)
  report('JavaScript of every page', bytes / 1000, 'kB', { at_most: 200 })
}

async function gzipped(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, decompress: false })
  if (answer.headers.get('content-encoding') !== 'gzip') throw new Error(`${url} is not compressed`)
  return (await answer.arrayBuffer()).byteLength
}

/** Returns files of this page in addition to those of every page. */
async function loadedBy(open: Bench['open'], path: string, initial: (string | undefined)[]) {
  const page = await open()
  const found: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js') && !initial.includes(pathname)) found.push(pathname)
  })
  await page.goto(path)
  await settled(page)
  await page.context().close()
  return found.sort()
}

const RUNS = 9
const PAINTED = ['/', '/sites', '/servers', '/operations']

/** Measures the time from the first byte to the first visible text, with an empty cache. */
async function paint(bench: Bench): Promise<void> {
  await checkSites(bench)
  const runs = new Map<string, number[]>([bench.blank_url, ...PAINTED].map((url) => [url, []]))
  for (let run = 0; run < RUNS; run++)
    for (const [url, times] of runs) times.push(await firstPaint(bench, url))
  console.log(`a blank page: ${median(runs.get(bench.blank_url) ?? []).toFixed(0)} ms`)
  for (const path of PAINTED)
    report(`first paint of ${path}`, median(runs.get(path) ?? []), 'ms', { at_most: 500 })
}

async function firstPaint({ open }: Bench, url: string): Promise<number> {
  const page = await open()
  await page.goto(url)
  const time = await page.evaluate(paintOf)
  await page.context().close()
  return time
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
  const grid = page.getByRole('grid', { name: 'Sites' })
  const shown = Number(await grid.getAttribute('aria-rowcount')) - 1
  if (shown !== sites) throw new Error(`/sites shows ${shown} of ${sites} sites`)
  await page.context().close()
}

const OPERATIONS = 50

/** Measures the longest task of /operations, from before the creation of 50 sites to its end. */
async function streams({ open, client }: Bench): Promise<void> {
  const page = await open()
  await page.goto('/operations')
  await settled(page)
  await page.evaluate(watchTasks)
  const ids = await Promise.all(Array.from({ length: OPERATIONS }, (_, at) => create(client, at)))
  await page.getByRole('list', { name: 'Running' }).getByRole('listitem').nth(30).waitFor()
  for (const id of ids) {
    const { text } = await client.get(`/api/operations/${id}/events`)
    if (!text.includes('event: complete')) throw new Error(`${id} failed: ${text.slice(-300)}`)
  }
  await page.waitForTimeout(1000)
  const tasks = await page.evaluate(() => (window as Watching).tasks ?? [])
  await page.context().close()
  const longest = Math.max(0, ...tasks)
  report('longest task', longest, 'ms', { at_most: 100 })
}

async function create(client: Bench['client'], at: number): Promise<string> {
  // After those that are broken in every demo.
  const server = 13 + (at % 25)
  const domain = `stream-${at}.example`
  const { headers, status, text } = await client.post(`/api/servers/${server}/sites`, { domain })
  if (status !== 201) throw new Error(`${domain}: ${text}`)
  return headers.get('operation-id') ?? ''
}

type Watching = Window & { tasks?: number[] }

function watchTasks(): void {
  const tasks: number[] = []
  ;(window as Watching).tasks = tasks
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration)
  }).observe({ type: 'longtask' })
}

await benchmark(main, sweep)
