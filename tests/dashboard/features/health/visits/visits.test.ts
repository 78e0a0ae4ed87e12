// tier: gate
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { HealthReader } from '#dashboard/features/health/read-health.ts'
import type { VisitedSite } from '#dashboard/features/health/visits/visit-site.ts'
import { Visits } from '#dashboard/features/health/visits/visits.ts'
import { degraded, down, type HealthVerdict, UP, unknown } from '#shared/health/page-verdict.ts'
import { offline } from '#shared/kernel/errors.ts'
import { Fleet } from '#shared/overview/api/fleet.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'
import { type HealthWorld, openHealth, unwell, up } from '#tests/support/dashboard/health.ts'

const MINUTE = 60_000
const BROKEN = down('http_fatal', 'WordPress shows a critical error')

let world: HealthWorld
let visits: Visits
/** The first letters of the requested sites. */
const requested: string[] = []
/** The answers of each site, of which the last one stays; else it is up. */
const answers = new Map<string, (HealthVerdict | undefined)[]>()
let obstacle: ReturnType<typeof offline> | undefined
let held: Promise<void> | undefined
let concurrent = { now: 0, most: 0 }

async function visit({ domain }: VisitedSite): Promise<HealthVerdict | undefined> {
  const name = domain[0] ?? ''
  requested.push(name)
  concurrent.now += 1
  concurrent.most = Math.max(concurrent.most, concurrent.now)
  await held
  concurrent.now -= 1
  const all = answers.get(name) ?? [UP]
  return all.length > 1 ? all.shift() : all[0]
}

beforeEach(async () => {
  world = await openHealth()
  requested.length = 0
  answers.clear()
  obstacle = undefined
  held = undefined
  concurrent = { now: 0, most: 0 }
  const { clock, dashboard } = world
  visits = new Visits({
    ...dashboard.deps,
    clock: { ...clock, now: clock.now, elapsed: clock.elapsed, sleep: async () => undefined },
    visit,
    findObstacle: async () => obstacle,
  })
})
afterEach(async () => {
  await visits.stop()
  await world.close()
})

/** One round after `ms`; returns what it has requested. */
async function round(ms = 0): Promise<string> {
  world.clock.move(ms)
  // As by the pulse of its server.
  await run(`update servers set metrics_at = '${world.clock.now().toISOString()}'`)
  requested.length = 0
  await Promise.all((await visits.look()) ?? [])
  return requested.toSorted().join('')
}
/** Returns the health of the first site, and the time of its last visit. */
async function shown() {
  await world.read()
  const { health, health_code, health_since, visited_at } = await world.site(1)
  return { health, health_code, health_since, visited_at }
}
const run = (statement: string) =>
  world.dashboard.db.write((queries) => queries.run(sql.raw(statement)))

test('requests each site at the interval, and shows when and what it found', async () => {
  const { agent, clock, site, listed } = world
  agent.health = ['a', 'b', 'c', 'd'].map((name) => up(`${name}.example`))
  answers.set('b', [BROKEN])
  await world.read()
  const at = clock.now().toISOString()

  expect(await round()).toBe('abbcd')
  expect(await listed()).toEqual(['a up up', 'b down http_fatal', 'c up up', 'd up up'])
  expect(await site(2)).toMatchObject({
    health: 'down',
    health_reason: BROKEN.reason,
    health_since: at,
    visited_at: at,
    health_checks: [
      { check: 'php', state: 'up' },
      { check: 'visit', ...BROKEN },
    ],
  })
  expect(await site(1)).toMatchObject({ visited_at: at })
  expect(await round(3.9 * MINUTE)).toBe('')
  expect(await round(1.1 * MINUTE)).toBe('abcd')

  await world.dashboard.call('PUT', '/api/settings/visit_interval', { value: 3600 })
  expect(await round(40 * MINUTE)).toBe('')
  expect(await round(20 * MINUTE)).toBe('abcd')
})

test('requests a site until there is a result, also while nothing else happens', async () => {
  const clock = new SteppedClock()
  answers.set('a', [undefined, undefined, UP])
  const running = new Visits({
    ...world.dashboard.deps,
    clock,
    visit,
    findObstacle: async () => undefined,
  })
  running.start()
  await clock.pass(20_000)
  const ended = running.stop()
  await clock.pass(5_000)
  await ended

  expect(requested.toSorted().join('')).toBe('aaabcd')
})

test('stores a result that comes while earlier ones are stored', async () => {
  const { clock, dashboard } = world
  const { leases } = dashboard.deps
  const storing = Promise.withResolvers<void>()
  const run: typeof leases.run = (shares, work) =>
    leases.run(shares, () => {
      storing.resolve()
      return work()
    })
  const slow = new Visits({
    ...dashboard.deps,
    leases: { holds: (share) => leases.holds(share), run },
    clock: { ...clock, now: clock.now, elapsed: clock.elapsed, sleep: async () => undefined },
    findObstacle: async () => undefined,
    async visit({ domain }) {
      if (domain.startsWith('d')) await storing.promise
      return UP
    },
  })

  await Promise.all((await slow.look()) ?? [])
  await slow.stop()

  expect(await world.site(4)).toMatchObject({ visited_at: expect.any(String) })
})

test('repeats a failed request once before it counts', async () => {
  world.agent.health = [up('a.example')]
  await world.read()
  await round()
  answers.set('a', [BROKEN, UP])

  expect(await round(5 * MINUTE)).toBe('aabcd')
  expect(await shown()).toMatchObject({ health: 'up' })

  answers.set('a', [BROKEN, degraded('http_not_found', 'There is none')])
  expect(await round(5 * MINUTE)).toBe('aabcd')
  expect(await shown()).toMatchObject({ health: 'degraded', health_code: 'http_not_found' })

  answers.set('a', [UP])
  expect(await round(5 * MINUTE)).toBe('abcd')
  expect(await shown()).toMatchObject({ health: 'up', health_code: 'up' })
})

test('shows by itself that a site breaks and is repaired: within the interval, and at once after a change', async () => {
  const clock = new SteppedClock()
  const { dashboard } = world
  const running = new Visits({
    ...dashboard.deps,
    clock,
    visit,
    findObstacle: async () => undefined,
  })
  const state = async () => {
    const [row] = await dashboard.db.read.all<{ health: string }>(
      sql`select health from sites where id = 1`,
    )
    return row?.health
  }
  /** The seconds until a state; at most `most`. */
  const secondsTo = async (health: string, most: number) => {
    for (let seconds = 0; seconds <= most; seconds++) {
      if ((await state()) === health) return seconds
      await clock.pass(1_000)
      // The database needs real time.
      await Bun.sleep(2)
    }
    return Number.POSITIVE_INFINITY
  }
  running.start()
  expect(await secondsTo('up', 30)).toBeLessThan(30)

  answers.set('a', [BROKEN])
  expect(await secondsTo('down', 360)).toBeWithin(200, 320)
  answers.set('a', [UP])
  expect(await secondsTo('up', 360)).toBeWithin(200, 320)

  answers.set('a', [BROKEN])
  await clock.pass(20_000)
  running.soon(1)
  expect(await secondsTo('down', 30)).toBeLessThan(15)
  const stopped = running.stop()
  await clock.pass(1_000)
  await stopped
})

test('is on the overview, with what to do', async () => {
  answers.set('a', [BROKEN])
  await round()

  const { body } = await world.dashboard.call('GET', '/api/fleet')
  const [first] = Fleet.parse(body).attention
  expect([first?.kind, first?.items[0]?.reason]).toEqual([
    'site_down',
    `${BROKEN.reason}: read its error log, and turn the plugin or theme off`,
  ])
})

test('the worse of the agent and of the request decides, and a state keeps its start', async () => {
  const { agent, clock, site } = world
  agent.health = [up('a.example')]
  answers.set('a', [BROKEN])
  await world.read()
  const since = clock.now().toISOString()
  await round()
  clock.move(MINUTE)

  agent.health = [unwell('a.example', 'down', 'php_failed')]
  expect(await shown()).toMatchObject({
    ...{ health: 'down', health_code: 'php_failed', health_since: since },
  })
  agent.health = [unwell('a.example', 'degraded', 'php_busy')]
  expect(await shown()).toMatchObject({ health_code: 'http_fatal', health_since: since })

  answers.set('a', [UP])
  await round(4 * MINUTE)
  expect(await shown()).toMatchObject({ health: 'degraded', health_code: 'php_busy' })
  agent.health = [up('a.example')]
  expect(await shown()).toMatchObject({ health: 'up', health_code: 'up' })
  expect((await site(1)).health_checks.map(({ check }) => check)).toEqual(['php', 'visit'])
})

test('is the health of a site whose agent reports none or old results', async () => {
  await round()
  expect((await world.listed())[0]).toBe('a up up')

  answers.set('a', [unknown('visit_elsewhere', 'Its name leads elsewhere')])
  await round(5 * MINUTE)
  expect((await world.listed())[0]).toBe('a unknown not_checked')

  answers.set('a', [UP])
  await round(5 * MINUTE)
  const old = { state: 'unknown', code: 'not_checked', reason: 'Old' } as const
  world.agent.health = [{ domain: 'a.example', ...old, checks: [] }]
  expect(await shown()).toMatchObject({ health: 'up' })
})

test('does not believe a result while the name leads elsewhere, and shows the reason', async () => {
  world.agent.health = [up('a.example')]
  answers.set('a', [unknown('visit_cdn', 'Its name leads to Cloudflare, which answers 403')])
  await world.read()
  await round()

  expect(await shown()).toMatchObject({ health: 'up', health_code: 'up' })
  expect((await world.site(1)).health_checks[1]).toMatchObject({ state: 'unknown' })
})

test('says nothing about the sites of a server that cannot be reached', async () => {
  world.agent.health = [up('a.example')]
  await world.read()
  await round()
  answers.set('a', [down('visit_unreachable', 'Its server does not answer')])
  obstacle = offline('no route')
  await round(5 * MINUTE)
  expect(await shown()).toMatchObject({ health: 'up' })

  obstacle = undefined
  await round(MINUTE)
  expect(await shown()).toMatchObject({ health: 'down', health_code: 'visit_unreachable' })
})

test.each([
  ['suspended', "update sites set status = 'suspended' where id = 1"],
  ['discovered', 'update sites set found = 1 where id = 1'],
  [
    'closed for maintenance',
    `insert into site_settings (site_id, settings) values (1, '{"maintenance":{"message":""}}')`,
  ],
])('does not request a site that is %s', async (_, statement) => {
  await run(statement)

  expect(await round()).toBe('bcd')
})

test('requests no site of an offline server', async () => {
  await run("update servers set status = 'offline'")

  expect(await round()).toBe('')
})

test('requests a site again that was requested in the future', async () => {
  await run("update sites set visited_at = '2099-01-01T00:00:00.000Z'")

  expect(await round()).toBe('abcd')
})

test('requests a changed site soon, once for several changes, and not again at once', async () => {
  await round()
  await round(MINUTE)
  await visits.changed(world.server, ['a.example', 'c.example', 'z.example'])
  visits.soon(1)

  expect(await round(1_000)).toBe('')
  expect(await round(2_000)).toBe('ac')
  visits.soon(1)
  expect(await round(3_000)).toBe('')
  expect(await round(15_000)).toBe('a')
  expect(await round(MINUTE)).toBe('')
})

test('an agent reports which sites have changed', async () => {
  const { agent, dashboard, server } = world
  const changes: string[][] = []
  const reader = new HealthReader({
    ...dashboard.deps,
    changed: async (_, domains) => void changes.push([...domains]),
  })
  const read = async (...versions: (string | undefined)[]) => {
    agent.health = versions.map((version, place) => ({
      ...up(`${'abcd'[place]}.example`),
      ...(version !== undefined && { version }),
    }))
    const { metrics, port } = agent
    await reader.update({ id: server, hostname: '127.0.0.1', port, metrics }, dashboard.deps.agents)
  }
  await read('1', '1', undefined)
  await read('1', '2', '1')
  await read(undefined, '2', '2')
  await read('1', '2', '2')

  expect(changes).toEqual([[], ['b.example'], ['c.example'], []])
})

test('requests few sites of a server at the same time, and none twice', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  const first = await visits.look()
  const second = await visits.look()

  expect([first?.length, second?.length, requested.length]).toEqual([4, 0, 2])
  resolve()
  await Promise.all(first ?? [])
  expect(requested).toHaveLength(4)
  expect(concurrent.most).toBe(2)
})

test('forgets the results when it is turned off', async () => {
  world.agent.health = [up('a.example')]
  answers.set('a', [BROKEN])
  await world.read()
  await round()
  await world.dashboard.call('PUT', '/api/settings/visit_interval', { value: 0 })

  expect(await round(10 * MINUTE)).toBe('')
  expect(await shown()).toMatchObject({ health: 'up', visited_at: null })
  expect((await world.site(1)).health_checks.map(({ check }) => check)).toEqual(['php'])
})

test.each([59, 86_401, -1, 1.5, '300'])('refuses the interval %p', async (value) => {
  const refused = await world.dashboard.call('PUT', '/api/settings/visit_interval', { value })

  expect(refused.status).toBe(422)
  expect(refused.body.fields).toEqual({ value: ['Must be 0, or between 60 and 86400'] })
})
