import { expect, test } from 'bun:test'
import { visibleAccounts, writeAccounts } from '#agent/kernel/site-etc/accounts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const passwd = `root:x:0:0:root:/root:/bin/bash
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
early:x:600:600:Site early.example:/srv/www/early:/usr/sbin/nologin
anna:x:1000:1000:Anna:/home/anna:/bin/bash
shop:x:1001:1001:Site shop.example:/srv/www/shop:/usr/sbin/nologin
blog:x:1002:1002:Site blog.example:/srv/www/blog:/usr/sbin/nologin
+::::::
cut off
`
const group = `root:x:0:
sudo:x:27:anna
www-data:x:33:
early:x:600:www-data
ssl-cert:x:105:www-data,blog
nogroup:x:65534:
anna:x:1000:
shop:x:1001:www-data
blog:x:1002:www-data
video-team:x:1200:anna,shop,blog
`

test('a site sees the accounts of the system, its own user and its own groups', () => {
  expect(visibleAccounts({ passwd, group }, 'shop')).toEqual({
    passwd: `root:x:0:0:root:/root:/bin/bash
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
shop:x:1001:1001:Site shop.example:/srv/www/shop:/usr/sbin/nologin
`,
    group: `root:x:0:
sudo:x:27:
www-data:x:33:
ssl-cert:x:105:www-data
nogroup:x:65534:
shop:x:1001:www-data
video-team:x:1200:shop
`,
  })
})

test('a missing user has no line, and does not affect the others', () => {
  const { passwd: seen } = visibleAccounts({ passwd, group }, 'gone')

  expect(seen.split('\n').map((line) => line.split(':')[0])).toEqual([
    ...['root', 'www-data', 'nobody', ''],
  ])
})

test('are written for each site, and nowhere without systemd', async () => {
  const host = fakeHost()
  await host.disk.write('/etc/passwd', passwd)
  await host.disk.write('/etc/group', group)
  const { passwd: of } = visibleAccounts({ passwd, group }, 'blog')

  await writeAccounts(host, 'shop', 'blog')

  const all = Object.keys(host.disk.all).filter((path) => path.startsWith('/var/'))
  expect(all).toEqual(
    ['blog', 'shop'].flatMap((user) =>
      ['', '/group', '/passwd'].map((name) => `/var/lib/hosting-etc/accounts/${user}${name}`),
    ),
  )
  expect(host.disk.all['/var/lib/hosting-etc/accounts/blog/passwd']).toBe(of)
  const container = fakeHost()
  container.init = 'direct'
  await writeAccounts(container, 'shop')
  expect(container.disk.all).toEqual({})
})
