import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { siteRestore } from '#agent/commands/site.restore.ts'
import { listTrash } from '#agent/os/trash.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { contextOf, outcome, server, shop } from './debian.ts'
import { eachFault, siteOn } from './faults.ts'

const shopOnly = { domain: 'shop.example' }
const remove = (host: FakeHost) => outcome(siteDelete.run(shopOnly, contextOf(host)))

test('moves the site to the trash from the visitors inwards, and drops the database last', async () => {
  const host = await server(shop)

  const [lines, result] = await remove(host)

  expect(result).toEqual({ domain: 'shop.example', size: 8192 })
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
    'nginx -t -q',
    'start-stop-daemon --stop --quiet --signal HUP --pidfile /run/nginx.pid --exec /usr/sbin/nginx',
    'systemctl stop hosting-fpm@shop-8.2.service',
    'systemctl reset-failed hosting-fpm@shop-8.2.service',
    'systemctl stop hosting-shop.slice',
    'systemctl daemon-reload',
    'usermod --expiredate 1 -- shop',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'mariadb-dump --no-defaults --user=root --socket=/run/mysqld/mysqld.sock --default-character-set=utf8mb4 --max-allowed-packet=1G --single-transaction --quick --routines --triggers --events --hex-blob --result-file=/srv/www/.trash/shop/database.sql --databases shop',
    'sync -- /srv/www/.trash/shop/database.sql',
    'du --summarize --one-file-system --block-size=1 -- /srv/www/.trash/shop',
  ])
  expect(host.queries.slice(-2)).toEqual([
    "DROP USER IF EXISTS ?@'localhost' | shop",
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
    '/srv/www/.trash/shop/home/sessions',
    '/srv/www/.trash/shop/home/tmp',
    '/var/lib/hosting-agent/trash/shop.example.json',
    '/var/log/hosting/shop',
  ])
  expect(await listTrash(host)).toEqual([
    {
      domain: 'shop.example',
      user: 'shop',
      size: 8192,
      deleted_at: new Date(host.time).toISOString(),
      restorable: true,
      php: '8.2',
      tier: 'small',
      tls: 'none',
    },
  ])
})

test('keeps the whole running site, or has all of it in the trash, whatever fails', async () => {
  const calls = await eachFault(siteOn, remove, async (host, before, [, result], fault) => {
    const trashed = (await listTrash(host)).length === 1
    if (trashed) expect([fault, result]).toEqual([fault, { domain: 'shop.example', size: 8192 }])
    else expect([fault, host.disk.all]).toEqual([fault, before])
    expect(host.queries.some((query) => query.startsWith('DROP')) && !trashed).toBe(false)
  })

  expect(calls).toBeGreaterThan(25)
})

test('begins nothing that the disk may not hold', async () => {
  const host = await server(shop)
  host.rows('SELECT (SELECT SUM(DATA_LENGTH)', [{ bytes: 600 * 2 ** 20 }])
  host.disk.free = 2 ** 30
  const before = host.disk.all

  expect(await remove(host)).toEqual([
    [],
    'The trash cannot take shop.example: 1024 MB are free on this server, and 1264 MB may be needed',
  ])
  expect([host.ran, host.disk.all]).toEqual([[], before])
})

test('takes a site that has lost its database and its files', async () => {
  const host = await server(shop)
  host.rows('SELECT (SELECT SUM(DATA_LENGTH)', [])
  await host.disk.remove('/srv/www/shop')

  expect((await remove(host))[1]).toEqual({ domain: 'shop.example', size: 8192 })
  expect(host.ran.filter((line) => line.startsWith('mariadb-dump'))).toEqual([])
})

test('removes no dump that is the only one there is', async () => {
  const host = await server(shop)
  await remove(host)
  const before = host.disk.all
  host.fail('mariadb ', "ERROR 1062 (23000) at line 7: Duplicate entry 'secret'")

  const [, message] = await outcome(siteRestore.run(shopOnly, contextOf(host)))

  expect(message).toBe('mariadb did not take the dump back (ERROR 1062 (23000) at line 7)')
  expect(host.disk.all).toEqual(before)
})

test('names the domain that it does not know, and says of one in the trash that it is there', async () => {
  const host = await server(shop)
  await remove(host)

  expect(await remove(host)).toEqual([[], 'Site shop.example is in the trash: restore or purge it'])
  expect(await remove(await server())).toEqual([[], 'Site shop.example not found'])
})
