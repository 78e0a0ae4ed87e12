import { describe, expect, test } from 'bun:test'
import { holdForReading, releaseAfterReading } from '#agent/os/backup/hold.ts'
import { replacedOf } from '#agent/os/backup/places.ts'
import { forgetThaw, planThaw } from '#agent/os/moving/thaw-unit.ts'
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
  begin: (host: FakeHost) => planThaw(host, shop).apply(),
  end: (host: FakeHost) => forgetThaw(host, shop).apply(),
}

describe.each([
  ['being replaced', replacing],
  ['frozen', frozen],
])('the jobs of a site that is %s', (_, other) => {
  const jobs = (host: FakeHost) => host.ran.filter((line) => line === STOP || line === START)

  test('are not started by the end of an operation that only reads it', async () => {
    const host = await server(shop)
    await holdForReading(host, user).apply()
    await other.begin(host)

    await releaseAfterReading(host, user).apply()

    expect(jobs(host)).toEqual([STOP])
    expect(await releaseAfterReading(host, user).effects()).toEqual([])
  })

  test('run again afterwards, also if that operation began meanwhile', async () => {
    const host = await server(shop)
    await other.begin(host)

    await holdForReading(host, user).apply()
    expect(jobs(host)).toEqual([])

    await other.end(host)
    await releaseAfterReading(host, user).apply()
    expect(jobs(host)).toEqual([START])
  })
})
