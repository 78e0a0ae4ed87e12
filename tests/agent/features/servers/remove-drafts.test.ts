import { expect, test } from 'bun:test'
import { removeLeftoverDrafts } from '#agent/features/servers/remove-drafts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const DRAFT = '.0123456789ab.tmp'
const STATE = '/var/lib/hosting-agent'

test('removes the drafts that a killed agent left in its own folders', async () => {
  const host = fakeHost()
  const own = [
    STATE,
    `${STATE}/operations/op1`,
    '/etc/hosting/sites',
    '/srv/www/.restore/shop/previous',
  ]
  for (const folder of own) {
    await host.disk.write(`${folder}/${DRAFT}`, 'half a secret')
    await host.disk.write(`${folder}/record.json`, '{}')
  }

  await removeLeftoverDrafts(host)

  expect(Object.keys(host.disk.all).filter((path) => path.endsWith('.tmp'))).toEqual([])
  expect(Object.keys(host.disk.all).filter((path) => path.endsWith('record.json'))).toHaveLength(4)
})

test('leaves other files, folders of that name, and what others can write', async () => {
  const host = fakeHost()
  host.disk.putText('/etc/passwd', 'root:x:0:0::/:\nshop:x:1001:1001::/:\n')
  host.disk.putText('/etc/group', 'root:x:0:\nshop:x:1001:\n')
  const site = '/srv/www/.restore/shop/public'
  const open = '/etc/hosting/open'
  await host.files.mkdir(site, { owner: 'shop', mode: 0o700 })
  await host.files.mkdir(open, { mode: 0o777 })
  const kept = [
    `${STATE}/0123456789ab.tmp`,
    `${STATE}/.0123456789ab.tmp.json`,
    `${STATE}/.0123456789AB.tmp`,
    `${STATE}/.11112222333a.tmp/record.json`,
    `${STATE}/a/b/c/${DRAFT}`,
    `${site}/${DRAFT}`,
    `${open}/${DRAFT}`,
    `/etc/nginx/${DRAFT}`,
  ]
  for (const path of kept) await host.disk.write(path, 'kept')
  await host.disk.link('/etc/nginx', '/etc/hosting/link')

  await removeLeftoverDrafts(host)

  for (const path of kept) expect([path, host.disk.text(path)]).toEqual([path, 'kept'])
})
