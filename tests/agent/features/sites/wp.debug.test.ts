import { expect, test } from 'bun:test'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { wpDebug } from '#agent/features/sites/wp.debug.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const POOL = '/etc/hosting/fpm/shop-php8.2.d/pool.conf'
const HOUR_MS = 3_600_000

const after = ({ clock }: FakeHost, ms: number) => new Date(clock.now() + ms).toISOString()
const debug = (host: FakeHost, until: string | null) =>
  outcome(wpDebug.run({ domain, until }, contextOf(host)))

test('PHP of the site gets the end of its debug log, and loses it', async () => {
  const host = await server(shop)
  const before = host.disk.all
  const until = after(host, 8 * HOUR_MS)

  const [, result] = await debug(host, until)

  expect(result).toEqual({ domain, until })
  expect(await getSite(host, domain)).toEqual({ ...shop, debug: { until } })
  const added = host.disk.all[POOL]?.split('\n').filter((line) => !before[POOL]?.includes(line))
  expect(added).toEqual([
    `env[HOSTING_DEBUG_UNTIL] = ${Math.floor(Date.parse(until) / 1000)}`,
    'env[HOSTING_DEBUG_LOG] = /srv/www/shop/logs/wordpress-debug.log',
    'php_admin_value[auto_prepend_file] = /usr/local/lib/hosting/debug.php',
    'php_value[error_log] = /srv/www/shop/logs/php-error.log',
  ])

  const [, off] = await debug(host, null)

  expect(off).toEqual({ domain, until: null })
  expect(host.disk.all).toEqual(before)
})

test('a later call replaces the time, and the same one changes nothing', async () => {
  const host = await server(shop)
  await debug(host, after(host, HOUR_MS))
  const until = after(host, 24 * HOUR_MS)

  await debug(host, until)
  const changed = host.disk.all
  const [, result] = await debug(host, until)

  expect(result).toEqual({ domain, until })
  expect(host.disk.all).toEqual(changed)
})

test('a PHP that does not answer gets its former settings back', async () => {
  const host = await server(shop)
  const before = host.disk.all
  host.pings.set(socketOf(shop), 'refused')

  const [lines, message] = await debug(host, after(host, HOUR_MS))

  expect(lines).toContain('Undoing: Applying the PHP pool')
  expect(message).toContain('PHP 8.2 of shop does not answer after the change')
  expect(host.disk.all).toEqual(before)
})

test.each([
  [0, 'Must be in the future, by the clock of the server'],
  [-HOUR_MS, 'Must be in the future, by the clock of the server'],
  [24 * HOUR_MS + 5 * 60_000 + 1, 'Must be at most 24 hours ahead'],
])('refuses a time in %d ms, and so does its plan', async (ms, message) => {
  const host = await server(shop)
  const params = { domain, until: after(host, ms) }
  const refusal = { fields: { until: [message] } }

  await expect(wpDebug.run(params, contextOf(host)).next()).rejects.toMatchObject(refusal)
  await expect(wpDebug.plan?.(params, host)).rejects.toMatchObject(refusal)
})
