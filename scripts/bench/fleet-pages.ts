import { Database as Sqlite } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '#dashboard/db/client.ts'
import { sites } from '#dashboard/db/schema.ts'
import { listFleetSites } from '#dashboard/listing/sites.queries.ts'
import { overview } from '#dashboard/overview/overview.ts'
import { realClock } from '#dashboard/runtime/clock.ts'
import { fail } from '#scripts/lib/fail.ts'
import { FleetSitesQuery } from '#shared/api/fleet.ts'
import { fillFleet, SITES } from './fleet-pages/fleet.ts'

const TRIES = 30
const PER_PAGE = 100
const PROMISED = 20

/** The query, and the same as a condition and an order for plain SQLite. */
const CASES: readonly [query: Record<string, string>, where: string, order: string][] = [
  [{}, '1', 'domain'],
  [{ sort: 'php', order: 'desc' }, '1', 'php desc'],
  [{ sort: 'created_at' }, '1', 'created_at'],
  [{ sort: 'updates', order: 'desc' }, '1', 'updates desc'],
  [{ page: '50', sort: 'wp_version' }, '1', 'wp_version'],
  [{ q: 'site-99' }, "instr(domain, 'site-99')", 'domain'],
  [{ status: 'failed', php: '7.4,8.1' }, "status = 'failed' and php in ('7.4', '8.1')", 'domain'],
  [{ updates: 'true', sort: 'created_at' }, 'updates > 0', 'created_at'],
]

/**
 * Pages of ten thousand sites, compared with a minimum from the same run: plain SQLite that has
 * only the necessary columns in memory, and returns the ids and the total. Exits with status 1 if
 * an answer differs or takes more than twenty times its minimum.
 */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fleet-pages-'))
  const db = await openDatabase(`file:${folder}/fleet.db`)
  try {
    await fillFleet(db)
    const plain = await plainTable(db)
    let worst = 0
    for (const one of CASES) worst = Math.max(worst, await compare(db, plain, one))
    const look = () => overview({ db, clock: realClock })
    const [whole] = await shortest(look, look)
    console.log(`${'the overview'.padEnd(52)} ${whole.ms.toFixed(2).padStart(6)} ms`)
    console.log(`worst ${worst.toFixed(1)} × the floor (promised: ${PROMISED})`)
    if (worst > PROMISED) throw new Error('a page takes too long')
  } finally {
    db.close()
    await rm(folder, { recursive: true })
  }
}

async function plainTable(db: Database): Promise<Sqlite> {
  const plain = new Sqlite(':memory:')
  plain.run(
    'create table sites (id integer primary key, domain, status, php, wp_version, updates, created_at)',
  )
  const insert = plain.query('insert into sites values (?, ?, ?, ?, ?, ?, ?)')
  const { id, domain, status, php, wp_version, created_at, updates_plugins, updates_themes } = sites
  const rows = await db.read
    .select({ id, domain, status, php, wp_version, created_at, updates_plugins, updates_themes })
    .from(sites)
  if (rows.length !== SITES) throw new Error('not all sites were stored')
  for (const row of rows) {
    const updates = (row.updates_plugins ?? 0) + (row.updates_themes ?? 0)
    insert.run(row.id, row.domain, row.status, row.php, row.wp_version, updates, row.created_at)
  }
  return plain
}

async function compare(
  db: Database,
  plain: Sqlite,
  [asked, where, order]: (typeof CASES)[number],
): Promise<number> {
  const query = FleetSitesQuery.parse({ ...asked, per_page: String(PER_PAGE) })
  const skip = (query.page - 1) * PER_PAGE
  const page = plain.query<{ id: number }, []>(
    `select id from sites where ${where} order by ${order}, id limit ${PER_PAGE} offset ${skip}`,
  )
  const count = plain.query<{ total: number }, []>(
    `select count(*) as total from sites where ${where}`,
  )
  const plainly = async () => ({
    ids: page.all().map(({ id }) => id),
    total: count.get()?.total,
  })
  // Alternating, so that a slow moment of the machine affects both.
  const [floor, real] = await shortest(plainly, () => listFleetSites(db, query, new Date()))
  const told = { ids: real.value.sites.map(({ id }) => id), total: real.value.total }
  const what = JSON.stringify(asked)
  if (!Bun.deepEquals(told, floor.value)) throw new Error(`another answer to ${what}`)
  const ratio = real.ms / floor.ms
  const times = `${real.ms.toFixed(2).padStart(6)} ms, floor ${floor.ms.toFixed(2)} ms`
  console.log(`${what.padEnd(52)} ${times}, ${ratio.toFixed(1)} ×`)
  return ratio
}

interface Tried<T> {
  ms: number
  value: T
}

/** The shortest of several attempts of each: other work of the machine only adds time. */
async function shortest<A, B>(
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[Tried<A>, Tried<B>]> {
  let best: [Tried<A>, Tried<B>] = [await tried(one), await tried(other)]
  for (let turn = 0; turn < TRIES; turn++)
    best = [shorter(best[0], await tried(one)), shorter(best[1], await tried(other))]
  return best
}

async function tried<T>(work: () => Promise<T>): Promise<Tried<T>> {
  const begun = performance.now()
  const value = await work()
  return { ms: performance.now() - begun, value }
}

const shorter = <T>(one: Tried<T>, other: Tried<T>) => (one.ms < other.ms ? one : other)

await main().then(() => process.exit(0), fail)
