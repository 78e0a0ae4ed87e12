import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Address } from '#dashboard/agents/transport.ts'
import { PulseReader } from '#dashboard/pulse/read-pulse.ts'
import { backgroundSync } from '#dashboard/sync/run-sync.ts'
import type { SiteHealth } from '#shared/agent.ts'
import { PROTOCOL } from '#shared/protocol.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

const up = (domain: string): SiteHealth => {
  const verdict = { state: 'up', code: 'up', reason: '' } as const
  return { domain, ...verdict, checks: [{ check: 'php', ...verdict }] }
}

let clock: HeldClock
let agent: FakeAgent
let dashboard: Dashboard
let reader: PulseReader
let server: Address

beforeEach(async () => {
  clock = new HeldClock()
  agent = new FakeAgent()
  dashboard = await makeDashboard({ clock })
  agent.state = 'v1'
  agent.sites = [found('shop.example')]
  agent.health = [up('shop.example')]
  const { metrics } = agent
  const id = await dashboard.addServer(agent)
  server = { id, hostname: '127.0.0.1', port: agent.port, metrics }
  reader = new PulseReader(dashboard.deps)
  for (const _ of [1, 2, 3]) await sync()
})

afterEach(async () => {
  await agent.stop()
  await dashboard[Symbol.asyncDispose]()
})

const sync = () => backgroundSync(dashboard.deps, server.id)

/** A pulse and what follows; returns the calls that the agent received. */
async function pulse({ wait = 0, with_state = true } = {}): Promise<string[]> {
  agent.asked.length = 0
  const { signal } = new AbortController()
  const answer = await reader.read(server, { wait, with_state, signal })
  await reader.follow(server, answer)
  return [...agent.asked]
}

async function health(): Promise<string> {
  const { body } = await dashboard.call('GET', '/api/fleet/sites')
  return body.sites
    .map(({ domain, health }: Record<string, string>) => `${domain} ${health}`)
    .join()
}

const EVERYTHING = ['GET /pulse', 'GET /sites/health', 'GET /sites/numbers']

describe('a pulse', () => {
  test('is one call while nothing changes', async () => {
    const first = await pulse()
    const next = [await pulse(), await pulse()]

    expect([first, ...next]).toEqual([EVERYTHING, ['GET /pulse'], ['GET /pulse']])
    expect(await health()).toBe('shop.example up')
  })

  test('is followed by what has changed, which is stored', async () => {
    await pulse()
    agent.health = [{ ...up('shop.example'), state: 'down', code: 'php_failed' }]
    const changed = await pulse()
    agent.counted = 60
    const counted = await pulse()

    expect(changed).toEqual(['GET /pulse', 'GET /sites/health'])
    expect(counted).toEqual(['GET /pulse', 'GET /sites/numbers'])
    expect(await health()).toBe('shop.example down')
  })

  test('has the time of a sync while the state is that of the last one', async () => {
    const { signal } = new AbortController()
    const of = { wait: 0, with_state: true, signal }
    const same = await reader.read(server, of)
    agent.state = 'v2'
    const other = await reader.read(server, of)

    expect([same.synced_at, other.synced_at]).toEqual([clock.now().toISOString(), undefined])
  })

  test('without the state leaves the last sync as it is', async () => {
    await pulse({ with_state: false })

    agent.asked.length = 0
    await sync()

    expect(agent.asked).toEqual(['GET /state'])
  })

  test('reads the health of sites again that a sync has recorded meanwhile', async () => {
    await pulse()
    agent.sites = [...agent.sites, found('blog.example')]
    agent.health = [...agent.health, up('blog.example')]
    agent.state = 'v2'
    await pulse()
    const before = await health()
    for (const _ of [1, 2, 3]) await sync()

    expect(await pulse()).toEqual(['GET /pulse', 'GET /sites/health'])
    expect([before, await health()]).toEqual(['shop.example up', 'blog.example up,shop.example up'])
  })

  test('reads everything again after an operation, and after ten minutes', async () => {
    await pulse()
    reader.forget(server.id)
    const after = await pulse()
    clock.move(10 * 60_000)
    await sync()

    expect([after, await pulse()]).toEqual([EVERYTHING, EVERYTHING])
  })

  test('reads what could not be read with the next one', async () => {
    const broken = () => Response.json({ error: 'Internal error' }, { status: 500 })
    agent.answers.set('/sites/health', broken)
    await expect(pulse()).rejects.toMatchObject({ code: 'offline' })
    agent.answers.delete('/sites/health')
    agent.answers.set('/sites/numbers', broken)
    await pulse()
    agent.answers.delete('/sites/numbers')

    expect([await pulse(), await pulse()]).toEqual([
      ['GET /pulse', 'GET /sites/numbers'],
      ['GET /pulse'],
    ])
  })

  test('that is held is answered by a change, within its time', async () => {
    await pulse()
    setTimeout(() => {
      agent.health = []
    }, 50)
    const start = performance.now()

    expect(await pulse({ wait: 20 })).toEqual(['GET /pulse', 'GET /sites/health'])
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  test.each([undefined, PROTOCOL + 1])(
    'of an agent of protocol %p is its metrics',
    async (other) => {
      server.metrics = { ...agent.metrics, protocol: other }

      expect([await pulse(), await pulse()]).toEqual([['GET /metrics'], ['GET /metrics']])
    },
  )

  test.each([
    ['a version of health that is none', { health: 'a b' }],
    ['a time that is none', { counted: -1 }],
    ['no metrics', { metrics: undefined }],
  ])('with %s is refused', async (_, wrong) => {
    const good = { metrics: agent.metrics, version: 'v1', health: 'h', counted: 0 }
    agent.answers.set('/pulse', () => Response.json({ ...good, ...wrong }))
    await expect(pulse()).rejects.toMatchObject({
      ...{ code: 'offline', message: expect.stringContaining('malformed answer') },
    })
  })
})
