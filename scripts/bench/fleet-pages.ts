import { Database as Sqlite } from 'bun:sqlite'
import { tmpdir } from 'node:os'
import { type Database, openDatabase } from '#dashboard/db/client.ts'
import { Marks } from '#dashboard/db/marks.ts'
import { sites } from '#dashboard/db/schema.ts'
import { listFleetSites } from '#dashboard/listing/sites.queries.ts'
import { overview } from '#dashboard/overview/overview.ts'
import { realClock } from '#dashboard/runtime/clock.ts'
import { draftIn } from '#scripts/lib/draft.ts'
import { fail } from '#scripts/lib/fail.ts'
import { FleetSitesQuery } from '#shared/api/site-filters.ts'
import { fillFleet, SITES } from './fleet-pages/fleet.ts'
import { report } from './lib/figure.ts'
import { shortest, timed } from './lib/measure.ts'

const marks = new Marks('s'.repeat(32), { error: () => undefined })

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
  await using folder = await draftIn(tmpdir(), 'fleet-pages-')
  const db = await openDatabase(`file:${folder.path}/fleet.db`)
  try {
    await fillFleet(db)
    const plain = await plainTable(db)
    let worst = 0
    for (const one of CASES) worst = Math.max(worst, await compare(db, plain, one))
    const whole = () => timed(() => overview({ db, marks, clock: realClock }))
    const { ms } = await shortest(TRIES, { ms: whole })
    console.log(`${'the overview'.padEnd(52)} ${ms.toFixed(2).padStart(6)} ms`)
    report({ name: 'slowest page', unit: '× plain SQLite', ours: worst, at_most: PROMISED })
    console.log(`worst ${worst.toFixed(1)} × the floor (promised: ${PROMISED})`)
    if (worst > PROMISED) throw new Error('a page takes too long')
  } finally {
    db.close()
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
  [parameters, where, order]: (typeof CASES)[number],
): Promise<number> {
  const query = FleetSitesQuery.parse({ ...parameters, per_page: String(PER_PAGE) })
  const skip = (query.page - 1) * PER_PAGE
  const page = plain.query<{ id: number }, []>(
    `select id from sites where ${where} order by ${order}, id limit ${PER_PAGE} offset ${skip}`,
  )
  const count = plain.query<{ total: number }, []>(
    `select count(*) as total from sites where ${where}`,
  )
  const what = JSON.stringify(parameters)
  const answers: Record<'plain' | 'real', unknown> = { plain: undefined, real: undefined }
  const plainly = () => {
    answers.plain = { ids: page.all().map(({ id }) => id), total: count.get()?.total }
  }
  const really = async () => {
    const { sites: found, total } = await listFleetSites(db, query, new Date())
    answers.real = { ids: found.map(({ id }) => id), total }
  }
  const { floor, real } = await shortest(TRIES, {
    floor: () => timed(plainly),
    real: () => timed(really),
  })
  if (!Bun.deepEquals(answers.real, answers.plain)) throw new Error(`another answer to ${what}`)
  const times = `${real.toFixed(2).padStart(6)} ms, floor ${floor.toFixed(2)} ms`
  console.log(`${what.padEnd(52)} ${times}, ${(real / floor).toFixed(1)} ×`)
  return real / floor
}

await main().then(() => process.exit(0), fail)
