import { expect, test } from 'bun:test'
import * as fpm from '#agent/os/php-fpm.ts'
import { renderPool, renderUnit } from '#agent/os/php-fpm-files.ts'
import { sliceOf } from '#agent/os/services/systemd.ts'
import { limitsOn } from '#agent/os/tiers.ts'
import { server, shop } from '#tests/agent/commands/debian.ts'

const pool = { user: 'shop', php: '8.2' }
const limits = limitsOn('small', { cores: 2, memory: 8192 })

test('writes no log as root where the site could put a link', () => {
  const text = renderPool(pool, limits, 'systemd')

  expect(text).toContain('\nslowlog = /var/log/hosting/shop/php-slow.log\n')
  expect(text).toContain('\nerror_log = /var/log/hosting/shop/php-fpm.log\n')
})

test('quotes a name that the format would take for a switch', () => {
  expect(renderPool({ user: 'off', php: '8.2' }, limits, 'systemd')).toContain('\nuser = "off"\n')
})

test('repeats what PHP-FPM wrote into its log when it does not start', async () => {
  const host = await server()
  host.fail('systemctl start', 'Job failed')
  await host.disk.write('/var/log/hosting/shop/php-fpm.log', 'NOTICE: x\nERROR: cannot bind\n')

  const applying = fpm.apply(host, shop)

  await expect(applying).rejects.toThrow(
    'PHP 8.2 of shop did not start: NOTICE: x | ERROR: cannot bind',
  )
})

test('fences PHP in by path only where no namespace does it', () => {
  const fence = 'open_basedir'

  expect(renderPool(pool, limits, 'direct')).toContain(fence)
  expect(renderPool(pool, limits, 'systemd')).not.toContain(fence)
  expect(renderUnit(pool)).toContain('TemporaryFileSystem=/srv/www:ro')
})

test('ends a slow request after PHP would have, and lets nginx wait longer still', async () => {
  const host = await server(shop)
  const { '/etc/hosting/fpm/shop-8.2.conf': conf = '', ...rest } = host.disk.all

  expect(conf).toContain('php_value[max_execution_time] = 60\n')
  expect(conf).toContain('request_terminate_timeout = 65s\n')
  expect(rest['/etc/nginx/sites-available/hosting-shop.example.conf']).toContain(
    'fastcgi_read_timeout 70s;',
  )
})

test.each([
  ['shop', 'hosting-shop.slice'],
  ['shop-a1b2', 'hosting-shop\\x2da1b2.slice'],
  ['a_b-c-d', 'hosting-a_b\\x2dc\\x2dd.slice'],
])('gives %s a slice that is no child of another site', (user, slice) => {
  expect(sliceOf(user)).toBe(slice)
})

test('knows the pools of a user, and not those of one whose name begins alike', async () => {
  const host = await server(shop)
  await host.disk.write('/etc/hosting/fpm/shop-two-8.2.conf', '')
  await host.disk.write('/etc/hosting/fpm/shop-8.4.conf', '')

  expect(await fpm.listPools(host, 'shop')).toEqual([
    { user: 'shop', php: '8.2' },
    { user: 'shop', php: '8.4' },
  ])
})

test('tests the file before a reload, because a bad one ends the master', async () => {
  const host = await server(shop)
  const before = host.disk.all
  host.fail('/usr/sbin/php-fpm8.2 --test', 'unknown entry')

  const applying = fpm.apply(host, { ...shop, tier: 'large' })

  await expect(applying).rejects.toThrow('PHP-FPM refuses the configuration of shop: unknown entry')
  expect(host.disk.all).toEqual(before)
  expect(host.ran.some((line) => line.includes('USR2'))).toBe(false)
})

test('removes what is not there, and a slice that lost its file', async () => {
  const host = await server()
  host.fail('systemctl stop', 'Unit not loaded', 5)

  await fpm.removeAll(host, pool)

  expect(host.ran).toEqual(['systemctl stop hosting-shop.slice'])
})

test.each([
  '/etc/systemd/system/hosting-fpm@shop-8.2.service',
  '/etc/hosting/fpm/shop-8.2.conf',
  '/etc/hosting/fpm/shop-8.2.d',
  '/run/hosting-fpm/shop-8.2.sock',
])('takes a removal to its end that was cut off at %s', async (path) => {
  const host = await server(shop)
  host.disk.guard = (action) => {
    if (action === `remove ${path}`) throw new Error('cut off')
  }
  await expect(fpm.removeOthers(host, { user: 'shop', php: '8.4' })).rejects.toThrow('cut off')
  host.disk.guard = () => undefined

  await fpm.removeOthers(host, { user: 'shop', php: '8.4' })

  expect(Object.keys(host.disk.all).filter((left) => left.includes('shop-8.2'))).toEqual([])
})
