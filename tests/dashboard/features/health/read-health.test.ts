import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Fleet } from '#shared/overview/api/fleet.ts'
import {
  FAILED,
  type HealthWorld,
  openHealth,
  unwell,
  up,
} from '#tests/support/dashboard/health.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

let world: HealthWorld

beforeEach(async () => {
  world = await openHealth()
})

afterEach(() => world.close())

describe('the health of sites', () => {
  test('is unknown until an agent reports it, and then has state, reason and time', async () => {
    const { agent, clock, read, listed, site } = world
    expect(await listed()).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => `${name} unknown not_checked`),
    )
    clock.move(60_000)
    const reported_at = clock.now().toISOString()
    agent.health = [up('a.example'), unwell('b.example', 'down', 'php_failed')]
    await read()

    clock.move(60_000)
    agent.health = [up('a.example'), unwell('b.example', 'down', 'php_stopped', 'PHP does not run')]
    await read()

    expect(await listed()).toEqual([
      'a up up',
      'b down php_stopped',
      'c unknown not_checked',
      'd unknown not_checked',
    ])
    expect(await site(2)).toMatchObject({
      health: 'down',
      health_code: 'php_stopped',
      health_reason: 'PHP does not run',
      health_since: reported_at,
      health_checks: [
        { check: 'php', state: 'down', code: 'php_stopped', reason: 'PHP does not run' },
      ],
    })
  })

  test('filters and orders the list, worst first, and is counted', async () => {
    const { agent, dashboard, server, read, listed } = world
    agent.health = [
      up('a.example'),
      unwell('b.example', 'degraded', 'php_busy'),
      unwell('c.example', 'down', 'php_failed'),
    ]
    await read()

    expect(await listed('sort=health')).toEqual([
      'c down php_failed',
      'b degraded php_busy',
      'd unknown not_checked',
      'a up up',
    ])
    expect(await listed('health=down,degraded')).toEqual([
      'b degraded php_busy',
      'c down php_failed',
    ])
    expect(await listed('health=up')).toEqual(['a up up'])
    const ids = await dashboard.call('GET', '/api/fleet/sites/ids?health=down')
    expect(ids.body.total).toBe(1)
    const { body } = await dashboard.call('GET', '/api/fleet')
    expect(Fleet.parse(body).counts.health).toEqual({ up: 1, degraded: 1, down: 1, unknown: 1 })
    const of = await dashboard.call('GET', `/api/fleet/servers/${server}`)
    expect(of.body.server.health).toEqual({ up: 1, degraded: 1, down: 1, unknown: 1 })
  })

  test('is on the overview by domain, with what to do', async () => {
    const { agent, dashboard, read } = world
    agent.health = [
      unwell('b.example', 'degraded', 'certificate_missing', 'Its certificate is missing'),
      unwell('c.example', 'down', 'php_failed'),
    ]
    await read()
    const { body } = await dashboard.call('GET', '/api/fleet')
    const overview = Fleet.parse(body)
      .attention.slice(0, 2)
      .map(({ kind, severity, total, query, items }) => ({
        ...{ kind, severity, total, query },
        items: items.map(({ name, reason, site_id }) => ({ name, reason, site_id })),
      }))
    expect(overview).toEqual([
      {
        ...{ kind: 'site_down', severity: 'critical', total: 1, query: { health: 'down' } },
        items: [
          {
            name: 'c.example',
            reason: `${FAILED}: restart its PHP, and read its log if it fails again`,
            site_id: 3,
          },
        ],
      },
      {
        ...{ kind: 'site_degraded', severity: 'warning', total: 1, query: { health: 'degraded' } },
        items: [
          {
            name: 'b.example',
            reason:
              'Its certificate is missing: make sure that its domain points to this server, then issue it again',
            site_id: 2,
          },
        ],
      },
    ])
  })

  test('of a discovered site says what to do on its server', async () => {
    const { agent, dashboard, read, site } = world
    await dashboard.db.write((queries) =>
      queries.run("update sites set managed = 0, found = 1 where domain = 'b.example'"),
    )
    agent.health = [unwell('b.example', 'down', 'http_gateway', 'Its front page answers 502')]
    await read()
    const { body } = await dashboard.call('GET', '/api/fleet')
    const reason = 'Its front page answers 502: look at its log on its server'
    expect(Fleet.parse(body).attention[0]).toMatchObject({
      ...{ kind: 'site_down', items: [{ name: 'b.example', reason }] },
    })
    expect(await site(2)).toMatchObject({ health: 'down', found: true })
  })
})

test('unchanged states are not written', async () => {
  const { agent, dashboard, read } = world
  agent.health = agent.sites.map(({ domain }) => up(domain))
  await read()
  let writes = 0
  const { write } = dashboard.db
  dashboard.db.write = (work) => {
    writes += 1
    return write(work)
  }
  for (let times = 0; times < 5; times++) await read()
  expect(writes).toBe(0)
})

test('a state whose write failed is written at the next reading', async () => {
  const { agent, dashboard, read, site } = world
  agent.health = [up('a.example')]
  await read()
  const { write } = dashboard.db
  dashboard.db.write = async () => {
    dashboard.db.write = write
    throw new Error('The database is busy')
  }
  agent.health = [unwell('a.example', 'down', 'php_failed')]

  await expect(read()).rejects.toThrow('The database is busy')
  await read()

  expect(await site(1)).toMatchObject({ health: 'down', health_code: 'php_failed' })
})

describe('a hostile agent', () => {
  test('reports only the sites of its own server', async () => {
    const { agent, dashboard, read, listed } = world
    await using other = new FakeAgent()
    other.services = agent.services
    other.sites = [found('other.example')]
    const id = await dashboard.addServer(other)
    await (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()
    agent.health = [unwell('other.example', 'down', 'php_failed'), up('nowhere.example')]
    await read()
    expect(await listed('health=down')).toEqual([])
  })

  test.each<[string, unknown]>([
    ['a state that is none', { ...up('a.example'), state: 'on fire' }],
    ['a code that is none', { ...up('a.example'), code: '<script>' }],
    ['too many checks', { ...up('a.example'), checks: Array(50).fill(up('a').checks[0]) }],
    ['something else', 'up'],
  ])('with %s is ignored', async (_, entry) => {
    const { agent, read, listed } = world
    agent.answers.set('/sites/health', () => Response.json({ sites: [up('b.example'), entry] }))
    await expect(read()).rejects.toMatchObject({ code: 'offline' })
    expect(await listed('health=up')).toEqual([])
  })

  test('with long reasons gets them shortened', async () => {
    const { agent, read, site } = world
    agent.health = [unwell('a.example', 'down', 'php_failed', 'x'.repeat(5000))]
    await read()
    expect((await site(1)).health_reason).toBe('x'.repeat(500))
  })

  test('with changing states changes at most 2,000 records a minute', async () => {
    const { agent, dashboard, clock, read } = world
    const changes: number[] = []
    const { write } = dashboard.db
    dashboard.db.write = (work) => {
      changes.push(1)
      return write(work)
    }
    const many = Array.from({ length: 1500 }, (_, at) => `site${at}.example`)
    for (const reason of ['one', 'two', 'three']) {
      agent.health = many.map((domain) => unwell(domain, 'down', 'php_failed', reason))
      await read()
    }
    // In writes of 200 each: eight of the first answer, three of what is left of the budget.
    expect(changes.length).toBe(8 + 3)
    clock.move(61_000)
    await read()
    expect(changes.length).toBeGreaterThan(11)
  })
})

describe('the health of sites', () => {
  test('is unknown three minutes after the last contact with the server', async () => {
    const { agent, dashboard, clock, read, listed, site } = world
    agent.health = [up('a.example'), unwell('b.example', 'down', 'php_failed')]
    await read()
    const contacted_at = clock.now().toISOString()
    clock.move(3 * 60_000 + 1)
    expect(await listed('health=unknown')).toHaveLength(4)
    expect(await site(2)).toMatchObject({
      ...{
        health: 'unknown',
        health_code: 'no_contact',
        health_since: contacted_at,
        health_checks: [],
      },
    })
    const { body } = await dashboard.call('GET', '/api/fleet')
    expect(Fleet.parse(body).counts.health).toEqual({ unknown: 4 })
    expect(body.attention.some(({ kind }: { kind: string }) => kind === 'site_down')).toBe(false)
  })

  test('is unknown while the server is offline, and unchanged when it is back', async () => {
    const { agent, dashboard, server, read, listed, site } = world
    agent.health = [up('a.example'), unwell('b.example', 'down', 'php_failed')]
    await read()
    const before = await site(2)
    const { port } = agent
    await agent.stop()
    for (let times = 0; times < 3; times++)
      await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
    const away = await site(2)
    expect(away).toMatchObject({ health: 'unknown', health_code: 'server_offline' })
    expect(away.health_reason).toStartWith(
      `Its server is offline: The agent on 127.0.0.1:${port} refused the connection`,
    )
    expect(await listed('health=down')).toEqual([])

    agent.listen()
    await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
    expect(await site(2)).toEqual({ ...before, operations: (await site(2)).operations })
  })

  test('exists for sites in use alone, not for missing, suspended or trashed ones', async () => {
    const { agent, dashboard, read, listed } = world
    agent.health = agent.sites.map(({ domain }) => up(domain))
    await read()
    for (const [id, status] of [
      [1, 'trashed'],
      [2, 'suspended'],
      [3, 'missing'],
    ] as const)
      await dashboard.db.write((queries) =>
        queries.run(`update sites set status = '${status}' where id = ${id}`),
      )
    expect(await listed()).toEqual(['a null ', 'b null ', 'c null ', 'd up up'])
    const { body } = await dashboard.call('GET', '/api/fleet')
    expect(body.counts.health).toEqual({ up: 1 })
  })
})
