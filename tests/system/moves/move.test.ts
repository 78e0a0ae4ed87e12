// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { fill, sqlOf } from '#tests/support/system/cloning.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { MoveSecrets } from '#tests/support/system/move-secrets.ts'
import {
  addSite,
  type MovedSite,
  moved,
  movedBack,
  openingOf,
} from '#tests/support/system/moved-site.ts'
import { get } from '#tests/support/system/requests.ts'
import {
  type Member,
  startTwoServers,
  succeeded,
  type TwoServers,
} from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000
const domain = 'shop.example.test'
const alias = 'alias.example.test'
const NEVER = '0 0 1 1 *'

unless(lab.available()).describe('a site that moves between two servers', () => {
  let world: TwoServers
  let shop: MovedSite
  let secrets: MoveSecrets

  beforeAll(async () => {
    world = await startTwoServers()
    shop = await addSite(world, { domain, tls: 'self-signed' })
    await fill(world.one.host, { domain, user: shop.user })
    const mail = `/api/servers/${world.one.id}/sites/${shop.id}/mail`
    const changed = await world.dashboard.stream('PUT', mail, { hourly_limit: 7 })
    expect(changed.at(-1)?.event).toBe('complete')
    secrets = new MoveSecrets(world, shop.user)
    await secrets.start()
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const front = ({ host }: Member, resolve?: string) =>
    get(host, `https://${domain}/`, resolve === undefined ? {} : { resolve })
  const sql = async ({ host }: Member, text: string) => (await sqlOf(host, shop.user))(text)
  const order = (at: Member, name: string) =>
    sql(at, `INSERT INTO wp_options (option_name, option_value) VALUES ('${name}', 'paid')`)
  const orders = async (at: Member) => {
    const text = "SELECT option_name FROM wp_options WHERE option_name LIKE 'order_%' ORDER BY 1"
    return (await sql(at, text)).trim().split('\n')
  }
  const columns = (at: Member) => sql(at, 'SHOW COLUMNS FROM wp_links')
  /** The limit with which the server sends mail of the site. */
  const mailLimit = async ({ host }: Member): Promise<number> => {
    const file = `/var/lib/hosting-mail/settings/sites/${shop.user}.json`
    return JSON.parse(await host.must(['cat', file])).hourly_limit
  }
  /** What an owner changes on the page of the site. */
  const configured = async ({ id }: Member) => {
    const { dashboard } = world
    const at = `/api/servers/${id}/sites/${shop.id}`
    const job = { name: 'report', schedule: NEVER, command: 'true' }
    const calls: [method: string, below: string, body: object][] = [
      ['PATCH', '/settings', { xmlrpc: 'off' }],
      ['PUT', '/domains', { aliases: [alias] }],
      ['PUT', '/jobs', { jobs: [job] }],
      ['PUT', '/mail', { hourly_limit: 9 }],
    ]
    const tier = await dashboard.call('PATCH', at, { tier: 'medium' })
    expect((await endOf(dashboard, tier)).event).toBe('complete')
    for (const [method, below, body] of calls) {
      const last = (await dashboard.stream(method, `${at}${below}`, body)).at(-1)
      expect([below, last?.event]).toEqual([below, 'complete'])
    }
  }

  /** The files but caches, with owners by name. */
  const filesOf = ({ host }: Member) =>
    host.must([
      'bash',
      '-ec',
      `cd /srv/www/${shop.user}/public; find . -path ./wp-content/cache -prune -o -printf '%P %y %u %g %m %l\n' | sort;
       find . -path ./wp-content/cache -prune -o -type f -print0 | sort -z | xargs -0 sha256sum`,
    ])

  test(
    'copies the changes made meanwhile, also of one column, and forwards every visitor',
    async () => {
      const { one, two } = world
      const seconds = await moved(world, shop, {
        certificate: () => secrets.learn(one),
        way: async () => {
          const outside = await front(two, two.host.address)
          expect([(await front(one)).status, outside.status]).toEqual([200, 503])
          await order(one, 'order_1')
          await one.host.must([
            'bash',
            '-ec',
            `cd /srv/www/${shop.user}/public/wp-content/uploads; echo new > added; rm sparse; echo other > 2026/hard; chown ${shop.user}: added`,
          ])
        },
        // The copy has caught up once: only a change of the structure follows.
        frozen: () => sql(one, 'ALTER TABLE wp_links ADD COLUMN visits int NOT NULL DEFAULT 7'),
        changes: async () => {
          const frozen = await front(one)
          expect([frozen.status, frozen.headers.includes('retry-after: 30')]).toEqual([503, true])
        },
      })
      console.log(`frozen for ${seconds} s`)
      const { status, body } = await front(one)
      expect([status, body.includes(`//${domain}/`)]).toEqual([200, true])
      // nginx applies a new configuration after a moment.
      const isOpen = async () => (await front(two, two.host.address)).status === 200
      expect(await lab.poll(isOpen)).toBe(true)
      expect(await orders(two)).toEqual(['order_1'])
      expect(await columns(two)).toBe(await columns(one))
      expect(await columns(two)).toContain('visits')
      expect(await filesOf(two)).toBe(await filesOf(one))
      expect(await mailLimit(two)).toBe(7)
      expect(await shop.server()).toBe(two.id)
    },
    10 * MINUTES,
  )

  test(
    'begins a repository whose password the former server does not have; earlier backups stay',
    async () => {
      const { one, two, dashboard } = world
      const at = `/api/servers/${two.id}/sites/${shop.id}/backups`
      const [opening, former, next] = [openingOf(shop.user), shop.user, `${shop.user}-2`]
      const [earlier] = (await dashboard.call('GET', at)).body.backups as { id: number }[]

      await succeeded(dashboard, at)

      expect(await opening(one, former, former)).toBe('opened')
      expect(await opening(one, next, former)).toBe('wrong password')
      expect(await opening(two, next, next)).toBe('opened')
      const parts = { files: true, database: false, paths: ['index.php'] }
      await succeeded(dashboard, `${at}/restore`, { backup_id: earlier?.id, parts })
      await succeeded(dashboard, `${at}/prove`, { backup_id: earlier?.id })
    },
    10 * MINUTES,
  )

  test(
    'moves back with its changes',
    async () => {
      const { one, two, dashboard } = world
      await order(two, 'order_2')
      await configured(two)
      const at = ({ id }: Member) => `/api/servers/${id}/sites/${shop.id}`
      const seconds = await movedBack(world, shop, {
        way: () => order(two, 'order_3'),
        changes: async () => expect((await front(two)).status).toBe(503),
      })
      console.log(`frozen for ${seconds} s on the way back`)
      for (const server of [one, two]) expect((await front(server)).status).toBe(200)
      expect(await orders(one)).toEqual(['order_1', 'order_2', 'order_3'])
      expect(await mailLimit(one)).toBe(9)
      expect(await shop.server()).toBe(one.id)
      const { body } = await dashboard.call('GET', at(one))
      expect(body.site).toMatchObject({ tier: 'medium' })
      expect((await get(one.host, `https://${domain}/xmlrpc.php`)).status).toBe(403)
      for (const server of [one, two])
        expect((await get(server.host, `https://${alias}/`)).status).toBe(200)
      const certificate = ['openssl', 'x509', '-noout', '-ext', 'subjectAltName', '-in']
      expect(
        await one.host.must([...certificate, `/etc/hosting/tls/${domain}/fullchain.pem`]),
      ).toContain(alias)
      const timers = ['systemctl', 'list-timers', '--all', '--plain', '--no-legend']
      const scheduled = await Promise.all([one, two].map(({ host }) => host.must(timers)))
      expect(scheduled.map((each) => each.includes(`${shop.user}:report.timer`))).toEqual([
        true,
        false,
      ])
    },
    10 * MINUTES,
  )

  test(
    'leaves its passwords in their own files and nowhere else, there and back',
    async () => {
      const { servers, dashboard, controls } = await secrets.found()

      expect(controls).toBe(2)
      expect(dashboard).toEqual([])
      const [one, two] = servers
      const config = `/srv/www/${shop.user}/public/wp-config.php`
      const password = `/var/lib/hosting-agent/backups/${shop.user}/passwords/${shop.user}`
      expect(one).toEqual([config, password])
      // It has the password of the repository after its own first backup.
      expect(two?.filter((place) => place !== password)).toEqual([config])
    },
    5 * MINUTES,
  )

  test(
    'shows the page of the move while the other server does not answer',
    async () => {
      const { one, two } = world
      await one.host.must(['systemctl', 'stop', 'nginx'])

      const { status, headers, body } = await front(two)

      await one.host.must(['systemctl', 'start', 'nginx'])
      expect([
        status,
        headers.includes('retry-after: 30'),
        body.includes('Back in a moment'),
      ]).toEqual([503, true, true])
      expect((await front(two)).status).toBe(200)
    },
    5 * MINUTES,
  )

  test(
    'stops forwarding when the move is confirmed',
    async () => {
      const { one, two, dashboard } = world

      await succeeded(dashboard, `/api/servers/${one.id}/sites/${shop.id}/move-confirm`)

      expect((await front(one)).status).toBe(200)
      const left = await two.host.exec(['test', '-e', `/etc/nginx/sites-enabled/${domain}`])
      expect(left.code).not.toBe(0)
    },
    10 * MINUTES,
  )
})
