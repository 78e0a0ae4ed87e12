import { expect, test } from 'bun:test'
import * as fpm from '#agent/features/php/fpm.ts'
import { renderPool, socketOf } from '#agent/features/php/fpm-files.ts'
import { listPools } from '#agent/features/php/fpm-pools.ts'
import * as fpmRemoval from '#agent/features/php/fpm-removal.ts'
import { renderSocket, renderUnit } from '#agent/features/php/fpm-units.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const pool = { user: 'shop', php: '8.2' }
const limits = tierLimitsOn('small', { cores: 2, memory: 8192 })

test('runs the master as the user of the site, without opening a log or a socket', () => {
  const text = renderPool(pool, limits, 'systemd')

  expect(text).toContain('\nerror_log = /dev/null\n')
  expect(text).not.toMatch(/^(pid|slowlog|listen\.\w+) = /m)
  expect(renderUnit(pool)).toContain('\nUser=shop\nGroup=shop\nNoNewPrivileges=yes\n')
  expect(renderUnit(pool)).toContain('\nCapabilityBoundingSet=\n')
  expect(renderUnit(pool)).toContain('\nStandardError=append:/var/log/hosting/shop/php-fpm.log\n')
  expect(renderSocket(pool)).toContain('\nSocketUser=root\nSocketGroup=www-data\n')
})

test('a master that runs as root writes its log where the site cannot place a link', () => {
  const text = renderPool(pool, limits, 'direct')

  expect(text).toContain('\nerror_log = /var/log/hosting/shop/php-fpm.log\n')
})

test('quotes a name that the format would read as a boolean', () => {
  expect(renderPool({ user: 'off', php: '8.2' }, limits, 'systemd')).toContain('\nuser = "off"\n')
})

test('reports the log of PHP-FPM when it does not start', async () => {
  const host = await server()
  host.fail('systemctl start', 'Job failed')
  await host.disk.write('/var/log/hosting/shop/php-fpm.log', 'NOTICE: x\nERROR: cannot bind\n')

  const applying = fpm.apply(host, shop).apply()

  await expect(applying).rejects.toThrow(
    'PHP 8.2 of shop did not start: NOTICE: x | ERROR: cannot bind',
  )
})

test('restricts PHP by path only where no namespace does it', () => {
  const fence = 'open_basedir'

  expect(renderPool(pool, limits, 'direct')).toContain(fence)
  expect(renderPool(pool, limits, 'systemd')).not.toContain(fence)
  expect(renderUnit(pool)).toContain('TemporaryFileSystem=/srv/www:ro')
})

test('ends a slow request after PHP would have, and lets nginx wait longer still', async () => {
  const host = await server(shop)
  const { '/etc/hosting/fpm/shop-php8.2.d/pool.conf': conf = '', ...rest } = host.disk.all

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
])('%s gets a slice that is not a child of another site', (user, slice) => {
  expect(sliceOf(user)).toBe(slice)
})

test('finds the pools of a user, and not those of a user with the same prefix', async () => {
  const host = await server(shop)
  await host.disk.write('/etc/hosting/fpm/shop-two-php8.2.d/pool.conf', '')
  await host.disk.write('/etc/hosting/fpm/shop-php8.4.d/pool.conf', '')

  expect(await listPools(host, 'shop')).toEqual([
    { user: 'shop', php: '8.2' },
    { user: 'shop', php: '8.4' },
  ])
})

test('tests the file before a reload, because an invalid one ends the master', async () => {
  const host = await server(shop)
  const before = host.disk.all
  host.fail('/usr/sbin/php-fpm8.2 --test', 'unknown entry')

  const applying = fpm.apply(host, { ...shop, tier: 'large' }).apply()

  await expect(applying).rejects.toThrow('PHP-FPM refuses the configuration of shop: unknown entry')
  expect(host.disk.all).toEqual(before)
  expect(host.ran.some((line) => line.includes('reload hosting-fpm'))).toBe(false)
})

test('removing tolerates missing files, and a slice without its file', async () => {
  const host = await server()
  host.fail('systemctl stop', 'Unit not loaded', 5)

  await fpmRemoval.removePoolsAndSlice(host, pool).apply()

  expect(host.ran).toEqual(['systemctl stop hosting-shop.slice'])
})

test.each([
  '/etc/systemd/system/hosting-fpm@shop-php8.2.service',
  '/etc/systemd/system/hosting-fpm@shop-php8.2.socket',
  '/etc/hosting/fpm/shop-php8.2.d',
  socketOf({ user: 'shop', php: '8.2' }),
])('completes a removal that was interrupted at %s', async (path) => {
  const host = await server(shop)
  host.disk.guard = (action) => {
    if (action === `remove ${path}`) throw new Error('cut off')
  }
  await expect(
    fpmRemoval.removeOtherPools(host, { user: 'shop', php: '8.4' }).apply(),
  ).rejects.toThrow('cut off')
  host.disk.guard = () => undefined

  await fpmRemoval.removeOtherPools(host, { user: 'shop', php: '8.4' }).apply()

  expect(Object.keys(host.disk.all).filter((left) => left.includes('shop-php8.2'))).toEqual([])
})

const UNIT = '/etc/systemd/system/hosting-fpm@shop-php8.2.service'
const PREVIOUS = '# Made by Hosting Control. Of the previous version.'

/** A master whose unit another version of the agent wrote. */
async function withPrevious() {
  const host = await server(shop)
  await host.disk.write(UNIT, PREVIOUS)
  host.fail('systemctl is-active', '', 3)
  host.runs.length = 0
  return host
}

test('restarts a master whose unit another version of the agent wrote, on the socket of systemd', async () => {
  const host = await withPrevious()

  await fpm.apply(host, shop).apply()

  expect(host.ran).toEqual([
    '/usr/sbin/php-fpm8.2 --test --fpm-config /etc/hosting/fpm/shop-php8.2.d/pool.conf',
    'systemctl daemon-reload',
    'systemctl is-active --quiet hosting-fpm@shop-php8.2.socket',
    'systemctl stop hosting-fpm@shop-php8.2.socket hosting-fpm@shop-php8.2.service',
    'systemctl reset-failed hosting-fpm@shop-php8.2.socket hosting-fpm@shop-php8.2.service',
    'systemctl start hosting-fpm@shop-php8.2.service',
  ])
  expect(host.disk.all[UNIT]).toBe(renderUnit(pool))
})

test('starts the previous master again when the new one does not start', async () => {
  const host = await withPrevious()
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    if (argv.join(' ').startsWith('systemctl start')) throw new Error('Job failed')
    return run(argv, options)
  }

  await expect(fpm.apply(host, shop).apply()).rejects.toThrow('Job failed')

  expect(host.disk.all[UNIT]).toBe(PREVIOUS)
  expect(host.ran.at(-1)).toBe('systemctl start hosting-fpm@shop-php8.2.service')
})
