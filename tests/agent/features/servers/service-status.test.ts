import { expect, test } from 'bun:test'
import { serviceStatuses } from '#agent/features/servers/service-status.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { debian, runs } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

async function withSite(host: FakeHost) {
  const site = { domain: 'shop.example', php: '8.2', tier: 'small', tls: 'none' } as const
  await writeSite(host, { ...site, user: 'shop', email: 'a@shop.example' })
  return host
}

const states = async (host: FakeHost) =>
  (await serviceStatuses(host)).map(({ name, status }) => `${name} ${status}`)

test('asks systemd once for all units', async () => {
  const host = await withSite(debian())
  const block = (state: string, names: string) => `Names=${names}\nActiveState=${state}\n`
  host.answer(
    'systemctl show',
    [
      block('active', 'nginx.service'),
      block('failed', 'mysql.service mariadb.service'),
      block('inactive', 'cron.service'),
      block('inactive', 'php8.2-fpm.service'),
      block('reloading', 'hosting-fpm@shop-php8.2.service'),
    ].join('\n'),
  )
  await host.disk.write('/usr/sbin/cron', '')

  expect(await states(host)).toEqual([
    'nginx running',
    'mariadb failed',
    'cron stopped',
    'php8.2 running',
    'php-fpm:shop running',
  ])
  expect(host.ran).toEqual([
    'systemctl show --property=Names,ActiveState -- nginx.service mariadb.service cron.service php8.2-fpm.service hosting-fpm@shop-php8.2.service hosting-fpm@shop-php8.2.socket',
  ])
})

test.each([
  ['inactive', 'active', 'running'],
  ['inactive', 'inactive', 'stopped'],
  ['failed', 'active', 'failed'],
  ['activating', 'active', 'running'],
])('a PHP-FPM that is %s with a socket that is %s is %s', async (service, socket, status) => {
  const host = await withSite(debian())
  const units = {
    'hosting-fpm@shop-php8.2.service': service,
    'hosting-fpm@shop-php8.2.socket': socket,
  }
  const blocks = Object.entries(units).map(
    ([unit, state]) => `Names=${unit}\nActiveState=${state}\n`,
  )
  host.answer('systemctl show', blocks.join('\n'))

  expect(await states(host)).toContain(`php-fpm:shop ${status}`)
})

test('uses pid files without systemd, and runs no program', async () => {
  const host = await withSite(debian())
  host.init = 'direct'
  await host.disk.write('/usr/sbin/cron', '')
  await host.disk.remove('/run/crond.pid')
  await host.disk.write('/usr/sbin/php-fpm8.4', '')

  expect(await states(host)).toEqual([
    'nginx running',
    'mariadb running',
    'cron stopped',
    'php8.2 stopped',
    'php8.4 stopped',
    'php-fpm:shop stopped',
  ])
  runs(host.disk, '/run/hosting-fpm/shop-php8.2.pid', 21, 'php-fpm8.2')
  expect(await states(host)).toContain('php8.2 running')
  expect(host.ran).toEqual([])
})

test('reports a service that is not installed as missing', async () => {
  const host = debian()
  host.init = 'direct'
  for (const program of ['nginx', 'mariadbd', 'php-fpm8.2'])
    await host.disk.remove(`/usr/sbin/${program}`)

  expect(await states(host)).toEqual(['nginx missing', 'mariadb missing', 'cron missing'])
})
