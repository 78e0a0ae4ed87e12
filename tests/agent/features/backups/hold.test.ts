import { describe, expect, test } from 'bun:test'
import {
  holdForReading,
  holdForReplacing,
  releaseAfterReading,
  releaseAfterReplacing,
} from '#agent/features/backups/hold.ts'
import { replacedOf } from '#agent/features/backups/places.ts'
import { forgetThaw, limitFreeze } from '#agent/features/moves/thaw-unit.ts'
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
  begin: (host: FakeHost) => limitFreeze(host, shop).apply(),
  end: (host: FakeHost) => forgetThaw(host, shop).apply(),
}

const jobs = (host: FakeHost) => host.ran.filter((line) => line === STOP || line === START)

describe.each([
  ['being replaced', replacing],
  ['frozen', frozen],
])('the jobs of a site that is %s', (_, other) => {
  test('are not started by the end of an operation that only reads it', async () => {
    const host = await server(shop)
    await holdForReading(host, user, 'backup').apply()
    await other.begin(host)

    await releaseAfterReading(host, user, 'backup').apply()

    expect(jobs(host)).toEqual([STOP])
    expect(await releaseAfterReading(host, user, 'backup').effects()).toEqual([])
  })

  test('run again afterwards, also if that operation began meanwhile', async () => {
    const host = await server(shop)
    await other.begin(host)

    await holdForReading(host, user, 'backup').apply()
    expect(jobs(host)).toEqual([])

    await other.end(host)
    await releaseAfterReading(host, user, 'backup').apply()
    expect(jobs(host)).toEqual([START])
  })
})

test('the jobs of a site that two operations read run again after the last one', async () => {
  const host = await server(shop)
  await holdForReading(host, user, 'backup').apply()
  await holdForReading(host, user, 'copy').apply()

  await releaseAfterReading(host, user, 'copy').apply()
  expect(jobs(host)).toEqual([STOP, STOP])
  await releaseAfterReading(host, user, 'backup').apply()

  expect(jobs(host)).toEqual([STOP, STOP, START])
  await releaseAfterReading(host, user, 'backup').apply()
  expect(jobs(host)).toEqual([STOP, STOP, START, START])
})

test('a reader that ends before the replacement keeps anything does not start the jobs', async () => {
  const host = await server(shop)
  await holdForReading(host, user, 'copy').apply()
  await holdForReplacing(host, user).apply()

  await releaseAfterReading(host, user, 'copy').apply()
  expect(jobs(host)).toEqual([STOP, STOP])
  await releaseAfterReplacing(host, user).apply()

  expect(jobs(host)).toEqual([STOP, STOP, START])
})
