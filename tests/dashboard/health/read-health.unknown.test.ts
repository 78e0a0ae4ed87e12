import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Fleet } from '#shared/api/fleet.ts'
import { type HealthWorld, openHealth, unwell, up } from '#tests/support/dashboard/health.ts'

let world: HealthWorld
beforeEach(async () => {
  world = await openHealth()
})
afterEach(() => world.close())

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

  test('of an older agent, which does not know the call, stays unknown', async () => {
    const { agent, read, listed } = world
    agent.answers.set('/sites/health', () => Response.json({ error: 'Not found' }, { status: 404 }))
    await expect(read()).rejects.toMatchObject({ code: 'not_found' })
    expect(await listed('health=unknown')).toHaveLength(4)
  })
})
