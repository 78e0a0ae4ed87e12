import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { recordActivity } from '#dashboard/kernel/activity/queries.ts'
import { ActivityRecord } from '#dashboard/kernel/activity/record.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { runs } from '#tests/support/runs.ts'

const DAY_MS = 24 * 3600_000
const START = Date.parse('2026-01-01T00:00:00.000Z')
const sealer = makeSealer('s'.repeat(43), secureRandom)
const silent = { info: () => undefined, error: () => undefined }

type Step =
  | { do: 'write'; isRunning: boolean }
  | { do: 'end'; which: number }
  | { do: 'seal' | 'expire' | 'restart' }
const Step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('write' as const), isRunning: fc.boolean() }),
  fc.record({ do: fc.constant('end' as const), which: fc.nat() }),
  fc.record({ do: fc.constantFrom('seal' as const, 'expire' as const, 'restart' as const) }),
)
const COLUMNS = ['type', 'domain', 'user_id', 'token', 'address', 'detail', 'via', 'created_at']
interface Tampering {
  which: number
  how: 'change' | 'remove' | 'take its place'
  column: string
}
const Tampering: fc.Arbitrary<Tampering> = fc.record({
  which: fc.nat(),
  how: fc.constantFrom('change' as const, 'remove' as const, 'take its place' as const),
  column: fc.constantFrom(...COLUMNS),
})

/** A record in a new database, as a process has it; `restart` is its next process. */
async function inWorld(work: (db: Database, restart: () => ActivityRecord) => Promise<void>) {
  const data_dir = await mkdtemp(join(tmpdir(), 'record-'))
  const db = await openDatabase(`file:${data_dir}/test.db`)
  const restart = () => new ActivityRecord({ db, clock: realClock, log: silent, sealer, data_dir })
  try {
    await work(db, restart)
  } finally {
    db.close()
    await rm(data_dir, { recursive: true })
  }
}

const ids = async (db: Database): Promise<number[]> =>
  (await db.read.select({ id: activities.id }).from(activities).orderBy(activities.id)).map(
    ({ id }) => id,
  )

async function endOne(db: Database, which: number): Promise<void> {
  const running = await db.read.query.activities.findMany({
    where: (table, { eq }) => eq(table.status, 'running'),
  })
  const id = running[which % Math.max(1, running.length)]?.id ?? 0
  await db.write((queries) =>
    queries.run(sql`update activities set status = 'failed' where id = ${id}`),
  )
}

const change = (column: string, id: number) =>
  column === 'user_id'
    ? `update activities set user_id = coalesce(user_id, 0) + 1 where id = ${id}`
    : `update activities set ${column} = coalesce(${column}, '') || 'x' where id = ${id}`

/** Takes one step at a time, and returns the record of the last process. */
async function taken(
  db: Database,
  restart: () => ActivityRecord,
  { step, record, now }: { step: Step; record: ActivityRecord; now: Date },
): Promise<ActivityRecord> {
  const entry = { type: 'site.create', domain: 'a', created_at: now.toISOString(), user_id: 1 }
  if (step.do === 'write')
    await recordActivity(db, { ...entry, status: step.isRunning ? 'running' : 'success' })
  if (step.do === 'end') await endOne(db, step.which)
  if (step.do === 'seal') await record.seal()
  if (step.do === 'expire') await record.deleteExpired(now)
  if (step.do !== 'restart') return record
  await record.keep()
  return restart()
}

/** Changes one activity as somebody who can write to the database, and returns its id. */
async function tampered(db: Database, { which, how, column }: Tampering): Promise<number> {
  const present = await ids(db)
  const [id = 0, next = 0] = present.slice(which % (present.length - 1))
  const statements = {
    change: [change(column, id)],
    remove: [`delete from activities where id = ${id}`],
    'take its place': [
      `update activities set id = -1 where id = ${id}`,
      `update activities set id = ${id} where id = ${next}`,
      `update activities set id = ${next}, domain = 'b' where id = -1`,
    ],
  }[how]
  for (const statement of statements) await db.write((queries) => queries.run(sql.raw(statement)))
  return id
}

test('whatever was written, ended, sealed and expired is verified, and each tampering found', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { maxLength: 40 }), Tampering, (steps, tampering) =>
      inWorld(async (db, restart) => {
        let record = restart()
        for (const [day, step] of steps.entries()) {
          const now = new Date(START + day * 20 * DAY_MS)
          record = await taken(db, restart, { step, record, now })
          expect((await record.verify()).problem).toBeNull()
        }
        await record.seal()
        const entries = (await ids(db)).length
        expect(await record.verify()).toMatchObject({ ok: true, entries, unsealed: 0 })
        if (entries < 2) return

        const id = await tampered(db, tampering)

        expect((await record.verify()).problem).toMatchObject({ id })
      }),
    ),
    runs(40),
  )
}, 120_000)
