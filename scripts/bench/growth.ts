import { fail } from '#scripts/lib/fail.ts'
import { sweep } from '#tests/support/processes.ts'
import { explain, PAGE_NAMES, type Page, timesOfPages } from './growth/pages.ts'
import { costOfServer } from './growth/servers.ts'
import { drawn, type Point } from './growth/svg.ts'
import { report } from './lib/figure.ts'

const MAX_SERVERS = Number(process.env.SERVERS ?? 10_000)
const SERVERS = [10, 100, 1_000, 10_000].filter((count) => count <= MAX_SERVERS)
const SITES = [10, 100, 1_000, 10_000, 100_000]
const SERVER_GOAL = 1.3
const PAGE_GOAL = 2
const PICTURE = new URL('../../.github/docs/growth.svg', import.meta.url).pathname

/**
 * What a dashboard needs as its fleet grows: processor time for a server and minute in which nothing
 * changes, and the time of pages of equal length, whose answers are not kept. Draws both. Exits with
 * status 1 if an answer is wrong, or if a cost grows faster than its goal.
 */
async function main(): Promise<void> {
  const pages = new Map<Page, Point[]>(PAGE_NAMES.map((name) => [name, []]))
  for (const count of SITES) {
    const times = await timesOfPages(count)
    for (const name of PAGE_NAMES) pages.get(name)?.push({ x: count, y: times[name] })
    const words = PAGE_NAMES.map((name) => `${name} ${times[name].toFixed(2)} ms`)
    console.log(`${count} sites: ${words.join(', ')}`)
  }
  const servers: Point[] = []
  for (const count of SERVERS) {
    const ms = await costOfServer(count)
    servers.push({ x: count, y: ms })
    console.log(`${count} servers: ${ms.toFixed(3)} ms of processor time for each and minute`)
  }
  await Bun.write(PICTURE, pictureOf(servers, pages))
  const met = [
    report({
      ...{ name: `a server and minute, ${MAX_SERVERS} against 100 servers`, unit: 'ms' },
      ...{ ours: at(servers, MAX_SERVERS), against: at(servers, 100), at_most: SERVER_GOAL },
    }),
    ...[...pages].map(([name, points]) =>
      report({
        ...{ name: `${name}, 100,000 against 1,000 sites`, unit: 'ms' },
        ...{ ours: at(points, 100_000), against: at(points, 1_000), at_most: PAGE_GOAL },
      }),
    ),
  ]
  if (!met.includes(false)) return
  for (const count of [1_000, 100_000]) await explain(count)
  throw new Error('a goal is missed')
}

function at(points: readonly Point[], count: number): number {
  const found = points.find(({ x }) => x === count)
  if (!found) throw new Error(`nothing was measured with ${count}`)
  return found.y
}

function pictureOf(servers: readonly Point[], pages: ReadonlyMap<Page, readonly Point[]>): string {
  return drawn('Cost as the fleet grows', [
    {
      title: 'Background work',
      x: 'Servers',
      y: 'Processor time for a server and minute (ms)',
      series: { 'nothing changes': servers },
    },
    {
      title: 'Pages',
      x: 'Sites',
      y: 'Time of a page whose answer is not kept (ms)',
      series: Object.fromEntries(pages),
    },
  ])
}

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
