import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { DisposableAgent } from '#tests/support/dashboard/dashboard.ts'
import { type HealthWorld, openHealth, unwell, up } from '#tests/support/dashboard/health.ts'
import { found } from '#tests/support/dashboard/sites.ts'

let world: HealthWorld
beforeEach(async () => {
  world = await openHealth()
})
afterEach(() => world.close())

describe('a hostile agent', () => {
  test('reports only the sites of its own server', async () => {
    const { agent, dashboard, read, listed } = world
    await using other = new DisposableAgent()
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
