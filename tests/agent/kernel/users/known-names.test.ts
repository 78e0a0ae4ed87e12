import { expect, test } from 'bun:test'
import { removeUser } from '#agent/features/access/accounts.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { accountNumbers, createUser, isUserOfSite } from '#agent/kernel/users/users.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

const only = { domain: shop.domain }

test.each([
  ['passwd', 'getent passwd other', 'other:x:61234:61234::/:/usr/sbin/nologin'],
  ['group', 'getent group other', 'other:x:61234:'],
])('refuses a user that only the name service knows, in %s', async (database, program, entry) => {
  const host = await server()
  host.answer(program, `${entry}\n`)
  const before = host.disk.all

  await expect(
    siteCreate.run({ ...shop, user: 'other' }, contextOf(host)).next(),
  ).rejects.toMatchObject({
    fields: { user: [`Already exists in the ${database} database of this server`] },
  })
  expect(host.disk.all).toEqual(before)
})

test('refuses the user of a unit of the server, loaded or installed, and of a template', async () => {
  const host = await server()
  host.answer(
    'systemctl list-unit-files',
    'ssh.service enabled enabled\ngetty@.service enabled enabled\nold.socket static -\n',
  )
  host.answer(
    'systemctl show',
    'Id=ssh.service\nUser=\n\nId=dynamo.service\nUser=other\n\nId=hosting-fpm@shop.service\nUser=shop\n',
  )

  await expect(
    siteCreate.run({ ...shop, user: 'other' }, contextOf(host)).next(),
  ).rejects.toMatchObject({ fields: { user: ['dynamo.service of this server runs as this user'] } })
  expect(host.ran.at(-1)).toBe(
    'systemctl show --property=Id --property=User --no-pager -- *.service *.socket ssh.service getty@hosting.service old.socket',
  )
})

test('accepts the user of a unit that Hosting Control made for the site', async () => {
  const host = await server()
  host.pages.set('http://shop.example/', '<link href="http://shop.example/wp-json/">')
  host.answer('systemctl show', 'Id=hosting-fpm@shop-php8.2.service\nUser=shop\n')

  const [, result] = await outcome(siteCreate.run(shop, contextOf(host)))

  expect(result).toEqual({ domain: 'shop.example' })
})

test('refuses to restore a site whose user a unit of the server has meanwhile', async () => {
  const host = await server(shop)
  await outcome(siteDelete.run(only, contextOf(host)))
  host.answer('systemctl show', 'Id=shop.service\nUser=shop\n')
  const before = host.disk.all

  const [lines, message] = await outcome(siteRestore.run(only, contextOf(host)))

  expect([lines, message]).toEqual([
    [],
    'shop.example cannot be restored: shop.service of this server now runs as shop',
  ])
  expect(host.disk.all).toEqual(before)
})

test('refuses to restore a site with the name of a system account', async () => {
  const site = { ...shop, user: 'games' }
  const host = await server(site)
  await outcome(siteDelete.run(only, contextOf(host)))

  const [, message] = await outcome(siteRestore.run(only, contextOf(host)))

  expect(message).toBe('shop.example cannot be restored: games is the name of a system account')
})

test('treats no account with a number of root or of the system as that of a site', async () => {
  const host = await server(shop)
  expect(await isUserOfSite(host, shop.user, shop.domain)).toBe(true)
  const passwd = host.disk.all['/etc/passwd'] ?? ''
  const { uid } = await accountNumbers(host, shop.user)

  for (const number of ['0', '33', '999']) {
    host.disk.putText('/etc/passwd', passwd.replace(`:${uid}:`, `:${number}:`))

    expect(await isUserOfSite(host, shop.user, shop.domain)).toBe(false)
    await expect(accountNumbers(host, shop.user)).rejects.toThrow('number that a site can have')
    const ran = [...host.ran]
    await removeUser(host, shop.user, shop.domain).apply()
    expect(host.ran).toEqual(ran)
  }
})

test('gives a site numbers that no system account has, whatever login.defs says', async () => {
  const host = await server()
  await createUser(host, 'other', 'other.example').apply()

  expect(host.ran.find((line) => line.startsWith('useradd'))).toContain(
    '--key UID_MIN=1000 --key GID_MIN=1000',
  )
})
