import { expect, test } from 'bun:test'
import { serviceRestart } from '#agent/features/servers/service.restart.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

test.each([
  ['nginx', ['nginx -t -q', 'systemctl restart nginx.service']],
  ['mariadb', ['systemctl restart mariadb.service']],
  [
    'php-fpm:shop',
    [
      '/usr/sbin/php-fpm8.2 --test --fpm-config /etc/hosting/fpm/shop-php8.2.d/pool.conf',
      'systemctl restart hosting-fpm@shop-php8.2.service',
    ],
  ],
])('restarts %s', async (service, ran) => {
  const host = await server(shop)

  const [, result] = await outcome(serviceRestart.run({ service }, contextOf(host)))

  expect(result).toEqual({ service })
  expect(host.ran).toEqual(ran)
})

test('does not restart nginx when its configuration is invalid', async () => {
  const host = await server()
  host.fail('nginx -t', 'unknown directive "lisen" in /etc/nginx/nginx.conf:3')

  const [lines, message] = await outcome(serviceRestart.run({ service: 'nginx' }, contextOf(host)))

  expect(lines).toEqual([])
  expect(message).toBe(
    'nginx refuses its configuration: unknown directive "lisen" in /etc/nginx/nginx.conf:3',
  )
  expect(host.ran).toEqual(['nginx -t -q'])
})

test('reports a user without PHP-FPM as not found', async () => {
  const host = await server()

  const [, message] = await outcome(
    serviceRestart.run({ service: 'php-fpm:shop' }, contextOf(host)),
  )

  expect(message).toBe('Service php-fpm:shop not found')
})
