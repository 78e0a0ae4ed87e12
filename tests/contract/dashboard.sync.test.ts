import { beforeAll, describe, expect, test } from 'bun:test'
import { totalmem } from 'node:os'
import { answerOf, eventsOf } from '#tests/support/client.ts'
import { agentRuntimes } from '#tests/support/processes.ts'
import { checkRows, expectAnswer, notFound, type Row } from '#tests/support/rows.ts'
import { useAgent, useDashboard } from '#tests/support/running.ts'
import { StubAgent } from '#tests/support/stub-agent.ts'
import packageJson from '../../package.json' with { type: 'json' }

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const offline = { error: 'Agent offline', message: expect.any(String) }
const sync = { method: 'POST', path: '/api/servers/1/sync' }
const log = (id: number) => ({ id, event: 'log', data: { message: expect.any(String) } })

describe.each(agentRuntimes)('a server whose agent is %s', (runtime) => {
  const agent = useAgent(runtime)
  const { client } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.running().port })
  })

  test('is synced as a stream of log events and one complete event with status and sites', async () => {
    const answer = await client().send(sync)

    expectAnswer(answer, {
      status: 200,
      answerHeaders: {
        'content-type': /^text\/event-stream/,
        'cache-control': /no-store/,
        'operation-id': /^[A-Za-z0-9_-]{1,64}$/,
      },
    })
    const events = eventsOf(answer.text)
    const last = events.length
    expect(last).toBeGreaterThan(1)
    const complete = { id: last, event: 'complete', data: { status: 'ok', sites: 0 } }
    expect(events).toEqual([...events.slice(0, -1).map((_, index) => log(index + 1)), complete])
  })

  test('is told again event for event, from any event', async () => {
    const { headers, text } = await client().send(sync)
    const path = `/api/operations/${headers.get('operation-id')}/events`
    const events = eventsOf(text)

    for (let seen = 0; seen <= events.length; seen += 1) {
      const again = await client().send({ path, headers: { 'last-event-id': String(seen) } })

      expect(again.status).toBe(200)
      expect(eventsOf(again.text)).toEqual(events.slice(seen))
    }
    const nonsense = await client().send({ path, headers: { 'last-event-id': '1e1' } })
    expect(eventsOf(nonsense.text)).toEqual(events)
  })

  test('shows what its agent reported', async () => {
    await client().send(sync)

    const { body } = await client().get('/api/servers/1')

    const { server } = body as { server: { metrics: { ram: { total: number } } } }
    expect(server).toEqual({
      id: 1,
      name: '127.0.0.1',
      hostname: '127.0.0.1',
      port: agent.running().port,
      tags: [],
      os: expect.stringMatching(/\S/),
      version: packageJson.version,
      sites_count: 0,
      metrics: {
        cpu: expect.any(Number),
        ram: { used: expect.any(Number), total: expect.any(Number), unit: 'MB' },
      },
    } as never)
    expect(Math.abs(server.metrics.ram.total - totalmem() / 2 ** 20)).toBeLessThan(2)
    const { body: list } = await client().get('/api/servers')
    expect((list as { servers: object[] }).servers[0]).toHaveProperty('last_sync', moment)
  })

  test('is online then, and the activity has its syncs', async () => {
    await client().send(sync)

    const fleet = (await client().get('/api/fleet')).body as { servers: { status: string }[] }
    expect(fleet.servers.map(({ status }) => status)).toEqual(['online'])
    const { body } = await client().get('/api/activity?type=server.sync&limit=1')
    expect((body as { activities: object[] }).activities).toEqual([
      {
        id: expect.any(Number),
        type: 'server.sync',
        domain: '127.0.0.1',
        status: 'success',
        created_at: moment,
      },
    ])
  })

  test('is synced by many at once without harm', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => client().send(sync)))

    for (const { status, text } of answers) {
      expect(status).toBe(200)
      const kinds = eventsOf(text).map(({ event }) => event)
      expect(kinds.filter((kind) => kind !== 'log')).toEqual(['complete'])
    }
  })

  test('cannot be scanned for a site that its agent does not have: 404 before any event', async () => {
    await client().post('/api/servers/1/sites', { domain: 'nobody.example', tls: 'none' })
    const [site] = (
      (await client().get('/api/servers/1/sites')).body as { sites: { id: number }[] }
    ).sites

    const answer = await client().post('/api/servers/1/wp-scan', { site_id: site?.id })

    expect([404, 409]).toContain(answer.status)
    expect(answer.headers.get('content-type')).toStartWith('application/json')
  })
})

const away: Row[] = [
  {
    sentence: 'A sync is 503',
    ...sync,
    status: 503,
    answer: offline,
  },
  {
    sentence: 'A sync of an unknown server is 404',
    method: 'POST',
    path: '/api/servers/9/sync',
    status: 404,
    answer: notFound('Server'),
  },
  {
    sentence: 'A scan of an unknown site is 404',
    method: 'POST',
    path: '/api/servers/1/wp-scan',
    body: { site_id: 9 },
    status: 404,
    answer: notFound('Site'),
  },
  {
    sentence: 'A scan of a site of another server is 404',
    method: 'POST',
    path: '/api/servers/2/wp-scan',
    body: { site_id: 1 },
    status: 404,
    answer: notFound('Site'),
  },
  {
    sentence: 'Provisioning is 503',
    method: 'POST',
    path: '/api/servers/1/provision',
    body: {},
    status: 503,
    answer: offline,
  },
  {
    sentence: 'Restarting a service is 503',
    method: 'POST',
    path: '/api/servers/1/services/restart',
    body: { service: 'nginx' },
    status: 503,
    answer: offline,
  },
  {
    sentence: 'Reading a database password is 503',
    method: 'POST',
    path: '/api/servers/1/sites/1/db-password',
    status: 503,
    answer: offline,
  },
  {
    sentence: 'A sync of a server that is not on loopback and not enrolled is 503',
    method: 'POST',
    path: '/api/servers/2/sync',
    status: 503,
    answer: offline,
  },
]

describe('a server whose agent is away', () => {
  const { client } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers', { hostname: '192.0.2.1' })
    await client().post('/api/servers/1/sites', { domain: 'shop.example' })
  })

  checkRows(client, away)

  test('is online until three contacts in a row have failed, and offline then', async () => {
    const stub = new StubAgent()
    const { body } = await client().post('/api/servers', { hostname: '127.0.0.1', port: stub.port })
    const { id } = (body as { server: { id: number } }).server
    const contact = async () => (await client().post(`/api/servers/${id}/sync`)).status
    const state = async () => {
      const answer = await client().get(`/api/fleet/servers/${id}`)
      return (answer.body as { server: { status: string; failures: number } }).server
    }
    expect(await contact()).toBe(200)
    expect(await state()).toMatchObject({ status: 'online', failures: 0 })
    await stub.stop()

    for (const [failures, status] of [
      [1, 'online'],
      [2, 'online'],
      [3, 'offline'],
      [4, 'offline'],
    ]) {
      expect(await contact()).toBe(503)
      expect(await state()).toMatchObject({ status, failures } as never)
    }
  })

  test('is pending as long as it never answered', async () => {
    await client().post('/api/servers/1/sync')
    await client().post('/api/servers/1/sync')
    await client().post('/api/servers/1/sync')

    const { body } = await client().get('/api/fleet/servers/1')

    expect((body as { server: { status: string } }).server.status).toBe('pending')
  })

  test('keeps a new site provisioning until it is back, and says so in its operation', async () => {
    const created = await client().post('/api/servers/1/sites', { domain: 'later.example' })
    const path = `/api/operations/${created.headers.get('operation-id')}`

    const answer = await answerOf(await client().open({ path }))

    const { operation } = answer.body as { operation: { type: string; status: string } }
    expect(operation).toMatchObject({ type: 'site.create', domain: 'later.example' } as never)
    expect(['queued', 'running']).toContain(operation.status)
  })
})
