import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { siteUpdate } from '#agent/commands/site.update.ts'
import { folder, link, textOf } from '#agent/host/simulated/nodes.ts'
import * as nginx from '#agent/os/nginx/nginx.ts'
import { fpmService, type Pool, socketOf } from '#agent/os/php/fpm-files.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const OWN: Pool = { user: 'shop', php: '8.2' }
const FORMER: Pool = { ...OWN, former: true }
const NAMES = [
  [socketOf(OWN), socketOf(FORMER)],
  ['shop-php8.2', 'shop-8.2'],
] as const

/** The site as layout 3 made it: its pool under the names of then, in files as in paths. */
async function former(): Promise<FakeHost> {
  const host = await server(shop)
  const renamed = (text: string) =>
    NAMES.reduce((all, [to, from]) => all.replaceAll(to, from), text)
  const nodes = [...host.disk.walk()].filter(([, node]) => !('implied' in node))
  host.disk.restore(folder())
  for (const [path, node] of nodes) {
    if (node.kind === 'directory') host.disk.putFolder(renamed(path), node.options)
    if (node.kind === 'link') host.disk.put(renamed(path), link(renamed(node.target)))
    if (node.kind === 'file') host.disk.put(renamed(path), { ...node, text: renamed(textOf(node)) })
  }
  return host
}

const update = (host: FakeHost) =>
  outcome(siteUpdate.run({ domain: 'shop.example' }, contextOf(host)))
const asked = (host: FakeHost) => /unix:([^;]+);/.exec(host.disk.all[VHOST] ?? '')?.[1]
const ofFormer = (host: FakeHost) =>
  Object.keys(host.disk.all).filter((path) => path.includes('shop-8.2'))

test('starts a pool with a neutral name beside the previous one, and removes that one last', async () => {
  const host = await former()
  expect(asked(host)).toBe('/run/hosting-fpm/shop-8.2.sock')

  const [, result] = await update(host)

  expect(result).toMatchObject({ domain: 'shop.example', php: '8.2' })
  expect(asked(host)).toBe(socketOf(OWN))
  expect(asked(host)).not.toContain('shop')
  const done = host.ran.filter((line) => /systemctl (start|stop)|signal HUP/.test(line))
  expect(done).toEqual([
    `systemctl start ${fpmService(OWN).unit}`,
    expect.stringContaining('--signal HUP --pidfile /run/nginx.pid'),
    `systemctl stop ${fpmService(FORMER).socket_unit} ${fpmService(FORMER).unit}`,
  ])
  expect(ofFormer(host)).toEqual([])
})

test('keeps the previous pool when the new one does not start', async () => {
  const host = await former()
  const before = host.disk.all
  host.fail('systemctl start hosting-fpm@shop-php8.2', 'Job failed')

  const [, message] = await update(host)

  expect(message).toContain('Job failed')
  expect(host.disk.all).toEqual(before)
  expect(host.ran.some((line) => line.startsWith('systemctl stop hosting-fpm@shop-8.2'))).toBe(
    false,
  )
})

test('keeps the previous pool until no virtual host uses it', async () => {
  const host = await former()
  host.fail('nginx -t', 'refused')

  const [, message] = await update(host)

  expect(message).toContain('refused')
  expect(asked(host)).toBe(socketOf(FORMER))
  expect(ofFormer(host).length).toBeGreaterThan(0)
})

test('a virtual host that is written before the switch uses the existing pool', async () => {
  const host = await former()

  await nginx.apply(host, shop, {
    fullchain: '/c.pem',
    privkey: '/k.pem',
    self_signed: false,
  })

  expect(asked(host)).toBe(socketOf(FORMER))
})

test('removes the pool of the first version, which had no socket unit', async () => {
  const host = await former()
  const folder = '/etc/hosting/fpm/shop-8.2'
  await host.disk.write(`${folder}.conf`, (await host.disk.read(`${folder}.d/pool.conf`)) ?? '')
  await host.disk.remove(`${folder}.d/pool.conf`)
  await host.disk.remove(`/etc/systemd/system/${fpmService(FORMER).socket_unit}`)

  await update(host)

  expect(host.ran).toContain(`systemctl stop ${fpmService(FORMER).unit}`)
  expect(ofFormer(host)).toEqual([])
})

test('deleting a site before the switch removes its previous pool', async () => {
  const host = await former()

  await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))

  expect(ofFormer(host)).toEqual([])
})
