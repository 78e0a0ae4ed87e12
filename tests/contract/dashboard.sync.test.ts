// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { totalmem } from 'node:os'
import { eventsOf } from '#tests/support/client.ts'
import { runtimesOf } from '#tests/support/processes.ts'
import '#tests/support/rows.ts'
import { useAgent, useDashboard } from '#tests/support/running.ts'
import packageJson from '../../package.json' with { type: 'json' }

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const sync = { method: 'POST', path: '/api/servers/1/sync' }
const log = (id: number) => ({ id, event: 'log', data: { message: expect.any(String) } })

describe.each(runtimesOf('dashboard.sync'))('a server whose agent is %s', (runtime) => {
  const agent = useAgent(runtime)
  const { client } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.running().port })
  })

  test('is synced as a stream of log events and one complete event with status and sites', async () => {
    const answer = await client().send(sync)

    expect(answer).toAnswer({
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
})
