import { expect, test } from 'bun:test'
import {
  findSite,
  getSite,
  listSites,
  moveSite,
  removeSite,
  writeSite,
} from '#agent/kernel/site/sites.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const PATH = '/var/lib/hosting-agent/sites/shop.example.json'

test('keeps sites by domain, readable for root only', async () => {
  const host = fakeHost()
  await writeSite(host, shop)
  await writeSite(host, { ...shop, domain: 'a.example' })

  expect((await listSites(host)).map(({ domain }) => domain)).toEqual(['a.example', 'shop.example'])
  expect(await findSite(host, 'shop.example')).toEqual(shop)
  expect(host.disk.find(PATH)?.options.mode).toBe(0o600)
  await removeSite(host, 'shop.example', 'sites').apply()
  expect(await findSite(host, 'shop.example')).toBeUndefined()
})

test('keeps what makes a site a staging site', async () => {
  const host = fakeHost()
  const password_hash = '{SSHA}PKwZ12abz9sqsXz7ccvmQCzeQlhub25jZQ=='
  const site = { ...shop, staging: { of: 'live.example', user: 'staging', password_hash } }
  await writeSite(host, site)

  expect(await findSite(host, 'shop.example')).toEqual(site)
})

test('a site in the trash is not found, and the error says where it is', async () => {
  const host = fakeHost()
  await writeSite(host, shop)
  await moveSite(host, 'shop.example', 'sites', 'trash').apply()

  expect([await listSites(host), await listSites(host, 'trash')]).toEqual([[], [shop]])
  await expect(getSite(host, 'shop.example')).rejects.toThrow(
    'Site shop.example is in the trash: restore it or delete it permanently',
  )
  await expect(getSite(host, 'a.example')).rejects.toThrow('Site a.example not found')
})

test.each([
  ['not JSON', '{'],
  ['a field too many', JSON.stringify({ ...shop, extra: 1 })],
  ['a field too few', JSON.stringify({ ...shop, user: undefined })],
  ['a user that is none', JSON.stringify({ ...shop, user: '../x' })],
])('ignores a record with %s', async (_, text) => {
  const host = fakeHost()
  await host.disk.write(PATH, text)

  await expect(findSite(host, 'shop.example')).rejects.toThrow(PATH)
})
