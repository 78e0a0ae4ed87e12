import { describe, expect, test } from 'bun:test'
import { replacedOf } from '#agent/features/backups/paths.ts'
import {
  pauseJobsForReading,
  pauseJobsForReplacing,
  resumeJobsAfterReading,
  resumeJobsAfterReplacing,
} from '#agent/features/backups/pause-jobs.ts'
import { unfreezeTimerRemoved, unfreezeTimerStarted } from '#agent/features/moves/freeze-timer.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { user } = shop
const TIMER = 'hosting-cron@shop.timer'
const STOP = `systemctl stop ${TIMER}`
const START = `systemctl start ${TIMER}`

const replacing = {
  begin: async (host: FakeHost) => host.disk.putFolder(replacedOf(user)),
  end: async (host: FakeHost) => host.disk.remove(replacedOf(user)),
}
const frozen = {
  begin: (host: FakeHost) => unfreezeTimerStarted(host, shop).apply(),
  end: (host: FakeHost) => unfreezeTimerRemoved(host, shop).apply(),
}

const jobs = (host: FakeHost) => host.ran.filter((line) => line === STOP || line === START)

describe.each([
  ['being replaced', replacing],
  ['frozen', frozen],
])('the jobs of a site that is %s', (_, other) => {
  test('are not started by the end of an operation that only reads it', async () => {
    const host = await server(shop)
    await pauseJobsForReading(host, user, 'backup').apply()
    await other.begin(host)

    await resumeJobsAfterReading(host, user, 'backup').apply()

    expect(jobs(host)).toEqual([STOP])
    expect(await resumeJobsAfterReading(host, user, 'backup').effects()).toEqual([])
  })

  test('run again afterwards, also if that operation began meanwhile', async () => {
    const host = await server(shop)
    await other.begin(host)

    await pauseJobsForReading(host, user, 'backup').apply()
    expect(jobs(host)).toEqual([])

    await other.end(host)
    await resumeJobsAfterReading(host, user, 'backup').apply()
    expect(jobs(host)).toEqual([START])
  })
})

test('the jobs of a site that two operations read run again after the last one', async () => {
  const host = await server(shop)
  await pauseJobsForReading(host, user, 'backup').apply()
  await pauseJobsForReading(host, user, 'copy').apply()

  await resumeJobsAfterReading(host, user, 'copy').apply()
  expect(jobs(host)).toEqual([STOP, STOP])
  await resumeJobsAfterReading(host, user, 'backup').apply()

  expect(jobs(host)).toEqual([STOP, STOP, START])
  await resumeJobsAfterReading(host, user, 'backup').apply()
  expect(jobs(host)).toEqual([STOP, STOP, START, START])
})

test('a reader that ends before the replacement keeps anything does not start the jobs', async () => {
  const host = await server(shop)
  await pauseJobsForReading(host, user, 'copy').apply()
  await pauseJobsForReplacing(host, user).apply()

  await resumeJobsAfterReading(host, user, 'copy').apply()
  expect(jobs(host)).toEqual([STOP, STOP])
  await resumeJobsAfterReplacing(host, user).apply()

  expect(jobs(host)).toEqual([STOP, STOP, START])
})
