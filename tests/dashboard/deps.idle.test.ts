import { expect, test } from 'bun:test'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'
import { countedRecords } from '#tests/support/dashboard/counted.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const MINUTE = 60_000
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

test('each pending server adds two statements to a minute, and changes nothing', async () => {
  expect(await minuteOf(20)).toEqual({ count: ALONE + 2 * 20, isUnchanged: true })
})
