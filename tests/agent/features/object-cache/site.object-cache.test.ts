import { expect, test } from 'bun:test'
import { unitPathOf } from '#agent/features/object-cache/paths.ts'
import { siteObjectCache } from '#agent/features/object-cache/site.object-cache.ts'
import { siteResume } from '#agent/features/sites/site.resume.ts'
import { siteSuspend } from '#agent/features/sites/site.suspend.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const UNIT = unitPathOf('shop')
const WANTS = '/etc/systemd/system/multi-user.target.wants/hosting-objects@shop.service'
const DROP_IN = '/srv/www/shop/public/wp-content/object-cache.php'
const TIER = 'Must be at most 128 on the tier small'

/** With the program of the package, which the tests do not install. */
async function ready(): Promise<FakeHost> {
  const host = await server(shop)
  await host.disk.write('/usr/bin/redis-check-rdb', '')
  return host
}

const set = (host: FakeHost, memory: number | null) =>
  outcome(siteObjectCache.run({ domain, memory }, contextOf(host)))

test('a site gets a server of its own and the drop-in, and loses both', async () => {
  const host = await ready()
  await set(host, 64)
  await set(host, null)
  const before = host.disk.all
  host.runs.length = 0

  const [lines, result] = await set(host, 64)

  expect(lines).toEqual([
    'Starting the object cache',
    'Installing the drop-in',
    'Recording the site',
  ])
  expect(result).toEqual({ domain, memory: 64 })
  expect(await getSite(host, domain)).toEqual({ ...shop, object_cache: { memory: 64 } })
  expect(host.ran.filter((line) => line.startsWith('systemctl'))).toEqual([
    'systemctl daemon-reload',
    'systemctl start hosting-objects@shop.service',
  ])
  expect(host.disk.all[UNIT]).toContain('--maxmemory 64mb')
  expect(host.disk.all[DROP_IN]).toContain('Made by Hosting Control')
  expect(await host.disk.stat(WANTS)).toBeDefined()

  const [off] = await set(host, null)

  expect(off).toEqual(['Removing the drop-in', 'Stopping the object cache', 'Recording the site'])
  expect(host.disk.all).toEqual(before)
})

test('another size stops the server before its file says so, and a repetition starts it', async () => {
  const host = await ready()
  await set(host, 64)
  host.runs.length = 0
  host.fail('systemctl daemon-reload', 'killed')
  const [, failed] = await set(host, 32)
  const ran = () => host.ran.filter((line) => line.startsWith('systemctl'))
  const [first] = ran()
  host.answer('systemctl daemon-reload', '')
  host.runs.length = 0

  await set(host, 32)
  const again = ran().slice(-2)

  expect(failed).toContain('killed')
  expect(first).toBe('systemctl stop hosting-objects@shop.service')
  expect(again).toEqual(['systemctl daemon-reload', 'systemctl start hosting-objects@shop.service'])
})

test('the package and the programs come with the first one', async () => {
  const host = await ready()
  await host.disk.remove('/usr/bin/redis-check-rdb')
  host.answer('apt-cache pkgnames', 'php8.2-fpm\n')

  const steps = await siteObjectCache.plan({ domain, memory: 64 }, host)

  expect(steps.map(({ title }) => title)).toEqual([
    'Installing redis-tools',
    'Installing the program for object caches',
    'Starting the object cache',
    'Installing the drop-in',
    'Recording the site',
  ])
})

test('a drop-in of another plugin is refused by its name, and stays', async () => {
  const host = await ready()
  const text = '<?php\n/* Plugin Name: Redis Object Cache\n'
  await host.disk.write(DROP_IN, text)
  const params = { domain, memory: 64 }
  const refusal = { code: 'conflict', message: expect.stringContaining('“Redis Object Cache”') }

  await expect(siteObjectCache.plan(params, host)).rejects.toMatchObject(refusal)
  await expect(siteObjectCache.run(params, contextOf(host)).next()).rejects.toMatchObject(refusal)

  expect(host.disk.all[DROP_IN]).toBe(text)
  await host.disk.remove(DROP_IN)
  await set(host, 64)
  await host.disk.write(DROP_IN, text)
  await set(host, null)
  expect(host.disk.all[DROP_IN]).toBe(text)
})

test.each([
  [129, { fields: { memory: [TIER] } }],
  [512, { fields: { memory: [TIER] } }],
])('refuses %d MB on the tier small', async (memory, refusal) => {
  const host = await ready()

  await expect(siteObjectCache.plan({ domain, memory }, host)).rejects.toMatchObject(refusal)
})

test('a server without systemd has no object caches', async () => {
  const host = await ready()
  host.init = 'direct'

  await expect(siteObjectCache.plan({ domain, memory: 64 }, host)).rejects.toMatchObject({
    message: 'An object cache needs a server with systemd',
  })
})

test('a suspended site has none, and a smaller tier bounds it', async () => {
  const host = await ready()
  const change = { ...{ php: undefined, xmlrpc: undefined }, domain }
  await outcome(siteUpdate.run({ ...change, tier: 'large' }, contextOf(host)))
  await set(host, 512)

  await outcome(siteSuspend.run({ domain }, contextOf(host)))
  expect(host.disk.all[UNIT]).toBeUndefined()
  const [, refused] = await outcome(siteObjectCache.run({ domain, memory: 64 }, contextOf(host)))
  expect(refused).toBe(`${domain} is suspended: resume it first`)
  await outcome(siteResume.run({ domain }, contextOf(host)))
  expect(host.disk.all[UNIT]).toContain('--maxmemory 512mb')
  await outcome(siteUpdate.run({ ...change, tier: 'small' }, contextOf(host)))
  expect(host.disk.all[UNIT]).toContain('--maxmemory 128mb')
})
