// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { sqlOf } from '#tests/support/system/cloning.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { addSite, type MovedSite, moved } from '#tests/support/system/moved-site.ts'
import { get } from '#tests/support/system/requests.ts'
import {
  type Member,
  startTwoServers,
  succeeded,
  type TwoServers,
} from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const domain = 'shop.example.test'
const copy = `staging.${domain}`

/**
 * A live site that asks for a password and is closed, and its staging site. Their certificates are of
 * an authority, which the new server asks while DNS still names the former one.
 */
unless(lab.available()).describe('protected sites that move between two servers', () => {
  let world: TwoServers
  let shop: MovedSite
  let staging: MovedSite
  let password: string
  /** The certificate of the authority: a file. */
  let roots: string

  const at = ({ id }: Member, site: MovedSite, below: string) =>
    `/api/servers/${id}/sites/${site.id}${below}`
  const configured = async (settings: object) => {
    const last = (
      await world.dashboard.stream('PATCH', at(world.one, shop, '/settings'), settings)
    ).at(-1)
    expect([settings, last?.event]).toEqual([settings, 'complete'])
  }
  const titled = async ({ host }: Member, { user }: MovedSite, title: string) =>
    (await sqlOf(host, user))(`UPDATE wp_posts SET post_title = '${title}' WHERE ID = 1`)
  const titleAt = async ({ host }: Member) =>
    (await sqlOf(host, shop.user))('SELECT post_title FROM wp_posts WHERE ID = 1')
  const front = ({ host }: Member, name: string, options: string[] = []) =>
    get(host, `https://${name}/`, { options, roots })

  beforeAll(async () => {
    world = await startTwoServers()
    roots = join(world.data_dir, 'issuing.pem')
    await Bun.write(roots, await world.acme.issuing_root())
    const { dashboard, one } = world
    for (const name of [domain, `www.${domain}`, copy])
      await world.acme.resolve(name, one.host.address)
    shop = await addSite(world, { domain, tls: 'letsencrypt' })
    const from = { kind: 'site', site_id: shop.id }
    const made = await dashboard.call('POST', `/api/servers/${one.id}/sites/clone`, {
      ...{ domain: copy, from, staging: true },
    })
    const { event, data } = await endOf(dashboard, made)
    if (event !== 'complete') throw new Error(JSON.stringify(data))
    const { id } = made.body.site as { id: number }
    const shown = async () =>
      (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site as {
        user: string
        server_id: number
      }
    staging = { id, user: (await shown()).user, server: async () => (await shown()).server_id }
    const access = await dashboard.call('POST', at(one, staging, '/staging-password'), {})
    password = String(access.body.password)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('a site that asks for a password and shows its maintenance page moves, and stays so', async () => {
    const { one, two } = world
    await configured({ basic_auth: { user: 'ann' }, maintenance: { message: 'Soon' } })
    const before = await front(one, domain)
    expect([before.status, before.body.includes('Soon')]).toEqual([503, true])

    await moved(world, shop, {})

    for (const server of [one, two]) {
      const { status, body } = await front(server, domain)
      expect([status, body.includes('Soon')]).toEqual([503, true])
    }
    expect(await shop.server()).toBe(two.id)
  })

  test('a staging site follows its live site with its password, and is pushed there', async () => {
    const { one, two, dashboard } = world
    const push = { staging_id: staging.id, files: false, tables: ['wp_posts'] }
    const prefix = await tablePrefix(world.two, shop)
    const tables = [`${prefix}posts`]
    const refused = await dashboard.call('POST', at(two, shop, '/push'), { ...push, tables })
    expect([refused.status, refused.body.error]).toEqual([409, 'Conflict'])
    await titled(one, staging, 'Made on staging')
    const program = `/srv/www/${staging.user}/public/kind.php`
    await one.host.put(program, "<?php echo getenv('WP_ENVIRONMENT_TYPE');", 0o644)
    await one.host.must(['chown', `${staging.user}:`, program])

    await moved(world, staging, {})

    const user = ['--user', `staging:${password}`]
    for (const server of [one, two]) {
      expect((await front(server, copy)).status).toBe(401)
      const { status, headers } = await front(server, copy, user)
      expect([status, headers.includes('x-robots-tag: noindex')]).toEqual([200, true])
    }
    const kind = await get(two.host, `https://${copy}/kind.php`, { options: user, roots })
    expect(kind.body).toBe('staging')

    // What is known of the tables came along: nothing has to be named.
    await succeeded(dashboard, at(two, shop, '/push'), { ...push, tables })

    expect(await titleAt(two)).toBe('Made on staging\n')
    await succeeded(dashboard, at(two, staging, '/move-confirm'))
    expect((await front(two, copy, user)).status).toBe(200)
  })
})

const tablePrefix = async ({ host }: Member, { user }: MovedSite) =>
  (await host.must(['mariadb', user, '-Ne', "SHOW TABLES LIKE '%\\_posts'"]))
    .trim()
    .replace('posts', '')
