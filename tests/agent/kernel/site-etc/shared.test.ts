import { expect, test } from 'bun:test'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { prepareSiteEtc } from '#agent/kernel/site-etc/prepare.ts'
import { removeSharedEtc, sharedEtcSteps } from '#agent/kernel/site-etc/shared.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const ENABLED = '/etc/systemd/system/multi-user.target.wants/hosting-etc.path'
const accountOf = (user: string) => `${user}:x:1001:1001::/srv/www/${user}:/usr/sbin/nologin\n`

test('is created once, and enabled when it is complete', async () => {
  const host = fakeHost()

  for (const { apply } of await sharedEtcSteps(host)) await apply()

  expect(host.ran).toEqual([
    'systemctl daemon-reload',
    'systemctl start hosting-etc.service',
    'systemctl restart hosting-etc-late.path hosting-etc.path hosting-etc.timer',
  ])
  expect(host.disk.all['/var/lib/hosting-etc/shared/passwd']).toBe('hosting/own/passwd')
  expect(await sharedEtcSteps(host)).toEqual([])
})

test('is created again when its first copy failed', async () => {
  const host = fakeHost()
  host.fail('systemctl start', 'php is missing')

  const [step] = await sharedEtcSteps(host)
  await expect(Promise.resolve(step?.apply())).rejects.toThrow('php is missing')

  expect(await host.disk.stat(ENABLED)).toBeUndefined()
  expect(await sharedEtcSteps(host)).toHaveLength(1)
})

test('exists before anything runs as a site', async () => {
  const host = fakeHost()
  expect(await prepareSiteEtc(host)).toEqual([])
  expect(host.disk.all).toEqual({})
  await writeSite(host, shop)
  await writeSite(host, { ...shop, domain: 'old.example', user: 'old' }, 'trash')
  await host.disk.write('/etc/passwd', `${accountOf('shop')}${accountOf('old')}`)

  expect(await prepareSiteEtc(host)).toEqual([])

  const folder = (await host.disk.list('/var/lib/hosting-etc/accounts')).map(({ name }) => name)
  expect(folder).toEqual(['shop', 'old'])
  expect(await sharedEtcSteps(host)).toEqual([])
})

test('has no accounts for a site whose user was not created yet', async () => {
  const host = fakeHost()
  await host.disk.write('/etc/passwd', accountOf('shop'))
  await writeSite(host, shop)
  await writeSite(host, { ...shop, domain: 'canary.invalid', user: 'canary' }, 'canaries')

  expect(await prepareSiteEtc(host)).toEqual([])

  const folder = (await host.disk.list('/var/lib/hosting-etc/accounts')).map(({ name }) => name)
  expect(folder).toEqual(['shop'])
})

test('reports why it could not be prepared', async () => {
  const host = fakeHost()
  await writeSite(host, shop)
  host.fail('systemctl start', 'php is missing')

  expect(await prepareSiteEtc(host)).toEqual([
    expect.stringMatching(/^The \/etc of sites was not prepared: .*php is missing/),
  ])
})

test('its removal leaves nothing', async () => {
  const host = fakeHost()
  for (const { apply } of await sharedEtcSteps(host)) await apply()

  await removeSharedEtc(host)

  const left = await Promise.all(
    [...Object.keys(host.disk.all)].map((path) => host.disk.stat(path)),
  )
  expect(left.filter((found) => found?.kind !== 'directory')).toEqual([])
  expect(await host.disk.stat('/var/lib/hosting-etc')).toBeUndefined()
})
