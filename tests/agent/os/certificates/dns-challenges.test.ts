import { beforeEach, expect, test } from 'bun:test'
import { publish, withdraw, withdrawOld } from '#agent/os/certificates/dns-challenges.ts'
import { debian } from '#tests/support/agent/debian.ts'
import { CHALLENGES, HOOK, withHook } from '#tests/support/agent/dns-hook.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const HOUR = 3_600_000
const NAME = '_acme-challenge.a.example'

let host: FakeHost
beforeEach(async () => {
  host = await withHook(debian())
})

const noted = () => JSON.parse(host.disk.all[CHALLENGES] ?? '[]') as object[]

test('notes a record before it exists, and forgets it when it is gone', async () => {
  host.table[HOOK] = () => {
    expect(noted()).toEqual([{ name: NAME, value: 'v', at: host.time }])
    return { code: 0, stdout: '', stderr: '' }
  }

  expect(await publish(host, NAME, 'v')).toBeUndefined()
  await withdraw(host, ['v'])

  expect(host.ran).toEqual([`${HOOK} present ${NAME} v`, `${HOOK} cleanup ${NAME} v`])
  expect(noted()).toEqual([])
  expect(host.disk.find(CHALLENGES)?.options).toEqual({ mode: 0o600 })
})

test('sets no record that it cannot note', async () => {
  host.disk.guard = () => {
    throw new Error('no space left')
  }
  await expect(publish(host, NAME, 'v')).rejects.toThrow('no space left')
  expect(host.ran).toEqual([])
})

test('removes only the records of one order', async () => {
  await publish(host, NAME, 'mine')
  await publish(host, NAME, 'theirs')

  await withdraw(host, ['mine'])

  expect(noted()).toMatchObject([{ value: 'theirs' }])
})

test('removes what a crash left after an hour, and gives up after a day', async () => {
  await publish(host, NAME, 'v')
  host.runs.length = 0

  await withdrawOld(host)
  expect(host.ran).toEqual([])

  host.fail(`${HOOK} cleanup`, 'timeout')
  host.time += HOUR + 1
  await withdrawOld(host)
  expect(host.ran).toEqual([`${HOOK} cleanup ${NAME} v`])
  expect(noted()).toHaveLength(1)

  host.time += 24 * HOUR
  await withdrawOld(host)
  expect(noted()).toEqual([])
})
