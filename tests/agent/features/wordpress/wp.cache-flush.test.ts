import { expect, test } from 'bun:test'
import { wpCacheFlush } from '#agent/features/wordpress/wp.cache-flush.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const flush = (host: FakeHost) =>
  outcome(wpCacheFlush.run({ domain: shop.domain }, contextOf(host)))

test('flushes the objects by wp-cli as the site, then empties the page cache', async () => {
  const host = await server(shop)
  await host.disk.write('/var/cache/hosting/shop/4/c4/page', '')

  const [lines, result] = await flush(host)

  expect(lines).toEqual([
    'Flushing the object cache of shop.example',
    'Emptying the page cache of shop.example',
  ])
  expect(result).toEqual({ domain: 'shop.example' })
  expect(host.runs.map(({ line }) => line)).toEqual([
    expect.stringMatching(/ --skip-plugins --skip-themes cache flush$/),
    'find /var/cache/hosting/shop -ignore_readdir_race -type f -delete',
  ])
})

test('fails with the reason of wp-cli, and leaves the page cache as it is', async () => {
  const host = await server(shop)
  await host.disk.write('/var/cache/hosting/shop/4/c4/page', '')
  host.fail('/usr/bin/php8.2', 'Error: Error establishing a database connection')

  const [, reason] = await flush(host)

  expect(reason).toBe(
    'The object cache was not flushed: Error: Error establishing a database connection',
  )
  expect(host.disk.all['/var/cache/hosting/shop/4/c4/page']).toBe('')
})
