import { expect, test } from 'bun:test'
import { poolApply } from '#agent/features/sites/pool.apply.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

const RECORD = '/var/lib/hosting-agent/sites/shop.example.json'

test('resizes the pool of a user', async () => {
  const host = await server(shop)
  const params = { user: 'shop', php_version: '8.2', tier: 'medium' } as const

  const [, result] = await outcome(poolApply.run(params, contextOf(host)))

  expect(result).toEqual({ tier: 'medium' })
  expect(host.disk.all[RECORD]).toContain('"tier": "medium"')
})

test.each([
  { user: 'shop', php_version: '8.4' },
  { user: 'unknown', php_version: '8.2' },
])('finds no pool of %p', async ({ user, php_version }) => {
  const host = await server(shop)

  const [lines, message] = await outcome(
    poolApply.run({ user, php_version, tier: 'small' }, contextOf(host)),
  )

  expect([lines, message]).toEqual([[], `PHP ${php_version} pool of ${user} not found`])
})

test('refuses the pool of a site in the trash, and of a site that others made', async () => {
  const host = await server(shop)
  await outcome(siteDelete.run({ domain: shop.domain }, contextOf(host)))
  host.disk.putText(
    '/etc/nginx/sites-enabled/legacy',
    'server { listen 80; server_name legacy.example; root /srv/legacy; location / { fastcgi_pass unix:/run/php/legacy.sock; } }',
  )
  host.disk.putText(
    '/etc/php/8.2/fpm/pool.d/legacy.conf',
    '[legacy]\nuser = legacy\nlisten = /run/php/legacy.sock\npm.max_children = 4\n',
  )
  const refusal = async (user: string) => {
    const params = { user, php_version: '8.2', tier: 'small' } as const
    const call = poolApply.run(params, contextOf(host))
    return (await outcome(call)).at(-1)
  }

  expect(await refusal('shop')).toBe(
    'shop.example is in the trash: restore it or delete it permanently',
  )
  expect(await refusal('legacy')).toBe('legacy.example was found, not created by Hosting Control')
})

test('uses one lock for a site that is named by domain or by pool user', async () => {
  const host = await server(shop)
  const change = { user: shop.user, php_version: shop.php, tier: 'medium' } as const

  expect(await poolApply.lock(change, host)).toBe('shop.example')
  expect(await siteUpdate.lock({ domain: shop.domain }, host)).toBe('shop.example')
})
