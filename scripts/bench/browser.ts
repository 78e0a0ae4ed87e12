import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { type Bench, type Outcome, withBench } from './browser/bench.ts'
import { firstPaint } from './browser/first-paint.ts'
import { interaction } from './browser/interaction.ts'
import { memory } from './browser/memory.ts'
import { streams } from './browser/streams.ts'
import { report } from './lib/figure.ts'

/**
 * Measures the pages in Chromium on a demo with 10,000 sites. Exits with status 1 if one of the
 * promises does not hold. `--only paint` measures one of them; `--minutes` is the duration of the
 * memory measurement, after six minutes in which the caches fill.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      minutes: { type: 'string', default: '6' },
    },
  })
  const parts: Record<string, (bench: Bench) => Promise<Outcome[]>> = {
    size,
    paint: firstPaint,
    interaction,
    streams,
    memory: (bench) => memory(bench, Number(values.minutes)),
  }
  const broken: string[] = []
  await withBench(async (bench) => {
    for (const [name, measure] of Object.entries(parts))
      if (name.includes(values.only)) broken.push(...linesOf(await measure(bench)))
  })
  if (broken.length > 0) throw new Error(`does not hold: ${broken.join(', ')}`)
}

/** Prints each promise; returns the names of the broken ones. */
function linesOf(outcomes: Outcome[]): string[] {
  for (const { name, found, holds, figure } of outcomes) {
    console.log(`${holds ? 'holds ' : 'BROKEN'}  ${name}: ${found}`)
    if (figure) report(figure)
  }
  return outcomes.filter(({ holds }) => !holds).map(({ name }) => name)
}

const PROMISED = 200_000
const PAGES = ['/', '/servers', '/sites', '/operations', '/activity', '/settings', '/docs']

/** Every page loads the files of the document; each page then loads a part of its own. */
async function size({ client, open }: Bench): Promise<Outcome[]> {
  const { text } = await client.get('/login')
  const initial = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, at]) => at)
  const sizes = await Promise.all(initial.map((path = '') => gzipped(client.base + path)))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const parts = new Set<string>()
  for (const path of PAGES) parts.add((await loadedBy(open, path, initial)).join(' '))
  const own = parts.size === PAGES.length && !parts.has('')
  return [
    {
      name: 'JavaScript of every page',
      found: `${(bytes / 1000).toFixed(1)} kB gzip in ${initial.length} files (promised: ${PROMISED / 1000} kB)`,
      holds: bytes > 0 && bytes <= PROMISED,
      figure: {
        ...{ name: 'JavaScript of every page', unit: 'kB', ours: bytes / 1000 },
        at_most: PROMISED / 1000,
      },
    },
    {
      name: 'pages load their own code',
      found: `${parts.size} of ${PAGES.length} pages load files that no other loads alone`,
      holds: own,
    },
  ]
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

await main().then(() => process.exit(0), fail)
