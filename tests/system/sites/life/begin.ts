import { expect, test } from 'bun:test'
import { endOf } from '#tests/support/system/dashboard.ts'
import { get } from '#tests/support/system/requests.ts'
import { snapshot } from '#tests/support/system/snapshot.ts'
import { unplanned } from '#tests/support/system/unplanned.ts'
import type { Site, World } from '#tests/support/system/world.ts'

export function registers(world: World): void {
  test('registers and syncs a server with nothing on it', async () => {
    await world.register()

    expect(await world.sync()).toEqual({ status: 'ok', sites: 0 })
    const { body } = await world.dashboard.call('GET', world.path(''))
    expect(body.server).toMatchObject({
      os: expect.stringMatching(/^Debian GNU\/Linux 1[23]/),
      sites_count: 0,
    })
  })
}

/** Things from packages are listed by package. */
const OURS = /^(package|service) |hosting|\/srv\/www|sites-enabled\/|\/nginx\.conf$|\.service\.d$/

export function provisions(world: World): void {
  const { php } = world.variant
  const run = async () => {
    const events = await world.dashboard.stream('POST', world.path('/provision'), {
      php_versions: [php],
    })
    return events
  }

  test('provisions missing packages, and changes nothing the second time', async () => {
    const done = { event: 'complete', data: { status: 'ok', php_versions: [php] } }
    const ready = { event: 'log', data: { message: 'The server is ready for sites' } }

    // Without lists the contents of packages are unknown.
    await world.host.must(['apt-get', 'update', '-q'])
    const asked = { method: 'POST', path: '/provision', body: { php_versions: [php] } }
    const found = await unplanned(
      world,
      asked,
      async () => expect((await run()).slice(-2)).toMatchObject([ready, done]),
      { only: (thing) => OURS.test(thing) },
    )
    expect(found).toEqual([])
    expect(await run()).toMatchObject([ready, done])
    world.before = await snapshot(world.host)
  })
}

export function createsSites(world: World): void {
  const { php } = world.variant
  const create = async (domain: string, tls: string) => {
    let id = 0
    const asked = { method: 'POST', path: '/sites', body: { domain, php, tls } }
    const found = await unplanned(world, asked, async ({ site }) => {
      const created = await world.dashboard.call('POST', world.path('/sites'), site)
      expect([created.status, created.body]).toEqual([
        201,
        { site: { id: expect.any(Number), domain, status: 'provisioning' } },
      ])
      expect((await endOf(world.dashboard, created)).data).toEqual({ status: 'ok', domain })
      id = (created.body.site as Site).id
    })
    expect(found).toEqual([])
    return id
  }

  test('creates two sites that answer with their own installation', async () => {
    await world.sync()
    const ids = [
      await create('one.example.test', 'none'),
      await create('two.example.test', 'self-signed'),
    ]
    await world.sync()
    for (const id of ids) {
      const { body } = await world.dashboard.call('GET', world.path(`/sites/${id}`))
      expect(body.site).toMatchObject({
        framework: 'wordpress',
        php,
        tier: 'small',
      })
      world.sites.push(body.site as Site)
    }

    const one = await get(world.host, 'http://one.example.test/')
    const two = await get(world.host, 'https://two.example.test/')
    expect([one.status, two.status]).toEqual([200, 200])
    expect(one.body).toContain('http://one.example.test/')
    expect(one.body).not.toContain('two.example.test')
    expect(two.body).toContain('https://two.example.test/')
    const plain = await get(world.host, 'http://two.example.test/')
    expect(plain.headers).toContain('location: https://two.example.test/')
  })

  test('refuses a second site of the same name', async () => {
    const body = { domain: 'WWW.One.Example.Test.', php }
    const second = await world.dashboard.call('POST', world.path('/sites'), body)

    expect([second.status, second.body]).toEqual([
      422,
      { error: 'Validation failed', fields: { domain: ['The domain is already taken'] } },
    ])
  })
}
