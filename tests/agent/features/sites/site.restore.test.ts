import { expect, test } from 'bun:test'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { availablePath } from '#agent/features/web/vhost-files.ts'
import { findSite, removeSite, writeSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { anna } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const only = { domain: 'shop.example' }
const restore = (host: FakeHost) => outcome(siteRestore.run(only, contextOf(host)))

async function trashed(): Promise<FakeHost> {
  const host = await server(shop)
  const [, result] = await outcome(siteDelete.run(only, contextOf(host)))
  if (typeof result === 'string') throw new Error(result)
  host.runs.length = 0
  host.queries.length = 0
  return host
}

test.each([
  ['closed', { from: ['10.0.0.1'], closed: true }, 'sites'],
  ['forwarding', { to: '10.0.0.1', challenges: true, parted: true }, 'moved'],
] as const)(
  'a %s copy of a moved site serves again, with nobody who can log in',
  async (_, moving, folder) => {
    const host = await server(shop)
    await removeSite(host, shop.domain, 'sites').apply()
    const copy = { ...shop, access: [anna], moving: { ...moving, from: ['10.0.0.1'] } }
    await writeSite(host, copy, folder)
    await outcome(siteDelete.run({ ...only, copy: true }, contextOf(host)))

    expect((await restore(host))[1]).toEqual(only)

    expect(await findSite(host, shop.domain)).toEqual(shop)
    const vhost = host.disk.text(availablePath(shop.domain))
    expect([vhost?.includes('fastcgi_pass'), vhost?.includes('proxy_pass')]).toEqual([true, false])
    const [, deleted] = await outcome(siteDelete.run(only, contextOf(host)))
    expect(deleted).toMatchObject(only)
  },
)

test('restores the data, then the services, then the virtual host', async () => {
  const whole = (await server(shop)).disk.all
  const host = await trashed()

  const [lines, result] = await restore(host)

  expect(result).toEqual(only)
  expect(lines).toEqual([
    'Restoring shop.example from the trash',
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
  expect(host.queries.filter((query) => !query.startsWith('SELECT'))).toEqual([
    "KILL USER ?@'localhost' | shop",
    'DROP DATABASE IF EXISTS ?? | shop',
    "DROP USER IF EXISTS ?@'localhost' | shop",
    "KILL USER ?@'localhost' | shop",
    'DROP DATABASE IF EXISTS ?? | shop',
    'CREATE DATABASE ?? CHARACTER SET ? COLLATE ? | shop | utf8mb4 | utf8mb4_unicode_520_ci',
    "CREATE USER ?@'localhost' IDENTIFIED VIA unix_socket | shop",
    expect.stringMatching(/^GRANT SELECT, .*, LOCK TABLES ON /),
    "KILL USER ?@'localhost' | shop",
    `ALTER USER ?@'localhost' IDENTIFIED VIA mysql_native_password USING ? OR unix_socket WITH MAX_USER_CONNECTIONS ? MAX_STATEMENT_TIME ? | shop | *${'A1'.repeat(20)} | 15 | 60`,
  ])
  expect(host.mariadb.accounts).toEqual((await server(shop)).mariadb.accounts)
  const [dump] = host.runs.filter(({ line }) => line.startsWith('mariadb '))
  expect(dump).toMatchObject({
    line: 'mariadb --no-defaults --user=shop --socket=/run/mysqld/mysqld.sock --default-character-set=utf8mb4 --max-allowed-packet=1G --binary-mode --local-infile=0 --init-command=SET SESSION max_statement_time = 0, lock_wait_timeout = 30 -- shop',
    options: { input_file: '/srv/www/.trash/shop/database.sql', site: { user: 'shop' } },
  })
})

test('restores a site that does not answer, and warns', async () => {
  const host = await trashed()
  host.net.probe = () => Promise.reject(new Error('the connection was closed'))

  const [lines, result] = await restore(host)

  expect(result).toEqual(only)
  expect(lines).toContain('Warning: shop.example does not answer: the connection was closed')
})

test.each([
  [
    'its name is that of another site',
    async (host: FakeHost) => writeSite(host, { ...shop, domain: 'www.shop.example', user: 'x' }),
    'shop.example is now used by the site www.shop.example of this server',
  ],
  [
    'a virtual host answers to its name',
    async (host: FakeHost) =>
      host.answer(
        'nginx -T',
        '# configuration file /etc/nginx/a:\nserver { server_name www.shop.example; }',
      ),
    'shop.example cannot be restored: www.shop.example is already served by /etc/nginx/a on this server',
  ],
  [
    'its PHP is missing and not available',
    async (host: FakeHost) => {
      await host.disk.write('/var/lib/dpkg/status', '')
      host.answer('apt-cache', 'php8.4-fpm')
    },
    'shop.example cannot be restored: PHP 8.2 is not available on this server (8.4 is)',
  ],
  [
    'its user is missing',
    async (host: FakeHost) =>
      host.disk.write('/etc/passwd', 'shop:x:1:1:somebody else:/:/bin/sh\n'),
    'The system user shop is missing: shop.example can only be deleted permanently',
  ],
  [
    'its files are gone',
    async (host: FakeHost) => host.disk.remove('/srv/www/.trash/shop/home'),
    '/srv/www/.trash/shop/home is missing: shop.example can only be deleted permanently',
  ],
  [
    'something is in its place',
    async (host: FakeHost) => host.disk.write('/srv/www/shop/x', ''),
    '/srv/www/shop already exists: move it and try again',
  ],
  [
    'the disk is full',
    async (host: FakeHost) => {
      host.disk.room.free = 2 ** 20
    },
    'shop.example cannot be restored: 1 MB are free on this server, and 65 MB may be needed',
  ],
])('changes nothing when %s', async (_, change, reason) => {
  const host = await trashed()
  await change(host)
  const before = host.disk.all

  expect((await restore(host))[1]).toBe(reason)
  expect(host.disk.all).toEqual(before)
})

test('reports a domain that is not in the trash', async () => {
  expect((await restore(await server(shop)))[1]).toBe('Site shop.example is not in the trash')
  expect((await restore(await server()))[1]).toBe('Site shop.example in the trash not found')
})

test('a site in the trash keeps its name', async () => {
  const host = await trashed()
  const other = { ...shop, domain: 'www.shop.example', user: 'other' }

  const work = siteCreate.run(other, contextOf(host)).next()

  const message = 'shop.example is in the trash of this server: restore it or delete it permanently'
  await expect(work).rejects.toMatchObject({ fields: { domain: [message] } })
})

test('raises the statement limit of MariaDB only during the import, also when it fails', async () => {
  const host = await trashed()
  host.rows('SELECT @@GLOBAL', [{ bytes: 10 }])
  host.fail('mariadb --no-defaults', 'ERROR 1114 (HY000) at line 1: The table is full')

  await restore(host)

  expect(host.queries.filter((query) => query.startsWith('SET'))).toEqual([
    'SET GLOBAL max_allowed_packet = ? | 40',
    'SET GLOBAL max_allowed_packet = ? | 10',
  ])
})

test.each([
  ["ERROR 1142 (42000) at line 12: CREATE VIEW command denied for table 'secret'", 12],
  ["ERROR 1044 (42000) at line 3: Access denied for user 'shop' to database 'secret'", 3],
  ['ERROR 1227 (42000) at line 70: Access denied; you need CREATE USER', 70],
  ['ERROR 4166 (HY000) at line 1: The used command is not allowed', 1],
])('refuses a dump that holds more than tables: %s', async (stderr, line) => {
  const host = await trashed()
  const before = host.disk.all
  host.fail('mariadb --no-defaults', stderr)

  expect((await restore(host))[1]).toBe(
    `The dump contains a view, routine, trigger, event or account statement at line ${line}; only tables are imported`,
  )
  expect(host.disk.all).toEqual(before)
  expect([host.databases.size, host.mariadb.accounts.size]).toEqual([0, 0])
})

test('grants the rights of the setting only after the import', async () => {
  const host = await trashed()
  const path = '/var/lib/hosting-agent/trash/shop.example.json'
  const record = JSON.parse((await host.disk.read(path)) ?? '')
  await host.disk.write(path, JSON.stringify({ ...record, database_routines: true }))
  let during: unknown
  const { run } = host.shell
  host.shell.run = (argv, options) => {
    if (argv[0] === 'mariadb') during = host.mariadb.accounts.get('shop')?.routines
    return run(argv, options)
  }

  await restore(host)

  expect([during, host.mariadb.accounts.get('shop')?.routines]).toEqual([false, true])
})
