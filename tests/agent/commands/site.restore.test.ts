import { expect, test } from 'bun:test'
import { siteCreate } from '#agent/commands/site.create.ts'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { siteRestore } from '#agent/commands/site.restore.ts'
import { writeSite } from '#agent/os/sites.ts'
import { listTrash } from '#agent/os/trash.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { contextOf, outcome, server, shop } from './debian.ts'
import { eachFault } from './faults.ts'

const only = { domain: 'shop.example' }
const restore = (host: FakeHost) => outcome(siteRestore.run(only, contextOf(host)))

/** What MariaDB says of an account is what makes it again. */
const ACCOUNT = "CREATE USER `shop`@`localhost` IDENTIFIED BY PASSWORD '*A1'"
const GRANT = 'GRANT SELECT ON `shop`.* TO `shop`@`localhost`'

async function trashed(): Promise<FakeHost> {
  const host = await server(shop)
  host.rows('SELECT User FROM mysql.global_priv WHERE User = ? AND Host', [{ User: 'shop' }])
  host.rows('SHOW CREATE USER', [{ 'CREATE USER for shop@localhost': ACCOUNT }])
  host.rows('SHOW GRANTS FOR', [{ 'Grants for shop@localhost': GRANT }])
  const [, result] = await outcome(siteDelete.run(only, contextOf(host)))
  if (typeof result === 'string') throw new Error(result)
  host.runs.length = 0
  host.queries.length = 0
  return host
}

test('brings back what the owner has, then what runs, then the visitors', async () => {
  const whole = (await server(shop)).disk.all
  const host = await trashed()

  const [lines, result] = await restore(host)

  expect(result).toEqual(only)
  expect(lines).toEqual([
    'Bringing shop.example back from the trash',
    'Importing the database',
    'Moving the files back',
    'Opening the account of shop',
    'Starting PHP 8.2',
    'Scheduling the jobs of WordPress',
    'Adding the virtual host',
    'Waiting for an answer of the site',
    'Moving the record back',
    'Removing the dump of the database',
  ])
  const { '/srv/www/.trash': _, '/var/lib/hosting-agent/trash': __, ...disk } = host.disk.all
  expect(disk).toEqual(whole)
  expect(host.queries).toEqual([
    "DROP USER IF EXISTS ?@'localhost' | shop",
    'DROP DATABASE IF EXISTS ?? | shop',
    ACCOUNT,
    GRANT,
    'SELECT @@GLOBAL.max_allowed_packet AS bytes',
  ])
  const [dump] = host.runs.filter(({ line }) => line.startsWith('mariadb '))
  expect(dump?.options.input_file).toBe('/srv/www/.trash/shop/database.sql')
})

test('comes back although it does not answer, and says so', async () => {
  const host = await trashed()
  host.net.probe = () => Promise.reject(new Error('the connection was closed'))

  const [lines, result] = await restore(host)

  expect(result).toEqual(only)
  expect(lines).toContain('Warning: shop.example does not answer: the connection was closed')
})

test('leaves the trash as it was, or the whole site, whatever fails', async () => {
  const calls = await eachFault(trashed, restore, async (host, before, [, result], fault) => {
    const back = (await listTrash(host)).length === 0
    if (back) expect([fault, result]).toEqual([fault, only])
    else expect([fault, host.disk.all]).toEqual([fault, before])
  })

  expect(calls).toBeGreaterThan(25)
})

test.each([
  [
    'its name is that of another site',
    async (host: FakeHost) => writeSite(host, { ...shop, domain: 'www.shop.example', user: 'x' }),
    'shop.example is now that of the site www.shop.example of this server',
  ],
  [
    'a virtual host answers to its name',
    async (host: FakeHost) =>
      host.answer('nginx -T', '# configuration file /etc/nginx/a:\nserver_name www.shop.example;'),
    'shop.example cannot come back: www.shop.example is already served by /etc/nginx/a on this server',
  ],
  [
    'its PHP is gone and cannot be had',
    async (host: FakeHost) => {
      await host.disk.write('/var/lib/dpkg/status', '')
      host.answer('apt-cache', 'php8.4-fpm')
    },
    'shop.example cannot come back: PHP 8.2 is not available on this server (8.4 is)',
  ],
  [
    'its user is gone',
    async (host: FakeHost) =>
      host.disk.write('/etc/passwd', 'shop:x:1:1:somebody else:/:/bin/sh\n'),
    'The system user shop is gone: shop.example can only be purged',
  ],
  [
    'its files are gone',
    async (host: FakeHost) => host.disk.remove('/srv/www/.trash/shop/home'),
    '/srv/www/.trash/shop/home is gone: shop.example can only be purged',
  ],
  [
    'something is in its place',
    async (host: FakeHost) => host.disk.write('/srv/www/shop/x', ''),
    '/srv/www/shop is in the way: move it and try again',
  ],
  [
    'the disk is full',
    async (host: FakeHost) => {
      host.disk.free = 2 ** 20
    },
    'shop.example cannot come back: 1 MB are free on this server, and 65 MB may be needed',
  ],
])('changes nothing when %s', async (_, change, reason) => {
  const host = await trashed()
  await change(host)
  const before = host.disk.all

  expect((await restore(host))[1]).toBe(reason)
  expect(host.disk.all).toEqual(before)
})

test('knows what is not in the trash', async () => {
  expect((await restore(await server(shop)))[1]).toBe('Site shop.example is not in the trash')
  expect((await restore(await server()))[1]).toBe('Site shop.example in the trash not found')
})

test('a site in the trash keeps its name', async () => {
  const host = await trashed()
  const other = { ...shop, domain: 'www.shop.example', user: 'other' }

  const work = siteCreate.run(other, contextOf(host)).next()

  const message = 'shop.example is in the trash of this server: restore or purge it'
  await expect(work).rejects.toMatchObject({ fields: { domain: [message] } })
})

test('lets MariaDB take longer statements while a dump needs them, whatever comes of it', async () => {
  const host = await trashed()
  host.rows('SELECT @@GLOBAL', [{ bytes: 10 }])
  host.fail('mariadb ', 'ERROR 1114 (HY000) at line 1: The table is full')

  await restore(host)

  expect(host.queries.filter((query) => query.startsWith('SET'))).toEqual([
    'SET GLOBAL max_allowed_packet = ? | 1073741824',
    'SET GLOBAL max_allowed_packet = ? | 10',
  ])
})
