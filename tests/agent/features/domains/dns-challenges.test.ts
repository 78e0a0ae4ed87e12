import { beforeEach, expect, test } from 'bun:test'
import {
  publishRecord,
  withdrawLeftovers,
  withdrawRecords,
} from '#agent/features/domains/dns-challenges.ts'
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
  host.table['dns-hook'] = () => {
    expect(noted()).toEqual([{ name: NAME, value: 'v', at: host.time, tries: 0 }])
    return { code: 0, stdout: '', stderr: '' }
  }

  expect(await publishRecord(host, NAME, 'v')).toBeUndefined()
  await withdrawRecords(host, ['v'])

  expect(host.ran).toEqual([`${HOOK} present ${NAME} v`, `${HOOK} cleanup ${NAME} v`])
  expect(noted()).toEqual([])
  expect(host.disk.find(CHALLENGES)?.options).toEqual({ mode: 0o600 })
})

test('sets no record that it cannot note', async () => {
  host.disk.guard = () => {
    throw new Error('no space left')
  }
  await expect(publishRecord(host, NAME, 'v')).rejects.toThrow('no space left')
  expect(host.ran).toEqual([])
})

test('removes only the records of one order', async () => {
  await publishRecord(host, NAME, 'mine')
  await publishRecord(host, NAME, 'theirs')

  await withdrawRecords(host, ['mine'])

  expect(noted()).toMatchObject([{ value: 'theirs' }])
})

test('removes what a crash left after an hour', async () => {
  await publishRecord(host, NAME, 'v')
  host.runs.length = 0

  await withdrawLeftovers(host)
  expect(host.ran).toEqual([])

  host.time += HOUR + 1
  await withdrawLeftovers(host)
  expect(host.ran).toEqual([`${HOOK} cleanup ${NAME} v`])
  expect(noted()).toEqual([])
})

test('tries a failed removal again after 1, 2, 4 minutes and so on, and gives up after 30 days', async () => {
  await publishRecord(host, NAME, 'v')
  host.fail(`${HOOK} cleanup`, 'timeout')
  await withdrawRecords(host, ['v'])
  host.runs.length = 0
  const start = host.time
  const minutes: number[] = []
  for (let minute = 1; minute <= 300; minute++) {
    host.time = start + minute * 60_000
    await withdrawLeftovers(host)
    if (host.runs.length > minutes.length) minutes.push(minute)
  }

  expect(minutes).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243])
  expect(noted()).toHaveLength(1)
  host.time += 31 * 24 * HOUR
  await withdrawLeftovers(host)
  expect(noted()).toEqual([])
})

test('a failed removal is not delayed by a clock that is set back', async () => {
  await publishRecord(host, NAME, 'v')
  host.fail(`${HOOK} cleanup`, 'timeout')
  await withdrawRecords(host, ['v'])
  host.answer(`${HOOK} cleanup`, '')
  host.time -= 48 * HOUR

  await withdrawLeftovers(host)

  expect(noted()).toEqual([])
})

test('does not note what was certainly not set', async () => {
  await host.disk.write(HOOK, '#!/bin/sh\n', { mode: 0o777 })

  expect(await publishRecord(host, NAME, 'v')).toBe(`${HOOK} is writable by others than root`)

  expect(noted()).toEqual([])
})

test('notes what a hook may have set before it failed, and removes it', async () => {
  host.fail(`${HOOK} present`, 'timeout')
  expect(await publishRecord(host, NAME, 'v')).toContain('timeout')
  expect(noted()).toHaveLength(1)

  await withdrawRecords(host, ['v'])

  expect(host.ran.at(-1)).toBe(`${HOOK} cleanup ${NAME} v`)
  expect(noted()).toEqual([])
})
