import { expect, test } from 'bun:test'
import { cachePurge } from '#agent/features/web/cache.purge.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

test('empties the page cache as the user of nginx, and leaves the folders to nginx', async () => {
  const host = await server(shop)
  await host.disk.write('/var/cache/hosting/shop/4/c4/page', '')

  const [, result] = await outcome(cachePurge.run({ domain: 'shop.example' }, contextOf(host)))

  expect(result).toEqual({ domain: 'shop.example' })
  expect(host.runs.map(({ line, options }) => [line, options.user])).toEqual([
    ['find /var/cache/hosting/shop -ignore_readdir_race -type f -delete', 'www-data'],
  ])
})
