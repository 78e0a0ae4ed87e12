import { expect, test } from 'bun:test'
import { openDatabase } from '#dashboard/db/client.ts'
import { listFleetSites } from '#dashboard/listing/sites.queries.ts'
import { overview } from '#dashboard/overview/overview.ts'
import { FleetSitesQuery } from '#shared/api/site-filters.ts'
import { setUp } from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { RandomFleet } from '#tests/support/dashboard/random-fleet.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'
import { markedWith } from '#tests/support/marks.ts'
import { Random } from '#tests/support/random.ts'
import { times } from '#tests/support/runs.ts'

const SEEDS = Array.from({ length: times(20) }, (_, at) => at + 1)
const ROUNDS = 40
/** Some are longer than counts are kept without a change, and some set the clock back. */
const STEPS_MS = [10 * 60_000, 3 * 60_000, 6_000, -3 * 60_000, 24 * 3600_000]
const FULL = FleetSitesQuery.parse({ status: 'active,failed', per_page: '1' })

test.each(SEEDS)(
  'counts that are kept are those of the records after each change, seed %i',
  async (seed) => {
    await using folder = await makeFolder()
    const url = `file:${folder.path}/fleet.db`
    const [db, clock, random] = [await openDatabase(url), new HeldClock(), new Random(seed)]
    await setUp({ db } as Dashboard)
    const fleet = new RandomFleet(db, random)
    await fleet.begin(clock.now())
    const done: string[] = []
    for (let round = 1; round <= ROUNDS; round++) {
      for (let change = random.between(1, 6); change > 0; change--)
        done.push(await fleet.change(clock.now()))
      if (random.chance(0.4)) clock.set(random.pick(STEPS_MS))
      // Nothing is kept for this one.
      const other = await openDatabase(url)
      const read = async (from: typeof db) => ({
        done,
        ...(await overview({ db: from, marks: markedWith(), clock })),
        total: (await listFleetSites(from, FULL, clock.now())).total,
      })
      const [kept, computed] = [await read(db), await read(other)]
      other.close()

      expect(kept).toEqual(computed)
    }
    const [end] = [await overview({ db, marks: markedWith(), clock })]
    db.close()
    // The records have something to count.
    expect(Object.keys(end.counts.sites).length).toBeGreaterThan(1)
    expect(end.attention.length).toBeGreaterThan(1)
  },
)

test('an overview is no change of the records, which would drop all kept answers', async () => {
  await using folder = await makeFolder()
  const db = await openDatabase(`file:${folder.path}/fleet.db`)
  await setUp({ db } as Dashboard)
  const clock = new HeldClock()
  await new RandomFleet(db, new Random(1)).begin(clock.now())
  const before = await db.askVersion()

  await overview({ db, marks: markedWith(), clock })

  expect(await db.askVersion()).toEqual(before)
  db.close()
})
