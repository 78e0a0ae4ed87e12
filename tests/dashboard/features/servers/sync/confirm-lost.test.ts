import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { confirmLost, syncOrProbe } from '#dashboard/features/servers/sync/confirm-lost.ts'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { offline } from '#shared/kernel/errors.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

let agent: FakeAgent
let dashboard: Dashboard
let id: number

beforeEach(async () => {
  agent = new FakeAgent()
  dashboard = await makeDashboard({ clock: new HeldClock() })
  id = await dashboard.addServer(agent)
  await backgroundSync(dashboard.deps, id)
})

afterEach(async () => {
  await agent.stop()
  await dashboard[Symbol.asyncDispose]()
})

async function shown() {
  const { server } = (await dashboard.call('GET', `/api/fleet/servers/${id}`)).body
  return [server.status, server.failures, server.status_reason.replace(/:\d+/, '')]
}

const error = offline('The agent did not answer a pulse')
const confirm = () => confirmLost(dashboard.deps, id, { error })

describe('a server that missed a call', () => {
  test('stays online when it answers the next one', async () => {
    await confirm()
    expect(await shown()).toEqual(['online', 0, ''])
  })

  test('is offline after three failed contacts, with the reason of the last one', async () => {
    await agent.stop()
    await confirm()
    const reason = 'The agent on 127.0.0.1 refused the connection'
    expect(await shown()).toEqual(['offline', 3, reason])
    const { body } = await dashboard.call('GET', '/api/activity?type=server.sync')
    expect(body.activities).toMatchObject([{ status: 'failed' }, { status: 'success' }])
  })

  test('is not contacted further when the dashboard stops', async () => {
    await agent.stop()
    await confirmLost(dashboard.deps, id, { error, signal: AbortSignal.abort() })
    expect(await shown()).toMatchObject(['online', 0, ''])
  })
})

describe('an offline server', () => {
  beforeEach(async () => {
    await agent.stop()
    await confirm()
  })

  test('is tried with a connection, which records nothing new', async () => {
    const before = await dashboard.db.version()
    expect(await syncOrProbe(dashboard.deps, id)).toBe('offline')
    expect(await dashboard.db.version()).toEqual(before)
  })

  test('shows a new reason', async () => {
    await dashboard.db.write((queries) =>
      queries.update(servers).set({ hostname: '127.0.0.2' }).where(eq(servers.id, id)),
    )
    expect(await syncOrProbe(dashboard.deps, id)).toBe('offline')
    expect((await shown()).at(-1)).toBe('The agent on 127.0.0.2 refused the connection')
  })

  test('is online again with the first contact after it answers', async () => {
    const again = new FakeAgent()
    await dashboard.db.write((queries) =>
      queries.update(servers).set({ port: again.port }).where(eq(servers.id, id)),
    )
    expect(await syncOrProbe(dashboard.deps, id)).toBe('answered')
    expect(await shown()).toEqual(['online', 0, ''])
    await again.stop()
  })
})

test('a server that has been enrolled and restarts its agent is tried again soon', async () => {
  await dashboard.db.write((queries) =>
    queries.update(servers).set({ status: 'pending' }).where(eq(servers.id, id)),
  )
  await agent.stop()
  expect(await syncOrProbe(dashboard.deps, id)).toBe('pending')

  const pinned = { certificate: '', public_key: '', enrolled_at: '2026-01-01T00:00:00Z' }
  await dashboard.db.write((queries) =>
    queries.insert(server_agents).values({ server_id: id, ...pinned }),
  )
  expect(await syncOrProbe(dashboard.deps, id)).toBe('offline')
})

describe('a server that was never online', () => {
  const pending = async () => {
    const { body } = await dashboard.call('POST', '/api/servers', {
      hostname: '127.0.0.3',
      port: 1,
    })
    id = body.server.id
    return id
  }

  test('is tried with a connection, which records its reason once', async () => {
    const first = await syncOrProbe(dashboard.deps, await pending())
    const before = await dashboard.db.version()
    const then = await syncOrProbe(dashboard.deps, id)

    expect([first, then]).toEqual(['pending', 'pending'])
    expect(await dashboard.db.version()).toEqual(before)
    expect(await shown()).toEqual(['pending', 1, 'The agent on 127.0.0.3 refused the connection'])
  })

  test('is not contacted in production before it is enrolled', async () => {
    await using production = await makeDashboard({ production: true })
    const { body } = await production.call('POST', '/api/servers', { hostname: '192.0.2.1' })

    expect(await syncOrProbe(production.deps, body.server.id)).toBe('pending')

    const { server } = (await production.call('GET', `/api/fleet/servers/${body.server.id}`)).body
    expect(server.status_reason).toStartWith('The server is not enrolled yet')
  })
})
