import { expect, test } from 'bun:test'
import { startSweeps } from '#dashboard/sweeps.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'
import { countedRecords } from '#tests/support/dashboard/counted.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** tcpmux: nothing listens there. */
const NOBODY = 1
/** The servers of a minute are listed once, and open codes are looked for twice. */
const ALONE = 3

/** The mean numbers of statements and of changes in a minute of a dashboard with so many pending servers. */
async function minuteOf(servers: number) {
  const clock = new SteppedClock()
  const { open, statements } = countedRecords()
  await using dashboard = await makeDashboard({ clock, open })
  const ids: number[] = []
  for (let count = 0; count < servers; count++)
    ids.push(await dashboard.addServer({ port: NOBODY }))
  const { scheduler, enroller, pulses } = dashboard.deps
  scheduler.start(ids, 60)
  enroller.start()
  pulses.start()
  await clock.pass(5.1 * MINUTE)
  const before = dashboard.db.version()
  statements.length = 0
  await clock.pass(10 * MINUTE)
  const count = statements.length / 10
  const isUnchanged = Bun.deepEquals(dashboard.db.version(), before)
  const ended = [enroller.stop(), pulses.stop(), scheduler.stop()]
  await clock.pass(MINUTE)
  await Promise.all(ended)
  return { count, isUnchanged }
}

test('an idle minute without servers has three statements and changes nothing', async () => {
  expect(await minuteOf(0)).toEqual({ count: ALONE, isUnchanged: true })
})

test('each turn adds three statements to a minute, however many pending servers it has', async () => {
  expect(await minuteOf(20)).toEqual({ count: ALONE + 4 * 3, isUnchanged: true })
})

test('all parts of an idle dashboard wake up together, and read the records twice a minute', async () => {
  const clock = new SteppedClock()
  const { open, statements } = countedRecords()
  await using dashboard = await makeDashboard({ clock, open })
  const { scheduler, enroller, pulses, visits } = dashboard.deps
  scheduler.start([], 60)
  const stopping = new AbortController()
  const started: (() => void)[] = [
    () => startSweeps(dashboard.deps, CONFIG, { newest: null, signal: stopping.signal }),
    () => visits.start(),
    () => enroller.start(),
    () => pulses.start(),
  ]
  // A dashboard starts its parts at any time.
  for (const start of started) {
    await clock.pass(1_234)
    start()
  }
  await clock.pass(2 * MINUTE - started.length * 1_234)
  const awake: number[] = []
  const reading: number[] = []
  const sleep = clock.sleep.bind(clock)
  clock.sleep = (ms, signal) => {
    awake.push(clock.elapsed() % MINUTE)
    return sleep(ms, signal)
  }
  for (let second = 0; second < 60; second++) {
    statements.length = 0
    await clock.pass(SECOND)
    if (statements.length > 0) reading.push(clock.elapsed() % MINUTE)
  }
  const stopped = [visits.stop(), enroller.stop(), pulses.stop(), scheduler.stop()]
  stopping.abort()
  await clock.pass(MINUTE)
  await Promise.all(stopped)

  expect(reading).toEqual([30 * SECOND, 0])
  expect([...new Set(awake)].toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 12 }, (_, place) => place * 5 * SECOND),
  )
})

const CONFIG = { DATA_DIR: '/nowhere', BACKUPS_KEPT: 1, BACKUPS_STALL: 1 }
