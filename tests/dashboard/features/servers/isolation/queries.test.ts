import { describe, expect } from 'bun:test'
import { isolation_checks, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { countOutcomes, type IsolationResult } from '#shared/isolation/isolation.ts'
import {
  type Dashboard,
  makeDashboard,
  serverTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const DAY_MS = 24 * 3600_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

const refused: IsolationResult = {
  id: 'files.configs',
  title: 'Read the wp-config.php of other sites',
  outcome: 'refused',
  detail: '',
}
const through: IsolationResult = {
  id: 'sql.files',
  title: 'Read and write files of the server with SQL',
  outcome: 'succeeded',
  detail: 'from PHP: used LOAD_FILE',
}
const never = {
  ...{ checked_at: null, counts: null, results: null },
  ...{ failures: 0, failed_at: null, reason: '' },
}

/** An agent whose check finds this. */
function finding(results: readonly IsolationResult[]): FakeAgent {
  const agent = new FakeAgent()
  agent.works.set('isolation.check', async function* () {
    yield 'Attacking one site from the other'
    const counts = countOutcomes(results)
    return { status: 'ok', checked_at: '2026-01-01T00:00:00.000Z', counts, results }
  })
  return agent
}

const path = (id: number) => `/api/servers/${id}/isolation-check`
const lastCheck = async (dashboard: Dashboard, id: number) =>
  (await dashboard.call('GET', path(id))).body.isolation_check

async function attention(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/fleet')
  return body.attention.filter(({ kind }: { kind: string }) => kind === 'isolation')
}

async function check(dashboard: Dashboard, id: number): Promise<void> {
  await (await dashboard.send('POST', path(id))).text()
}

describe('the isolation check of a server', () => {
  test('is unknown before the first check', async ({ dashboard, server: id }) => {
    expect(await dashboard.call('GET', path(id))).toEqual({
      status: 200,
      body: { isolation_check: never },
    })
    expect((await dashboard.call('GET', path(99))).status).toBe(404)
    expect((await dashboard.call('POST', path(99))).status).toBe(404)
  })

  test('streams, and its results are stored with the time of the dashboard', async () => {
    await using agent = finding([refused, through])
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const started = new Date().toISOString()

    const text = await (await dashboard.send('POST', path(id))).text()

    expect(text).toContain('{"message":"Attacking one site from the other"}')
    expect(text).toContain('event: complete')
    const found = await lastCheck(dashboard, id)
    expect(found).toEqual({
      ...never,
      checked_at: expect.any(String),
      counts: { refused: 1, succeeded: 1, not_applicable: 0, error: 0 },
      results: [refused, through],
    })
    expect(found.checked_at >= started).toBe(true)
  })

  test('is a critical item of the overview when an attack succeeded', async () => {
    await using agent = finding([refused, through])
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)

    await check(dashboard, id)

    const { checked_at } = await lastCheck(dashboard, id)
    const item = {
      ...{ severity: 'critical', server_id: id, site_id: null, operation_id: null },
      ...{ name: '127.0.0.1', at: checked_at, count: 1, query: null, subject: '' },
      reason:
        '1 attack of one site on another succeeded (“Read and write files of the server with SQL”): its page says what to correct',
    }
    expect(await attention(dashboard)).toEqual([
      { kind: 'isolation', severity: 'critical', total: 1, items: [item], query: null },
    ])
  })

  test('is a warning when it could not run twice in a row, until it does', async () => {
    await using agent = finding([refused])
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    const works = agent.works.get('isolation.check')
    agent.works.set('isolation.check', async function* () {
      yield 'Attacking one site from the other'
      throw new Error('no')
    })

    await check(dashboard, id)
    expect(await attention(dashboard)).toEqual([])
    await check(dashboard, id)

    const failed = await lastCheck(dashboard, id)
    expect(failed).toEqual({
      ...never,
      failures: 2,
      failed_at: expect.any(String),
      reason: expect.any(String),
    })
    expect(await attention(dashboard)).toMatchObject([
      {
        severity: 'warning',
        items: [
          {
            server_id: id,
            at: failed.failed_at,
            reason: expect.stringContaining('could not run 2 times in a row'),
          },
        ],
      },
    ])
    if (works) agent.works.set('isolation.check', works)
    await check(dashboard, id)
    expect(await attention(dashboard)).toEqual([])
    expect(await lastCheck(dashboard, id)).toMatchObject({ failures: 0, reason: '' })
  })

  test('that fails keeps the results of the previous one', async () => {
    await using agent = finding([refused, through])
    await using dashboard = await makeDashboard()
    const id = await dashboard.addServer(agent)
    await check(dashboard, id)
    const { checked_at } = await lastCheck(dashboard, id)
    // biome-ignore lint/correctness/useYield: a work without messages
    agent.works.set('isolation.check', async function* () {
      return { status: 'ok', checked_at, counts: { refused: 1 }, results: [{ id: 'a' }] }
    })

    await check(dashboard, id)

    expect(await lastCheck(dashboard, id)).toMatchObject({
      ...{ checked_at, results: [refused, through], failures: 1 },
    })
    expect((await attention(dashboard))[0].severity).toBe('critical')
  })

  test('joins a running check', async ({ agent, dashboard, server: id }) => {
    const over = Promise.withResolvers<void>()
    agent.works.set('isolation.check', async function* () {
      yield 'Attacking one site from the other'
      await over.promise
      const results = [refused]
      return { status: 'ok', checked_at: ago(0), counts: countOutcomes(results), results }
    })

    const answers = [await dashboard.send('POST', path(id)), await dashboard.send('POST', path(id))]
    over.resolve()

    const [first, second] = answers.map(({ headers }) => headers.get('operation-id'))
    expect(first).toBe(second ?? '')
    for (const answer of answers) expect(await answer.text()).toContain('event: complete')
  })
})

test('one call checks many servers', async () => {
  await using agent = finding([refused])
  await using dashboard = await makeDashboard()
  const ids = [await dashboard.addServer(agent), await dashboard.addServer(agent)]
  const body = { type: 'isolation.check', targets: { server_ids: ids } }

  const { status } = await dashboard.call('POST', '/api/bulk-operations', body)

  expect(status).toBe(202)
  const done = async () => {
    const checks = await Promise.all(ids.map((id) => lastCheck(dashboard, id)))
    return checks.every(({ results }) => results !== null) && checks
  }
  expect(await until(done)).toMatchObject(ids.map(() => ({ results: [refused] })))
})

test('a server that was not checked for three weeks is a warning', async ({
  dashboard,
  server: id,
}) => {
  const site = { php: '8.4', tier: 'small', tls: 'none', managed: true, status: 'active' } as const
  await dashboard.db.write((queries) =>
    queries.insert(sites).values({
      ...{ server_id: id, domain: 'a.example', apex: 'a.example', user: 'a', created_at: ago(30) },
      ...site,
    }),
  )
  const set = (days: number) =>
    dashboard.db.write((queries) =>
      queries
        .insert(isolation_checks)
        .values({ server_id: id, checked_at: ago(days) })
        .onConflictDoUpdate({
          target: isolation_checks.server_id,
          set: { checked_at: ago(days) },
        }),
    )
  const online = (status: 'online' | 'offline') =>
    dashboard.db.write((queries) => queries.update(servers).set({ status }))

  await online('online')
  await set(20)
  expect(await attention(dashboard)).toEqual([])
  await set(22)
  expect(await attention(dashboard)).toMatchObject([
    { severity: 'warning', items: [{ reason: expect.stringMatching(/was checked last on 20/) }] },
  ])
  await online('offline')
  expect(await attention(dashboard)).toEqual([])
})
