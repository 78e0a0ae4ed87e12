import { expect, test } from 'bun:test'
import { loginOf } from '#agent/features/access/clients.ts'
import { ExpiryWatch } from '#agent/features/access/expiry.ts'
import { listAccess, listAccounts } from '#agent/features/access/list.ts'
import { closeLoginsSteps, openAccountDates } from '#agent/features/access/login-closing.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { photos, print, setClients, withSshd } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const LOGIN = 'shop.abcd2345'
const OTHER = 'shop.efgh2345'
const lineOf = (host: FakeHost, path: string, name: string) =>
  host.disk.all[path]?.split('\n').find((line) => line.startsWith(`${name}:`))

test('a login name has at most 32 characters, and those of two sites differ', () => {
  expect(loginOf('shop', 'abcd2345')).toBe(LOGIN)
  const [one, two] = ['a', 'b'].map((end) => loginOf(`${'x'.repeat(31)}${end}`, 'abcd2345'))
  expect(one).toMatch(/^x{14}\.[0-9a-f]{8}\.abcd2345$/)
  expect(two).not.toBe(one)
})

test('lists the accounts that are as they were set', async () => {
  const host = await withSshd()
  await setClients(host, [print, photos])
  const row = ({ token, expires_at }: typeof print, login: string) => ({ token, login, expires_at })

  expect(await listAccess(host)).toEqual([
    { domain, grants: [], clients: [row(print, LOGIN), row(photos, OTHER)] },
  ])
  expect(await listAccounts(host)).toEqual(['shop', 'shop.ssh'])
  const shadow = host.disk.all['/etc/shadow'] ?? ''
  host.disk.putText('/etc/shadow', shadow.replace(print.password_hash, '$6$another'))
  const passwd = host.disk.all['/etc/passwd'] ?? ''
  host.disk.putText('/etc/passwd', passwd.replace(/^(shop.efgh2345:.*:).*$/m, '$1/bin/sh'))

  expect(await listAccess(host)).toEqual([{ domain, grants: [], clients: [] }])
})

test('an account that somebody changed is made again', async () => {
  const host = await withSshd()
  await setClients(host, [print])
  const passwd = host.disk.all['/etc/passwd'] ?? ''
  host.disk.putText('/etc/passwd', passwd.replace(/^(shop.abcd2345:.*:).*$/m, '$1/bin/sh'))

  await setClients(host, [print])

  expect(host.disk.all['/etc/passwd']).toBe(passwd)
})

test('an expired account is closed at once, and its sessions end', async () => {
  const host = await withSshd()
  const expires_at = new Date(host.clock.now() + 60_000).toISOString()
  await setClients(host, [print, { ...photos, expires_at }])
  const day = Math.ceil((host.clock.now() + 60_000) / 86_400_000)
  expect(lineOf(host, '/etc/shadow', OTHER)).toBe(`${OTHER}:${photos.password_hash}::::::${day}:`)
  const watch = new ExpiryWatch()
  await watch.look(host)
  host.time += 61_000
  host.ran.length = 0

  await watch.look(host)

  expect(lineOf(host, '/etc/shadow', OTHER)).toContain('::::::1:')
  expect(lineOf(host, '/etc/shadow', LOGIN)).toBe(`${LOGIN}:${print.password_hash}:::::::`)
  expect(host.ran.filter((line) => line.endsWith('--user shop --name sshd'))).toHaveLength(1)
})

test('the trash locks the accounts, a restore opens them, and a purge removes them', async () => {
  const host = await withSshd()
  await setClients(host, [print, photos])
  const shadow = host.disk.all['/etc/shadow'] ?? ''

  await outcome(siteDelete.run({ domain }, contextOf(host)))
  for (const [login, { password_hash }] of [[LOGIN, print] as const, [OTHER, photos] as const])
    expect(lineOf(host, '/etc/shadow', login)).toStartWith(`${login}:!${password_hash}:`)
  await outcome(siteRestore.run({ domain }, contextOf(host)))
  expect(host.disk.all['/etc/shadow']).toBe(shadow)
  await outcome(siteDelete.run({ domain }, contextOf(host)))
  await outcome(sitePurge.run({ domain, confirm: domain, trashed_days: 0 }, contextOf(host)))

  expect(host.disk.all['/etc/passwd']).not.toContain('shop')
  expect(host.disk.all['/etc/shadow']).not.toContain('shop')
  expect(lineOf(host, '/etc/group', 'hosting-client')).toBe('hosting-client:x:999:')
})

test('a frozen site closes its accounts, and opens them with the days that they had', async () => {
  const host = await withSshd()
  await setClients(host, [print, photos])
  const shadow = host.disk.all['/etc/shadow'] ?? ''
  const site = await getSite(host, domain)
  const [close] = closeLoginsSteps(host, site)
  expect(await openAccountDates(host, site)).toEqual([
    ['shop', ''],
    [LOGIN, ''],
    [OTHER, '2027-02-01'],
  ])

  await close?.apply()
  for (const login of ['shop', LOGIN, OTHER])
    expect(lineOf(host, '/etc/shadow', login)).toEndWith('::::::2:')
  // It only takes access, which is not refused meanwhile, and opens nothing.
  await setClients(host, [{ ...photos, expires_at: '2027-01-30T18:00:00Z' }])
  expect(lineOf(host, '/etc/shadow', OTHER)).toEndWith('::::::2:')
  await setClients(host, [photos])
  await close?.undo?.()

  const left = shadow.replace(/^shop.abcd2345:.*\n/m, '')
  expect(host.disk.all['/etc/shadow']).toBe(left)
})

test('an account that expires while its site is frozen stays closed', async () => {
  const host = await withSshd()
  const expires_at = new Date(host.clock.now() + 60_000).toISOString()
  await setClients(host, [{ ...photos, expires_at }])
  const [close] = closeLoginsSteps(host, await getSite(host, domain))
  await close?.apply()
  host.time += 62_000
  const watch = new ExpiryWatch()
  await watch.look(host)
  expect(lineOf(host, '/etc/shadow', OTHER)).toEndWith('::::::2:')

  // As by the timer of systemd, which knows days only.
  await host.shell.run(['usermod', '--expiredate', '2099-01-01', '--', OTHER])
  await watch.look(host)

  expect(lineOf(host, '/etc/shadow', OTHER)).toEndWith('::::::1:')
})
