// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { LostServerView } from '#shared/recovery/api/lost-servers.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { fill, sqlOf } from '#tests/support/system/cloning.ts'
import { addSite, type MovedSite, moved } from '#tests/support/system/moved-site.ts'
import { get } from '#tests/support/system/requests.ts'
import {
  type Member,
  startTwoServers,
  succeeded,
  type TwoServers,
} from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000
const SAVED = ['shop.example.test', 'blog.example.test'] as const
const UNSAVED = 'new.example.test'
/** It has moved to the lost server, and the other one still has its former copy, which forwards. */
const MOVED = 'moved.example.test'

unless(lab.available()).describe('a server that does not come back', () => {
  let world: TwoServers
  const sites = new Map<string, MovedSite>()

  beforeAll(async () => {
    world = await startTwoServers()
    for (const domain of [...SAVED, UNSAVED])
      sites.set(domain, await addSite(world, { domain, tls: 'self-signed' }))
    for (const domain of SAVED) {
      const { id, user } = site(domain)
      await fill(world.one.host, { domain, user })
      await succeeded(world.dashboard, `/api/servers/${world.one.id}/sites/${id}/backups`)
    }
    const { dashboard, one, two } = world
    const reversed = { ...world, one: two, two: one }
    const leaving = await addSite(reversed, { domain: MOVED, tls: 'self-signed' })
    await fill(two.host, { domain: MOVED, user: leaving.user })
    await moved(reversed, leaving, {})
    const server = async () => {
      const { body } = await world.dashboard.call('GET', `/api/fleet/sites/${leaving.id}`)
      return Object(body.site).server_id
    }
    sites.set(MOVED, { ...leaving, server })
    const trash = (await dashboard.call('GET', '/api/trash')).body.trash
    expect([await server(), trash]).toEqual([one.id, []])
  }, 15 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  function site(domain: string): MovedSite {
    const found = sites.get(domain)
    if (!found) throw new Error(`no site ${domain}`)
    return found
  }
  const statusOf = async (id: number) => {
    const { body } = await world.dashboard.call('GET', `/api/fleet/servers/${id}`)
    return Object(body.server).status
  }
  const becomes = (id: number, status: string) =>
    lab.poll(async () => (await statusOf(id)) === status, {
      ...{ every_ms: 500, timeout_ms: 3 * MINUTES, awaited: `the server is ${status}` },
    })
  const shown = async () =>
    (await world.dashboard.call('GET', `/api/servers/${world.one.id}/lost`))
      .body as unknown as LostServerView
  const states = async () =>
    (await shown()).sites.map(({ domain, state }) => `${domain} ${state}`).sort()
  const ended = (id: string) =>
    lab.poll(
      async () => {
        const { body } = await world.dashboard.call('GET', `/api/bulk-operations/${id}`)
        const bulk = Object(body.bulk_operation)
        return bulk.finished_at !== null && bulk.counts
      },
      { every_ms: 500, timeout_ms: 8 * MINUTES, awaited: 'the sites are restored' },
    )
  const front = async ({ host }: Member, domain: string) => {
    const { status, body } = await get(host, `https://${domain}/`)
    return [status, body.includes(`<!-- served by ${domain} -->`)]
  }

  test(
    'has its sites restored on another one, also if the dashboard is killed meanwhile',
    async () => {
      const { one, two } = world
      await one.host.powerOff()
      await becomes(one.id, 'offline')
      expect(await states()).toEqual([
        'blog.example.test restorable',
        'moved.example.test restorable',
        'new.example.test lost',
        'shop.example.test restorable',
      ])
      const all = [...SAVED, MOVED]
      const named = all.map((domain) => ({ site_id: site(domain).id, server_id: two.id }))
      const path = `/api/servers/${one.id}/lost`
      const planned = await world.dashboard.call('POST', path, { sites: named, dry_run: true })
      const plans = planned.body.plans as { error: unknown; plan: { steps: unknown[] } }[]
      expect(plans.map(({ error, plan }) => [error, plan.steps.length > 5])).toEqual([
        [null, true],
        [null, true],
        // The removal of the copy alone: its agent refuses a plan for a name that it has.
        [null, false],
      ])

      const { status, body } = await world.dashboard.call('POST', path, {
        ...{ sites: named, parallel: 1, confirm: one.host.address },
      })
      expect([status, body]).toMatchObject([202, { bulk_operation: { type: 'site.recover' } }])
      await lab.poll(async () => (await states()).some((one) => one.endsWith('restoring')), {
        ...{ every_ms: 100, timeout_ms: MINUTES, awaited: 'a restore begins' },
      })
      await world.restartDashboard()
      expect(await ended(Object(body.bulk_operation).id)).toMatchObject({ success: 3, failed: 0 })

      expect(await states()).toEqual([
        'blog.example.test restored',
        'moved.example.test restored',
        'new.example.test lost',
        'shop.example.test restored',
      ])
      for (const domain of all) {
        expect(await front(two, domain)).toEqual([200, true])
        expect(await site(domain).server()).toBe(two.id)
      }
      const sql = await sqlOf(two.host, site('shop.example.test').user)
      const option = "SELECT option_value FROM wp_options WHERE option_name = 'clone_mail'"
      expect((await sql(option)).trim()).toBe('anna@shop.example.test')
      // Its record stays on the server that has it.
      expect(await site(UNSAVED).server()).toBe(one.id)
    },
    10 * MINUTES,
  )

  test(
    'that answers again serves none of them, and keeps their files',
    async () => {
      const { one } = world
      await one.host.start()
      await becomes(one.id, 'online')
      for (const domain of SAVED)
        await lab.poll(async () => (await front(one, domain))[0] === 503, {
          ...{ every_ms: 1000, timeout_ms: 5 * MINUTES, awaited: `${domain} is suspended` },
        })
      for (const domain of SAVED) {
        const file = `/srv/www/${site(domain).user}/public/wp-config.php`
        await one.host.must(['test', '-f', file])
        expect(await site(domain).server()).toBe(world.two.id)
      }
      expect((await front(one, UNSAVED))[0]).toBe(200)
    },
    10 * MINUTES,
  )
})
