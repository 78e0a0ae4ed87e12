import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import {
  followStates,
  followVersions,
  forgetStates,
} from '#dashboard/features/reports/follow-states.ts'
import { site_states, site_versions, version_changes } from '#dashboard/kernel/db/reports-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { dashboardWithSite } from '#tests/support/dashboard/reports.ts'

const START = '2026-02-01T00:00:00.000Z'
let world: Awaited<ReturnType<typeof dashboardWithSite>>

beforeEach(async () => {
  world = await dashboardWithSite(START)
  await world.change({ health: 'up', health_since: '2026-01-10T00:00:00.000Z' })
})
afterEach(() => world.dashboard[Symbol.asyncDispose]())

const at = (minutes: number, seconds = 0) =>
  new Date(Date.parse(START) + (60 * minutes + seconds) * 1000).toISOString()

/** A look after so many minutes, at which the server has answered unless it is silent. */
async function look(minutes: number, { silent = false } = {}): Promise<void> {
  const { dashboard, moveTo, clock } = world
  moveTo(at(minutes))
  if (!silent)
    await dashboard.db.write((queries) =>
      queries.update(servers).set({ metrics_at: clock.now().toISOString() }),
    )
  await followStates(dashboard.deps)
}

const states = async () =>
  (await world.dashboard.db.read.select().from(site_states).orderBy(site_states.at)).map(
    (row) => [row.at, row.state] as const,
  )

describe('the states of a site', () => {
  test('are recorded when they change, as exactly as the health is known', async () => {
    for (const minute of [0, 1, 2]) await look(minute)
    await world.change({ health: 'down', health_since: at(2, 20) })
    await look(3)
    await world.change({ health: 'up', health_since: at(3, 40) })
    for (const minute of [4, 5]) await look(minute)

    expect(await states()).toEqual([
      [at(0), 'up'],
      [at(2, 20), 'down'],
      [at(3, 40), 'up'],
    ])
  })

  test('are unknown while the server does not answer', async () => {
    await look(0)
    for (const minute of [1, 2, 3, 4]) await look(minute, { silent: true })
    await look(5)

    expect((await states()).map(([, state]) => state)).toEqual(['up', 'unknown', 'up'])
  })

  test('are unknown while no dashboard looked', async () => {
    await look(0)
    await look(1)
    await look(60)

    expect(await states()).toEqual([
      [at(0), 'up'],
      [at(1), 'unknown'],
      [at(60), 'up'],
    ])
  })

  test('are off while the site is not in use', async () => {
    await look(0)
    await world.change({ status: 'suspended' })
    await look(1)

    expect((await states()).at(-1)).toEqual([at(1), 'off'])
  })

  test('are unknown, and no time without an outage, while the server does not have the site', async () => {
    await look(0)
    await world.change({ status: 'missing' })
    await look(1)

    expect((await states()).at(-1)).toEqual([at(1), 'unknown'])
  })

  test('are not recorded without limit', async () => {
    for (let minute = 0; minute < 250; minute += 1) {
      const state = minute % 2 === 0 ? 'up' : 'down'
      await world.change({ health: state, health_since: at(minute) })
      await look(minute)
    }

    const recorded = await states()
    expect(recorded.length).toBeLessThanOrEqual(201)
    expect(recorded.at(-1)?.[1]).toBe('unknown')
  })

  test('of a clock that was ahead are deleted', async () => {
    await look(0)
    await look(10_000)
    world.clock.move(Date.parse(at(5)) - world.clock.now().getTime())
    await look(5)

    expect((await states()).every(([time]) => time <= at(5))).toBe(true)
  })

  test('are deleted after 430 days, except for the one that still held then', async () => {
    await look(0)
    await world.change({ health: 'down', health_since: at(1) })
    await look(1)
    world.moveTo('2027-06-01T00:00:00.000Z')
    await forgetStates(world.dashboard.deps)

    expect(await states()).toEqual([[at(1), 'down']])
  })
})

describe('the versions of a site', () => {
  const scan = (minutes: number, woocommerce: string, wp_version = '7.0') =>
    world.change({
      wp_version,
      last_scan: at(minutes),
      inventory: {
        wp_version,
        plugins: [
          { slug: 'woo', name: 'WooCommerce', version: woocommerce, active: true, update: null },
        ],
        themes: [],
        core_update: null,
        updates: { plugins: 0, themes: 0, core: false },
      },
    })
  const follow = async (minutes: number) => {
    world.moveTo(at(minutes))
    await followVersions(world.dashboard.deps)
  }
  const changes = async () =>
    (await world.dashboard.db.read.select().from(version_changes).orderBy(version_changes.id)).map(
      ({ at, kind, name, from, to }) => [at, kind, name, from, to],
    )

  test('are compared with those before, from the first scan on', async () => {
    await scan(0, '10.4')
    await follow(5)
    expect(await changes()).toEqual([])

    await scan(60, '10.5')
    await follow(65)
    await follow(70)
    expect(await changes()).toEqual([[at(60), 'plugin', 'WooCommerce', '10.4', '10.5']])

    await world.change({ wp_version: '7.0.1' })
    await follow(90)
    await scan(120, '10.5', '7.0.1')
    await follow(125)
    expect((await changes()).slice(1)).toEqual([[at(90), 'core', 'WordPress', '7.0', '7.0.1']])
    expect(await world.dashboard.db.read.select().from(site_versions)).toMatchObject([
      { since: at(5), scanned_at: at(120), core: '7.0.1', plugins: { woo: '10.5' } },
    ])
  })

  test('are deleted with the site', async () => {
    await scan(0, '10.4')
    await follow(5)
    await scan(60, '10.5')
    await follow(65)
    await world.dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, world.id)))

    expect(await changes()).toEqual([])
  })
})
