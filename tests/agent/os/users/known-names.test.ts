import { expect, test } from 'bun:test'
import { siteCreate } from '#agent/commands/site.create.ts'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { siteRestore } from '#agent/commands/site.restore.ts'
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
