// tier: gate
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readPulse, storeChanges, syncState } from '#dashboard/features/servers/pulse/read-pulse.ts'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
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
let server: AgentAddress

beforeEach(async () => {
  clock = new HeldClock()
  agent = new FakeAgent()
  dashboard = await makeDashboard({ clock })
  agent.sites = [found('shop.example')]
  agent.health = [up('shop.example')]
  const { metrics } = agent
  const id = await dashboard.addServer(agent)
  server = { id, hostname: '127.0.0.1', port: agent.port, metrics }
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
  const answer = await readPulse(dashboard.deps, server, { wait, with_state, signal })
  await storeChanges(dashboard.deps, server, answer)
  await syncState(dashboard.deps, server, answer)
  return [...agent.asked]
}

async function health(): Promise<string> {
  const { body } = await dashboard.call('GET', '/api/fleet/sites')
  return body.sites
    .map(({ domain, health }: Record<string, string>) => `${domain} ${health}`)
    .join()
}

const ONE = ['GET /changes']

describe('a pulse', () => {
  test('is one call, whether or not something has changed, which is stored', async () => {
    const calls = [await pulse(), await pulse()]
    agent.health = [{ ...up('shop.example'), state: 'down', code: 'php_failed' }]
    calls.push(await pulse())
    agent.counted = 60
    calls.push(await pulse(), await pulse())

    expect(calls).toEqual([ONE, ONE, ONE, ONE, ONE])
    expect(await health()).toBe('shop.example down')
  })

  test('asks for the versions of what is stored', async () => {
    const since: string[] = []
    const asked = async () => {
      await pulse()
      since.push(new URL(agent.urls.at(-1) ?? '').searchParams.get('since') ?? '')
    }
    await asked()
    agent.counted = 60
    await asked()
    await asked()

    const { health, state } = dashboard.deps.stored.of(server.id)
    expect(since).toEqual([
      `health. numbers.0 state.${state}`,
      `health.${health} numbers.0 state.${state}`,
      `health.${health} numbers.60 state.${state}`,
    ])
  })

  test('has the time of a sync while the state is that of the last one', async () => {
    const { signal } = new AbortController()
    const of = { wait: 0, with_state: true, signal }
    const same = await readPulse(dashboard.deps, server, of)
    agent.services = [{ name: 'nginx', status: 'running' }]
    const other = await readPulse(dashboard.deps, server, of)

    expect([same.synced_at, other.synced_at]).toEqual([clock.now().toISOString(), undefined])
  })

  test('records another state that it has returned, and nothing is asked again', async () => {
    agent.sites = [...agent.sites, found('blog.example')]
    agent.health = [...agent.health, up('blog.example')]

    const calls = await pulse()

    expect(calls).toEqual(ONE)
    expect(await health()).toBe('blog.example null,shop.example up')
    // Its columns are filled, then nothing changes.
    for (const _ of [1, 2]) await sync()
    expect(await pulse()).toEqual(ONE)
    expect(await health()).toBe('blog.example up,shop.example up')
    expect(dashboard.deps.stored.of(server.id).state).toBeString()
  })

  test('without the state compares the rest alone', async () => {
    await pulse({ with_state: false })

    agent.sites = []
    await pulse({ with_state: false })

    expect(await health()).toBe('shop.example up')
  })

  test('does not record a state that is older than an operation', async () => {
    await pulse()
    const { signal } = new AbortController()
    agent.sites = []
    const old = await readPulse(dashboard.deps, server, { wait: 0, with_state: true, signal })
    agent.sites = [found('shop.example')]
    dashboard.deps.stored.forget(server.id)
    agent.asked.length = 0

    await syncState(dashboard.deps, server, old)

    expect(agent.asked).toEqual(ONE)
    expect(await health()).toBe('shop.example up')
  })

  test('has everything again after an operation, and after ten minutes', async () => {
    const { stored } = dashboard.deps
    const numbered = async () => {
      await pulse()
      const { health, numbers } = stored.of(server.id)
      return [health, numbers]
    }
    const before = await numbered()
    stored.forget(server.id)
    const forgotten = stored.of(server.id).health
    const after = await numbered()
    clock.move(10 * 60_000)

    expect([forgotten, stored.of(server.id).health]).toEqual([undefined, undefined])
    expect([after, await numbered()]).toEqual([before, before])
  })

  test('asks alone for what was left out, and again for what could not be read', async () => {
    const broken = () => Response.json({ error: 'Internal error' }, { status: 500 })
    agent.answers.set('/sites/health', broken)
    await expect(pulse()).rejects.toMatchObject({ code: 'offline' })
    agent.answers.delete('/sites/health')
    agent.answers.set('/sites/numbers', broken)
    agent.counted = 60
    const failed = await pulse()
    const again = await pulse()
    agent.answers.delete('/sites/numbers')

    const two = [...ONE, 'GET /sites/numbers']
    expect([failed, again, await pulse()]).toEqual([two, two, ONE])
    expect(dashboard.deps.stored.of(server.id).numbers).toBe('60')
  })

  test('that is held is answered by a change, within its time', async () => {
    await pulse()
    setTimeout(() => {
      agent.health = []
    }, 50)
    const start = performance.now()

    expect(await pulse({ wait: 20 })).toEqual(ONE)
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  test.each([undefined, PROTOCOL + 1])(
    'of an agent of protocol %p is its metrics',
    async (other) => {
      server.metrics = { ...agent.metrics, protocol: other }

      expect([await pulse(), await pulse()]).toEqual([['GET /metrics'], ['GET /metrics']])
    },
  )

  test.each<[string, object]>([
    ['a version that is none', { versions: { health: 'a b' } }],
    ['the version of another part', { versions: { disk: 'a' } }],
    ['no metrics', { metrics: undefined }],
    ['a list of answers', { answers: [] }],
  ])('with %s is refused', async (_, wrong) => {
    const good = { metrics: agent.metrics, versions: { health: 'h' }, answers: {} }
    agent.answers.set('/changes', () => Response.json({ ...good, ...wrong }))
    await expect(pulse()).rejects.toMatchObject({
      ...{ code: 'offline', message: expect.stringContaining('malformed answer') },
    })
  })
})
