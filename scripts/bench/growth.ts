import { sql } from 'drizzle-orm'
import { overview } from '#dashboard/features/overview/overview.ts'
import { listFleetSites } from '#dashboard/features/sites/listing/sites.queries.ts'
import { listSites } from '#dashboard/features/sites/listing.queries.ts'
import { backup_kits, backup_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { sweep, temporaryFolder } from '#tests/support/processes.ts'
import { drawn, type Point } from './growth/svg.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { SyncedFleet, startAgents } from './lib/fleet.ts'
import { alternating, least, median, ownProcessorTime, timed } from './lib/measure.ts'
import { fillFleet, SERVERS as SERVERS_OF_SITES } from './lib/records.ts'

const MAX_SERVERS = Number(process.env.SERVERS ?? 10_000)
const SERVERS = [10, 100, 1_000, 10_000].filter((count) => count <= MAX_SERVERS)
const MAX_SITES = Number(process.env.SITES ?? 100_000)
const SITES = [10, 100, 1_000, 10_000, 100_000].filter((count) => count <= MAX_SITES)
const PICTURE = new URL('../../.github/docs/growth.svg', import.meta.url).pathname

/**
 * What a dashboard needs as its fleet grows: processor time for a server and minute in which nothing
 * changes, and the time of pages of equal length, whose answers are not kept. Draws both. Fails if an
 * answer is wrong.
 */
async function main(): Promise<void> {
  const pages = new Map<Page, Point[]>(PAGE_NAMES.map((name) => [name, []]))
  for (const count of SITES) {
    const times = await timesOfPages(count)
    for (const name of PAGE_NAMES) pages.get(name)?.push({ x: count, y: times[name] })
    console.log(`${count} sites: ${JSON.stringify(times)} ms`)
  }
  const servers: Point[] = []
  for (const count of SERVERS) {
    const ms = await costOfServer(count)
    servers.push({ x: count, y: ms })
    console.log(`${count} servers: ${ms.toFixed(3)} ms of processor time for each and minute`)
  }
  if (MAX_SERVERS === 10_000 && MAX_SITES === 100_000)
    await Bun.write(PICTURE, pictureOf(servers, pages))
  const [ours, against] = [at(servers, MAX_SERVERS), at(servers, 100)]
  report(`a server and minute, ${MAX_SERVERS} against 100 servers`, ours, 'ms', {
    against,
    at_most: 1.3,
  })
  for (const [name, points] of pages) {
    const larger = MAX_SITES.toLocaleString('en-US')
    report(`${name}, ${larger} against 1,000 sites`, at(points, MAX_SITES), 'ms', {
      against: at(points, 1_000),
      at_most: 2,
    })
  }
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

/** Each try has this number of minutes of servers: small fleets repeat the minute so often. */
const SERVER_MINUTES = 2_000

/** Returns the processor time in ms for a server and a minute without a change. */
async function costOfServer(count: number): Promise<number> {
  const agents = await startAgents('enrolled')
  const fleet = await SyncedFleet.of(count, agents)
  const minutes = Math.ceil(SERVER_MINUTES / count)
  const repeated = async () => {
    for (let turn = 0; turn < minutes; turn++) await fleet.minute()
  }
  for (const _ of [1, 2]) await repeated()
  const { used } = await alternating(3, median, { used: () => ownProcessorTime(repeated) })
  await fleet.check()
  fleet.close()
  await agents.kill()
  return used / minutes / count
}

const PER_PAGE = 100

/** Each page measures its time, in a fleet with this number of sites. Throws for a wrong answer. */
const PAGES = {
  'sites of the fleet': async (db: Database, count: number) => {
    const query = FleetSitesQuery.parse({ per_page: String(PER_PAGE) })
    const { sites, total } = await listFleetSites(db, query, new Date())
    expect(total, count)
    expect(sites.length, Math.min(count, PER_PAGE))
  },
  'sites of a server': async (db: Database, count: number) => {
    expect((await listSites(db, 1)).length, Math.min(count, FIRST))
  },
  'overview of the fleet': (db: Database, count: number) => overviewOf(db, count),
  'overview after a change': async (db: Database, count: number) => {
    // Its server has more sites in a larger fleet. Counts by status and what its backups need change.
    await db.write((queries) =>
      queries.run(sql`update sites set status = iif(status = 'active', 'suspended', 'active')
        where id = (select id from sites where status in ('active', 'suspended')
          order by id desc limit 1)`),
    )
    await overviewOf(db, count)
  },
}
type Page = keyof typeof PAGES
const PAGE_NAMES = Object.keys(PAGES) as Page[]

const marks = new Marks('s'.repeat(32), { error: () => undefined })

async function overviewOf(db: Database, count: number): Promise<void> {
  const { counts } = await overview({ db, marks, clock: realClock })
  const sum = Object.values(counts.sites).reduce((sum, sites) => sum + sites, 0)
  expect(sum, count)
}

function expect(found: number, expected: number): void {
  if (found !== expected) throw new Error(`a page has ${found} instead of ${expected}`)
}

/** Returns the milliseconds of each page, the shortest of several tries. */
async function timesOfPages(count: number): Promise<Record<Page, number>> {
  const db = await openDatabase(`file:${await temporaryFolder('growth')}/fleet.db`)
  await fillFleet(db, count, placed)
  await addBackups(db)
  const measured = PAGE_NAMES.map((name) => [name, () => timed(() => PAGES[name](db, count))])
  const times = await alternating(20, least, Object.fromEntries(measured))
  db.close()
  return times as Record<Page, number>
}

/** The sites of the first server. The others have the rest, so that its list is no longer with more. */
const FIRST = 100

function placed(number: number): Partial<NewSite> {
  // Domains are in another order than ids.
  const domain = `site-${(number * 7919) % 1_000_003}.example`
  return {
    domain,
    apex: domain,
    php: ['8.2', '8.3', '8.4'][number % 3] ?? '',
    server_id: number <= FIRST ? 1 : 2 + (number % (SERVERS_OF_SITES - 1)),
    certificate_expires_at: '2027-01-01T00:00:00.000Z',
    created_at: '2026-01-01T00:00:00.000Z',
  }
}

const DAY_MS = 24 * 3600_000
/** Each site has this number of backups: a proven one, and later ones. */
const BACKUPS = 5

/** Adds recent backups of all sites in use in one target, and a proof of the first of each site. */
async function addBackups(db: Database): Promise<void> {
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()
  const times = { created_at: ago(60), confirmed_at: ago(60) }
  const keys = { recovery_key: '', dashboard_key: '', dashboard_key_sealed: '', challenge_hash: '' }
  const place = { kind: 'local', path: '/mnt/backup' } as const
  const checked = { is_default: true, checked_at: ago(60), created_at: ago(60) }
  await db.write((queries) => queries.insert(backup_kits).values({ ...keys, ...times }))
  await db.write((queries) =>
    queries
      .insert(backup_targets)
      .values({ name: 'Storage', place, secret_sealed: '', ...checked }),
  )
  for (let days = BACKUPS - 1; days >= 0; days--) {
    const at = ago(days)
    await db.write((queries) =>
      queries.run(sql`insert into backups (site_id, server_id, domain, target_id, repository, snapshot,
          at, recorded_at, files, bytes, stored, tables, seconds)
        select id, server_id, domain, 1, user, user || ${days}, ${at}, ${at}, 1, 1, 1, 1, 1
        from sites where status = 'active'`),
    )
  }
  await db.write((queries) =>
    queries.run(sql`insert into backup_proofs (backup_id, site_id, server_id, at, recorded_at, proven,
        findings, rows, tables, files, bytes, pages, seconds)
      select min(id), site_id, server_id, at, at, 1, '[]', 1, 1, 1, 1, '[]', 1
      from backups group by site_id`),
  )
}

await benchmark(main, sweep)
