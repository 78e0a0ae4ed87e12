import { expect, test } from 'bun:test'
import { siteCatchUp } from '#agent/commands/site.catch-up.ts'
import { isMixed } from '#agent/os/moving/catch-up.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { PAGE, receivingServer, switched } from '#tests/support/agent/moving.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const run = (host: FakeHost, from: Parameters<typeof siteCatchUp.run>[0]['from']) =>
  outcome(siteCatchUp.run({ domain, from }, contextOf(host)))

test('brings the files of the backup, and reports the tables that had changed', async () => {
  const { host, params } = await receivingServer()
  host.disk.putText(PAGE, 'of another time')

  const [lines, result] = await run(host, params.from)

  expect(lines).toEqual([
    'Connecting to the target',
    'Reading the backup',
    'Bringing the tables that have changed',
    '0 of 1 tables have changed',
    'Bringing the files that have changed',
    'Matching the password of the database',
    'Disconnecting from the target',
  ])
  expect(result).toEqual({ domain, at: '2026-01-01T00:00:00.000Z', tables: 0 })
  expect(host.disk.text(PAGE)).toBe('as saved')
  const restic = host.runs.map(({ line }) => line).filter((line) => line.includes(' restore '))
  expect(restic).toEqual([expect.stringContaining('--overwrite if-changed --delete')])
  expect(await isMixed(host, shop)).toBe(false)
})

test('marks a copy whose parts are of different times until it is complete', async () => {
  const { host, params } = await receivingServer()
  host.fail('sha256sum', 'broken disk')

  const [, reason] = await run(host, params.from)

  expect(reason).toContain('broken disk')
  expect(await isMixed(host, shop)).toBe(true)
  expect(host.disk.text(PAGE)).toBe('as saved')
})

test('refuses a site that is served', async () => {
  const { host, params } = await receivingServer()
  await switched(host, 'arrived')

  const [, reason] = await run(host, params.from)

  expect(reason).toBe('shop.example is served by this server: it can only be restored')
})

test('refuses an unknown site', async () => {
  const { params } = await receivingServer()
  const host = await server()
  host.disk.putFolder('/mnt/store', { mode: 0o700 })

  const [, reason] = await run(host, params.from)

  expect(reason).toBe('Site shop.example not found')
})
