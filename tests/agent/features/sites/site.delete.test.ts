import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { listTrash } from '#agent/features/sites/trash/trash.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { findSite, removeSite, writeSite } from '#agent/kernel/site/sites.ts'
import { contextOf, listOfTables, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const shopOnly = { domain: 'shop.example' }
/** What is in the folder of the site, which its user cannot list. */
const PARTS = ['logs', 'public', 'sessions', 'tmp'].map((name) => `/srv/www/shop/${name}`)
const remove = (host: FakeHost) => outcome(siteDelete.run(shopOnly, contextOf(host)))

test('closes the site to visitors first, moves it to the trash, and drops the database last', async () => {
  const host = await server(shop)

  const [lines, result] = await remove(host)

  expect(result).toEqual({ domain: 'shop.example', size: 8225 })
  expect(lines).toEqual([
    'Moving shop.example to the trash',
    'Removing the virtual host and the page cache',
    'Removing the jobs',
    'Stopping PHP',
    'Closing the account of shop',
    'Writing the database to the trash',
    'Moving the files to the trash',
    'Moving the record to the trash',
    'Dropping the database',
  ])
  expect(host.ran).toEqual([
    'du --summarize --apparent-size --block-size=1 -- /var/lib/mysql/shop',
    'nginx -t -q',
    'start-stop-daemon --stop --signal HUP --pidfile /run/nginx.pid --exec /usr/sbin/nginx',
    'systemctl stop hosting-cron@shop.timer hosting-cron@shop.service',
    'systemctl reset-failed hosting-cron@shop.timer hosting-cron@shop.service',
    'systemctl stop hosting-fpm@shop-php8.2.socket hosting-fpm@shop-php8.2.service',
    'systemctl reset-failed hosting-fpm@shop-php8.2.socket hosting-fpm@shop-php8.2.service',
    `rm -rf --one-file-system -- ${MAIL_PATHS.socketFolder('shop')}`,
    'systemctl stop hosting-shop.slice',
    'systemctl daemon-reload',
    'usermod --expiredate 1 -- shop',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'du --summarize --apparent-size --block-size=1 -- /var/lib/mysql/shop',
    'mariadb --no-defaults --user=shop --socket=/run/mysqld/mysqld.sock --default-character-set=utf8mb4 --max-allowed-packet=1G --batch --skip-column-names -- shop',
    'xargs --null --no-run-if-empty --max-chars=1000000 mariadb-dump --no-defaults --user=shop --socket=/run/mysqld/mysqld.sock --default-character-set=utf8mb4 --max-allowed-packet=1G --single-transaction --quick --skip-triggers --hex-blob -- shop',
    'systemctl stop hosting-shop.slice',
    'tail --bytes=100 -- /srv/www/.trash/shop/database.sql',
    'sync -- /srv/www/.trash/shop/database.sql',
    `du --summarize --total --block-size=1 -- ${PARTS.join(' ')}`,
    'systemctl stop hosting-shop.slice',
  ])
  expect(host.queries.filter((query) => !/^(SELECT|SET STATEMENT)/.test(query))).toEqual([
    "ALTER USER ?@'localhost' IDENTIFIED VIA unix_socket WITH MAX_USER_CONNECTIONS ? MAX_STATEMENT_TIME ? | shop | 0 | 0",
    "KILL USER ?@'localhost' | shop",
    "KILL USER ?@'localhost' | shop",
    'DROP DATABASE IF EXISTS ?? | shop',
    "DROP USER IF EXISTS ?@'localhost' | shop",
    "KILL USER ?@'localhost' | shop",
    'DROP DATABASE IF EXISTS ?? | shop',
  ])
  expect(Object.keys(host.disk.all).filter((path) => path.includes('shop'))).toEqual([
    '/srv/www/.trash/shop',
    '/srv/www/.trash/shop/account.json',
    '/srv/www/.trash/shop/database.sql',
    '/srv/www/.trash/shop/facts.json',
    '/srv/www/.trash/shop/home',
    '/srv/www/.trash/shop/home/logs',
    '/srv/www/.trash/shop/home/public',
    '/srv/www/.trash/shop/home/public/index.php',
    '/srv/www/.trash/shop/home/sessions',
    '/srv/www/.trash/shop/home/tmp',
    '/var/lib/hosting-agent/trash/shop.example.json',
    '/var/lib/hosting-etc/accounts/shop',
    '/var/lib/hosting-etc/accounts/shop/group',
    '/var/lib/hosting-etc/accounts/shop/passwd',
    '/var/lib/hosting-mail/settings/sites/shop.json',
    '/var/log/hosting/shop',
  ])
  expect(await listTrash(host)).toEqual([
    {
      domain: 'shop.example',
      user: 'shop',
      size: 8225,
      deleted_at: new Date(host.time).toISOString(),
      restorable: true,
      php: '8.2',
      tier: 'small',
      tls: 'none',
    },
  ])
})

test('measures its files with the rights of the site, while they are in its own folder', async () => {
  const host = await server(shop)

  await remove(host)

  const runs = host.runs.filter(({ line }) => line.startsWith('du ') && line.includes('/srv/www'))
  expect(runs.map(({ options }) => options.site?.user)).toEqual(['shop'])
  expect(runs[0]?.options.site?.directives).toContain('PrivateNetwork=yes')
  expect(runs[0]?.options.site?.directives).toContain('User=shop')
})

test('uses the last measurement for files that cannot be measured', async () => {
  const host = await server(shop)
  const times = { measured_at: '2026-01-01T00:00:00.000Z' }
  const last = { shop: { bytes: 4096, files: 3, database_bytes: 0, ...times } }
  await host.disk.write('/var/lib/hosting-agent/usage.json', JSON.stringify(last))
  host.fail('du --summarize --total', '', 137)

  expect((await remove(host))[1]).toEqual({ domain: 'shop.example', size: 4129 })
})

test('does not start when the disk may be too small', async () => {
  const host = await server(shop)
  host.answer('du --summarize --apparent-size', `${600 * 2 ** 20}\t/var/lib/mysql/shop\n`)
  host.disk.room.free = 2 ** 30
  const before = host.disk.all

  expect(await remove(host)).toEqual([
    [],
    'shop.example cannot be moved to the trash: 1024 MB are free on this server, and 1264 MB may be needed',
  ])
  expect(host.disk.all).toEqual(before)
  expect(host.ran).toEqual(['du --summarize --apparent-size --block-size=1 -- /var/lib/mysql/shop'])
})

test('deletes a site that has lost its database and its files', async () => {
  const host = await server(shop)
  host.databases.delete('shop')
  await host.disk.remove('/srv/www/shop')

  expect((await remove(host))[1]).toEqual({ domain: 'shop.example', size: 0 })
  expect(host.ran.filter((line) => line.includes('mariadb-dump'))).toEqual([])
})

test('keeps the only dump of a site', async () => {
  const host = await server(shop)
  await remove(host)
  const before = host.disk.all
  host.fail('mariadb --no-defaults', "ERROR 1062 (23000) at line 7: Duplicate entry 'secret'")

  const [, message] = await outcome(siteRestore.run(shopOnly, contextOf(host)))

  expect(message).toBe('MariaDB did not import the dump (ERROR 1062 (23000) at line 7)')
  expect(host.disk.all).toEqual(before)
})

test('names an unknown domain, and says when a site is in the trash', async () => {
  const host = await server(shop)
  await remove(host)

  const reason = 'Site shop.example is in the trash: restore it or delete it permanently'
  expect(await remove(host)).toEqual([[], reason])
  expect(await remove(await server())).toEqual([[], 'Site shop.example not found'])
})

test('writes only tables to the trash, by name, and reports the objects that it omits', async () => {
  const host = await server(shop)
  const names = ['wp_options', "a'b\n--password", 'täble']
  host.answer('mariadb --no-defaults', listOfTables(...names))
  const folder = '/var/lib/mysql/shop'
  for (const name of ['v.frm', 'w.frm']) await host.disk.write(`${folder}/${name}`, 'TYPE=VIEW\n')
  await host.disk.write(`${folder}/t.TRN`, 'TYPE=TRIGGERNAME\n')
  const bounded = 'SET STATEMENT max_statement_time=5, lock_wait_timeout=1 FOR SELECT name'
  host.rows(bounded, [{ name: 'x', definer: 'shop@localhost' }])

  const [lines] = await remove(host)

  expect(lines).toContain(
    'Warning: 1 routine, 1 event, 2 views and 1 trigger are not part of the dump',
  )
  const [dump] = host.runs.filter(({ line }) => line.includes('mariadb-dump'))
  expect(dump?.options).toMatchObject({
    input: names.map((name) => `${name}\0`).join(''),
    output_file: '/srv/www/.trash/shop/database.sql',
    timeout_ms: 601_000,
  })
  expect(dump?.options.site?.user).toBe('shop')
  expect(dump?.options.site?.directives).toContain('PrivateNetwork=yes')
  expect(dump?.options.site?.directives).toContain(`LimitFSIZE=${8 * 8192 + 2 ** 30}`)
  expect(dump?.options.site?.directives.join(' ')).not.toContain('=/srv/www/shop')
})

test('restores the password and limits of the account when the dump fails, and shows no content', async () => {
  const host = await server(shop)
  const before = host.mariadb.accounts.get('shop')
  host.fail('xargs', 'mariadb-dump: Got error: 1194: "Table \'secret\' is marked as crashed"', 123)

  const [, message] = await remove(host)

  expect(message).toBe('The database could not be dumped (error 1194 of MariaDB)')
  expect(host.mariadb.accounts.get('shop')).toEqual(before)
  expect(host.mariadb.accounts.size).toBe(1)
})

const { domain } = shop
const onlyCopy = { domain, copy: true }

test('leaves a site that is no copy of a move, if only a copy was asked for', async () => {
  const host = await server(shop)

  const [, reason] = await outcome(siteDelete.run(onlyCopy, contextOf(host)))

  expect(reason).toBe('Copy of shop.example not found')
  expect(await findSite(host, domain)).toEqual(shop)
})

test.each([
  ['is closed', { from: ['10.0.0.1'], closed: true }, 'sites'],
  ['only forwards', { to: '10.0.0.1', parted: true }, 'moved'],
] as const)('deletes a copy that %s', async (_, moving, folder) => {
  const host = await server(shop)
  await removeSite(host, domain, 'sites').apply()
  await writeSite(host, { ...shop, moving: { ...moving, from: ['10.0.0.1'] } }, folder)

  const [, result] = await outcome(siteDelete.run(onlyCopy, contextOf(host)))

  expect(result).toMatchObject({ domain })
  expect(await findSite(host, domain, 'trash')).toBeDefined()
})

test('refuses an incomplete dump and keeps the site', async () => {
  const host = await server(shop)
  await host.disk.mkdir('/srv/www/.trash', { mode: 0o700 })
  const before = host.disk.all
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    const path = options?.output_file
    if (path !== undefined) await host.disk.write(path, 'CREATE TABLE …', { mode: 0o600 })
    return output
  }

  const [, message] = await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))

  expect(message).toBe('The dump of the database was cut off before its end')
  expect(host.disk.all).toEqual(before)
  expect(host.queries.filter((query) => query.startsWith('DROP'))).toEqual([])
})

test('refuses an incomplete list of the tables', async () => {
  const host = await server(shop)
  host.answer('mariadb --no-defaults', listOfTables('wp_options').replace('end\n', ''))

  const [, message] = await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))

  expect(message).toBe('The list of the tables was cut off before its end')
})
