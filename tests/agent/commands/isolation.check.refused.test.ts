import { expect, test } from 'bun:test'
import { isolationCheck } from '#agent/commands/isolation.check.ts'
import { canaryHost, verdicts } from '#tests/support/agent/canary-host.ts'
import { contextOf, debian, outcome } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const check = (host: FakeHost) => outcome(isolationCheck.run({}, contextOf(host)))

test('is refused on a disk that is nearly full', async () => {
  const host = await canaryHost(verdicts(), verdicts())
  host.disk.space = async () => ({ free: 900 * 2 ** 20, total: 2 ** 40 })

  expect((await check(host))[1]).toBe(
    'Only 900 MB are free on this server, and a check needs 1024 MB',
  )
  expect(Object.keys(host.disk.all).filter((path) => path.includes('canary-'))).toEqual([])
})

test('installs nothing on a server that is not ready for sites', async () => {
  const bare = debian()
  expect((await check(bare))[1]).toBe('This server is not ready for sites: provision it first')
  expect(bare.ran.filter((line) => line.startsWith('apt-get'))).toEqual([])
})
