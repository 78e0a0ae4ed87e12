import { describe, expect, test } from 'bun:test'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { siteNews } from '#dashboard/kernel/live/detect-changes.ts'
import { Subscriber } from '#dashboard/kernel/live/feed.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { FleetNews } from '#shared/operations/api/live.ts'
import { SteppedClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended, tenLines } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

/** News as `operation running 3 "Line 3"` or `site 1 of 2`. */
function shown({ data }: StoredEvent): string {
  const news = FleetNews.parse(data)
  if (news.kind === 'operation')
    return `operation ${news.operation.status} ${news.event_id} ${JSON.stringify(news.message)}`
  return `${news.kind} ${news.id}${news.kind === 'site' ? ` of ${news.server_id}` : ''}`
}

const OWNER: Caller = {
  user: { id: 1, email: 'owner@control.example', name: 'Owner' },
  grants: ['owner'],
  parts: [],
  jti: 'session',
}

/** The news of a listener, until it disconnects. */
async function listen(dashboard: Dashboard) {
  const leaving = new AbortController()
  const events = await dashboard.deps.feed.listen(OWNER)
  const received: StoredEvent[] = []
  const read = async () => {
    for await (const event of events(leaving.signal)) received.push(event)
  }
  const over = read()
  return {
    received,
    /** The news since the last call. */
    news: () => received.splice(0).map(shown),
    leave: () => {
      leaving.abort()
      return over
    },
  }
}

/** A dashboard with a server, in which only the test moves the clock. */
async function steppedDashboard() {
  const clock = new SteppedClock()
  const dashboard = await makeDashboard({ clock })
  await dashboard.call('POST', '/api/servers', { hostname: 'web.example' })
  return { clock, dashboard }
}

async function addOperation(dashboard: Dashboard, more: Partial<OperationRow>): Promise<void> {
  const now = dashboard.deps.clock.now().toISOString()
  const times = { deadline_at: now, created_at: now }
  const known = { id: 'one', type: 'site.scan', server_id: 1, domain: 'a.example' } as const
  await dashboard.db.write((queries) =>
    queries
      .insert(operations)
      .values({ ...known, params: {}, status: 'running', ...times, ...more })
      .onConflictDoUpdate({ target: operations.id, set: { id: 'one', ...more } }),
  )
}

async function addLines(dashboard: Dashboard, from: number, to: number): Promise<void> {
  for (let id = from; id <= to; id++) {
    const row = { operation_id: 'one', id, event: 'log', data: { message: `Line ${id}` } } as const
    await dashboard.db.write((queries) => queries.insert(operation_events).values(row))
    dashboard.deps.bus.notify('one')
  }
}

describe('the events of the fleet', () => {
  test('report an operation, its site and server when it starts, proceeds and ends', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', tenLines)
    const server = await dashboard.addServer(agent)
    const listener = await listen(dashboard)

    const id = await createSite(dashboard, server)
    await ended(dashboard, id)
    const last = await until(() =>
      listener.received.find((event) => shown(event).startsWith('operation success')),
    )
    await until(() =>
      listener.received.some((event) => event.id > last.id && event.data.kind === 'server'),
    )
    await listener.leave()

    expect(shown(last)).toBe('operation success 11 "Line 10"')
    expect(listener.received.map((event) => event.id)).toEqual(
      listener.received.map((_, at) => at + 1),
    )
    expect(new Set(listener.news().filter((text) => !text.startsWith('operation')))).toEqual(
      new Set(['site 1 of 1', 'server 1']),
    )
    const { body } = await dashboard.call('GET', '/api/operations')
    expect(body.operations[0]).toMatchObject({ id, last_line: 'Line 10' })
  })

  test('report fast lines at most four times a second, and the last one at the end', async () => {
    const { clock, dashboard: made } = await steppedDashboard()
    await using dashboard = made
    await addOperation(dashboard, {})
    const listener = await listen(dashboard)

    for (let tenth = 0; tenth < 10; tenth++) {
      await addLines(dashboard, 10 * tenth + 1, 10 * tenth + 10)
      await clock.pass(100)
    }
    await clock.pass(1_000)
    await listener.leave()

    const news = listener.news()
    expect(news.length).toBeWithin(2, 7)
    expect(news.at(-1)).toBe('operation running 100 "Line 100"')
    await clock.pass(5_000)
  })

  test('report no earlier changes, and each change once', async () => {
    const { clock, dashboard: made } = await steppedDashboard()
    await using dashboard = made
    await addOperation(dashboard, {})
    await addOperation(dashboard, {
      id: 'two',
      status: 'failed',
      finished_at: clock.now().toISOString(),
    })
    const listener = await listen(dashboard)
    await clock.pass(5_000)
    const before = listener.news()

    await addOperation(dashboard, { id: 'one', cancel: 'graceful' })
    await clock.pass(5_000)
    const after = listener.news()
    await clock.pass(20_000)
    await listener.leave()

    expect([before, after, listener.news()]).toEqual([[], ['operation running 0 ""'], []])
    await clock.pass(5_000)
  })

  test('report servers that are added, changed and deleted', async () => {
    const { clock, dashboard: made } = await steppedDashboard()
    await using dashboard = made
    const listener = await listen(dashboard)
    const batches: string[][] = []
    for (const [method, path, body] of [
      ['POST', '/api/servers', { hostname: 'other.example' }],
      ['PATCH', '/api/servers/2', { tags: ['eu'] }],
      ['DELETE', '/api/servers/2', undefined],
    ] as const) {
      await dashboard.call(method, path, body)
      await clock.pass(5_000)
      batches.push(listener.news())
    }
    await listener.leave()

    expect(batches).toEqual([['server 2'], ['server 2'], ['server 2']])
    await clock.pass(5_000)
  })

  test('report sites that a sync discovered', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.sites = [found('alpha.example')]
    const server = await dashboard.addServer(agent)
    const listener = await listen(dashboard)

    await (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
    await until(() => listener.received.some(({ data }) => data.kind === 'site'))
    await listener.leave()

    expect(listener.news()).toContain(`site null of ${server}`)
  })

  test('reach every listener, also one that connects after the last has left', async () => {
    const { clock, dashboard: made } = await steppedDashboard()
    await using dashboard = made
    const [first, second] = [await listen(dashboard), await listen(dashboard)]
    await addOperation(dashboard, {})
    await clock.pass(3_000)
    const earlier = [first.news(), second.news()]
    await Promise.all([first.leave(), second.leave()])
    await clock.pass(10_000)
    await addLines(dashboard, 1, 1)

    const third = await listen(dashboard)
    await addLines(dashboard, 2, 2)
    await clock.pass(3_000)
    await third.leave()

    const begins = ['operation running 0 ""', 'server 1']
    expect([...earlier, third.news()]).toEqual([begins, begins, ['operation running 2 "Line 2"']])
    await clock.pass(5_000)
  })
})

describe('GET /api/fleet/events', () => {
  test('is a stream that ends with the session', async () => {
    await using dashboard = await makeDashboard()
    await dashboard.call('POST', '/api/servers', { hostname: '127.0.0.1', port: 1 })
    const response = await dashboard.send('GET', '/api/fleet/events')
    await createSite(dashboard, 1)
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('"kind":"server"')) await dashboard.call('POST', '/api/auth/logout')
    }

    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(text).toMatch(/id: 1\nevent: log\ndata: {"kind":"operation",.*\n\n/)
    expect(text).toContain('data: {"kind":"server","message":"","id":1}\n\n')
    expect(text).not.toContain('event: complete')
  })
})

describe('a client that reads slowly', () => {
  test('gets the latest state of each object', async () => {
    const subscriber = new Subscriber()
    const leaving = new AbortController()
    const news = (kind: 'server' | 'bulk', id: number): FleetNews =>
      kind === 'server' ? { kind, message: '', id } : { kind, message: '', id: String(id) }
    subscriber.receive([news('server', 1), news('server', 2)])
    subscriber.receive([news('server', 1), news('bulk', 1), siteNews(null, 1), siteNews(null, 2)])
    subscriber.receive([siteNews(null, 1), siteNews(3, 1)])
    const received: string[] = []

    for await (const event of subscriber.events(leaving.signal)) {
      received.push(`${event.id} ${shown(event)}`)
      if (received.length === 6) leaving.abort()
    }

    expect(received).toEqual([
      '1 server 1',
      '2 server 2',
      '3 bulk 1',
      '4 site null of 1',
      '5 site null of 2',
      '6 site 3 of 1',
    ])
  })
})
