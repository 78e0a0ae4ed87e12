import { sql } from 'drizzle-orm'
import { readBackupParts } from '#dashboard/features/backups/parts.queries.ts'
import { overview } from '#dashboard/features/overview/overview.ts'
import { readGroups } from '#dashboard/features/overview/parts/queries.ts'
import { listFleetServers } from '#dashboard/features/overview/queries.ts'
import {
  listFleetSiteIds,
  listFleetSites,
} from '#dashboard/features/sites/listing/sites.queries.ts'
import { listVersions } from '#dashboard/features/sites/listing/versions.queries.ts'
import { listSites } from '#dashboard/features/sites/listing.queries.ts'
import { backup_kits, backup_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { fillFleet, SERVERS } from '#scripts/bench/lib/fleet.ts'
import { shortest, timed } from '#scripts/bench/lib/measure.ts'
import { FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

const marks = new Marks('s'.repeat(32), { error: () => undefined })

const TRIES = 20
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

async function overviewOf(db: Database, count: number): Promise<void> {
  const { counts } = await overview({ db, marks, clock: realClock })
  expect(
    Object.values(counts.sites).reduce((sum, sites) => sum + sites, 0),
    count,
  )
}

export type Page = keyof typeof PAGES
export const PAGE_NAMES = Object.keys(PAGES) as Page[]

/** What the pages consist of, for a goal that is missed. */
const PARTS = {
  'the first sites in order, and the number of all': (db: Database) => {
    const query = FleetSitesQuery.parse({})
    return listFleetSiteIds(db, query, { now: new Date(), limit: PER_PAGE })
  },
  'the servers': (db: Database) => listFleetServers(db),
  'the versions of the servers': (db: Database) => listVersions(db),
  'counts of the sites of one server': (db: Database) => readGroups(db, [2], new Date()),
  'what the backups of one server need': (db: Database) =>
    readBackupParts(db, [2], {
      ...{ every: 'daily', proof_every: 'monthly', now: new Date(), ever: false },
    }),
}

/** Prints the times of the parts. */
export async function explain(count: number): Promise<void> {
  const db = await recordsOf(await temporaryFolder('growth'), count)
  const entries = Object.entries(PARTS)
  const measured = entries.map(([name, read]) => [name, () => timed(() => read(db))])
  const times = await shortest(TRIES, Object.fromEntries(measured))
  console.log(`parts of the pages with ${count} sites:`)
  for (const [name, ms] of Object.entries(times)) console.log(`  ${ms.toFixed(2)} ms  ${name}`)
  db.close()
}

/** Returns the milliseconds of each page, the shortest of several tries. */
export async function timesOfPages(count: number): Promise<Record<Page, number>> {
  const db = await recordsOf(await temporaryFolder('growth'), count)
  const measured = PAGE_NAMES.map((name) => [name, () => timed(() => PAGES[name](db, count))])
  const times = await shortest(TRIES, Object.fromEntries(measured))
  db.close()
  return times
}

function expect(found: number, expected: number): void {
  if (found !== expected) throw new Error(`a page has ${found} instead of ${expected}`)
}

/** The sites of the first server. The others have the rest, so that its list is no longer with more. */
const FIRST = 100
const AT = '2026-01-01T00:00:00.000Z'
const SOON = '2027-01-01T00:00:00.000Z'

/** Returns the records of a fleet with so many sites on 100 servers. */
async function recordsOf(folder: string, count: number): Promise<Database> {
  const db = await openDatabase(`file:${folder}/fleet.db`)
  await fillFleet(db, count, placed)
  await addBackups(db)
  return db
}

function placed(number: number): Partial<NewSite> {
  // Domains are in another order than ids.
  const domain = `site-${(number * 7919) % 1_000_003}.example`
  return {
    ...{ domain, apex: domain, php: ['8.2', '8.3', '8.4'][number % 3] ?? '' },
    server_id: number <= FIRST ? 1 : 2 + (number % (SERVERS - 1)),
    ...{ certificate_expires_at: SOON, created_at: AT },
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
