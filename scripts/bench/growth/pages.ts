import { sql } from 'drizzle-orm'
import type { Database } from '#dashboard/db/client.ts'
import { Marks } from '#dashboard/db/marks.ts'
import { listFleetSiteIds, listFleetSites } from '#dashboard/listing/sites.queries.ts'
import { listVersions } from '#dashboard/listing/versions.queries.ts'
import { overview } from '#dashboard/overview/overview.ts'
import { readGroups } from '#dashboard/overview/parts/queries.ts'
import { listFleetServers } from '#dashboard/overview/queries.ts'
import { realClock } from '#dashboard/runtime/clock.ts'
import { readBackupParts } from '#dashboard/site-backups/parts.queries.ts'
import { listSites } from '#dashboard/sites/listing.queries.ts'
import { shortest, timed } from '#scripts/bench/lib/measure.ts'
import { FleetSitesQuery } from '#shared/api/site-filters.ts'
import { temporaryFolder } from '#tests/support/processes.ts'
import { FIRST, recordsOf } from './records.ts'

const marks = new Marks('s'.repeat(32), { error: () => undefined })

const TRIES = 20
const PER_PAGE = 100

/** Each page: its time, in a fleet with this number of sites. Throws for a wrong answer. */
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

/** Milliseconds for each page, the shortest of several tries, in a fleet with so many sites. */
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
