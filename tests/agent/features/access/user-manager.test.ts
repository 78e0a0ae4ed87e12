import { expect, test } from 'bun:test'
import { endManagers, unmaskManager, withoutManager } from '#agent/features/access/user-manager.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const MASK = '/etc/systemd/system/user@1234.service'

async function machine() {
  const host = await server(shop)
  const passwd = (await host.files.read('/etc/passwd')) ?? ''
  host.disk.putText('/etc/passwd', `${passwd}client:x:1234:1234::/srv:/bin/false\n`)
  host.ran.length = 0
  return host
}

const twice = async (host: FakeHost) => {
  await withoutManager(host, 'client').apply()
  await withoutManager(host, 'client').apply()
}

test.each<[string, (host: FakeHost) => Promise<unknown>]>([
  ['an account gets none of its own, and one that runs is stopped, once', twice],
  [
    'an account whose manager a crash left loses it at the start; an unknown one has none',
    (host) => endManagers(host, ['client', 'gone']),
  ],
])('systemd: %s', async (_, end) => {
  const host = await machine()

  await end(host)

  expect((await host.files.stat(MASK))?.kind).toBe('link')
  expect(host.ran).toEqual(['systemctl daemon-reload', 'systemctl stop user@1234.service'])
})

test('its number may be given to a person later', async () => {
  const host = await machine()
  await withoutManager(host, 'client').apply()

  await unmaskManager(host, 'client').apply()

  expect(await host.files.stat(MASK)).toBeUndefined()
})

test('without systemd there is nothing to do', async () => {
  const host = await machine()
  Object.assign(host, { init: 'direct' })

  await withoutManager(host, 'client').apply()
  await endManagers(host, ['client'])

  expect(host.ran).toEqual([])
})
