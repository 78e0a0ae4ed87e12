import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Fleet } from '#shared/api/fleet.ts'
import {
  FAILED,
  type HealthWorld,
  openHealth,
  unwell,
  up,
} from '#tests/support/dashboard/health.ts'

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
