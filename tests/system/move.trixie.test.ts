import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import {
  type CloningServer,
  cloningServer,
  fill,
  siteOf,
  sqlOf,
} from '#tests/support/system/cloning.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000
const shop = { ...siteOf('shop.example.test', 'shop1a2b3c'), tls: 'self-signed' }
const { domain, user } = shop
const TARGET = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }

unless(lab.available()).describe('the commands of a move', () => {
  let old: CloningServer
  let next: CloningServer
  let certificates: Record<'old' | 'next', string>

  const backedUp = async ({ completed }: CloningServer) => {
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    const params = { domain, target: TARGET, ...keys, ...(password && { password }) }
    const { backup, sealed_password } = await completed('backup.create', params)
    password = opened(dashboard.privateKey, sealed_password)
    const { id, repository } = backup
    return { kind: 'backup', target: TARGET, repository, backup: id, password }
  }
  let password = ''
  const front = (server: CloningServer, path = '/') => get(server.host, `https://${domain}${path}`)

  beforeAll(async () => {
    const store = await mkdtemp(join(tmpdir(), 'store-'))
    const binds = [{ from: store, to: '/mnt/store' }]
    old = await cloningServer('leaving', binds)
    next = await cloningServer('arriving', binds)
    await old.completed('site.create', shop)
    await fill(old.host, shop)
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test(
    'copy the site while it serves, and serve only its server',
    async () => {
      const peers = [next.host.address]
      await old.completed('site.switch', { domain, state: 'leaving', peers, challenges: true })
      const from = await backedUp(old)
      const received = await next.completed('site.receive', {
        ...shop,
        from,
        peers: [old.host.address],
      })
      const { certificate } = received
      expect(certificate).toContain('BEGIN CERTIFICATE')
      const way = { peers, challenges: true, certificate }
      const left = await old.completed('site.switch', { domain, state: 'leaving', ...way })
      certificates = { old: left.certificate, next: certificate }
      expect([(await front(old)).status, (await front(next)).status]).toEqual([200, 200])
      const outside = await get(next.host, `https://${domain}/`, { resolve: next.host.address })
      expect(outside.status).toBe(503)
    },
    5 * MINUTES,
  )

  const order = async ({ host }: CloningServer, name: string) =>
    (await sqlOf(host, user))(
      `INSERT INTO wp_options (option_name, option_value) VALUES ('${name}', 'paid')`,
    )
  const orders = async ({ host }: CloningServer) => {
    const text = await (await sqlOf(host, user))(
      "SELECT option_name FROM wp_options WHERE option_name LIKE 'order_%' ORDER BY 1",
    )
    return text.trim().split('\n')
  }
  /** The files but caches, with owners by name. */
  const filesOf = ({ host }: CloningServer) =>
    host.must([
      'bash',
      '-ec',
      `cd /srv/www/${user}/public; find . -path ./wp-content/cache -prune -o -printf '%P %y %u %g %m %l\n' | sort;
       find . -path ./wp-content/cache -prune -o -type f -print0 | sort -z | xargs -0 sha256sum`,
    ])

  test(
    'bring what changed during the copy, and every visitor to the new server',
    async () => {
      await order(old, 'order_1')
      await old.host.must([
        'bash',
        '-ec',
        `cd /srv/www/${user}/public/wp-content/uploads; echo new > added; rm sparse; echo other > 2026/hard; chown ${user}: added`,
      ])
      const began = performance.now()
      await old.completed('site.switch', { domain, state: 'frozen' })
      const frozen = await front(old)
      expect([frozen.status, frozen.headers.includes('retry-after: 30')]).toEqual([503, true])
      const from = await backedUp(old)
      const caught = await next.completed('site.catch-up', { domain, from })
      expect(caught).toMatchObject({ domain, tables: 1 })
      const way = { peers: [next.host.address], challenges: true, certificate: certificates.next }
      await old.completed('site.switch', { domain, state: 'parted', ...way })
      const seconds = (performance.now() - began) / 1000
      const { status, body } = await front(old)
      expect([status, body.includes(`//${domain}/`)]).toEqual([200, true])
      console.log(`frozen for ${seconds.toFixed(1)} s`)
      await next.completed('site.switch', { domain, state: 'arrived', peers: [old.host.address] })
      expect(await orders(next)).toEqual(['order_1'])
      expect(await filesOf(next)).toBe(await filesOf(old))
      const outside = await get(next.host, `https://${domain}/`, { resolve: next.host.address })
      expect(outside.status).toBe(200)
    },
    5 * MINUTES,
  )

  test(
    'bring it back with its changes',
    async () => {
      await order(next, 'order_2')
      await next.completed('site.switch', { domain, state: 'frozen' })
      const from = await backedUp(next)
      await old.completed('site.catch-up', { domain, from })
      await old.completed('site.switch', { domain, state: 'arriving', peers: [next.host.address] })
      const way = { peers: [old.host.address], certificate: certificates.old }
      await next.completed('site.switch', { domain, state: 'parted', ...way })
      await old.completed('site.switch', { domain, state: 'arrived', peers: [next.host.address] })
      for (const server of [old, next]) expect((await front(server)).status).toBe(200)
      expect(await orders(old)).toEqual(['order_1', 'order_2'])
      await next.completed('site.delete', { domain })
      await old.completed('site.switch', { domain, state: 'settled' })
      expect((await front(old)).status).toBe(200)
    },
    5 * MINUTES,
  )

  test(
    'thaw by themselves when nobody ends the freeze',
    async () => {
      await old.completed('site.switch', { domain, state: 'frozen' })
      await old.host.must(['systemctl', 'stop', 'hosting-agent.service'])
      await old.host.must(['systemctl', 'start', `hosting-thaw@${user}.service`])
      await lab.poll(async () => (await front(old)).status === 200)
      await old.host.must(['systemctl', 'start', 'hosting-agent.service'])
    },
    5 * MINUTES,
  )
})
