// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { notFound, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const offline = { error: 'Agent offline', message: expect.any(String) }

const away: Row[] = [
  row('A sync is 503').post('/api/servers/1/sync').answers(503, offline),
  row('A sync of an unknown server is 404')
    .post('/api/servers/9/sync')
    .answers(404, notFound('Server')),
  row('A scan of an unknown site is 404')
    .post('/api/servers/1/wp-scan', { site_id: 9 })
    .answers(404, notFound('Site')),
  row('A scan of a site of another server is 404')
    .post('/api/servers/2/wp-scan', { site_id: 1 })
    .answers(404, notFound('Site')),
  row('Provisioning is 503').post('/api/servers/1/provision', {}).answers(503, offline),
  row('Restarting a service is 503')
    .post('/api/servers/1/services/restart', { service: 'nginx' })
    .answers(503, offline),
  row('Listing the runs of jobs is 503')
    .get('/api/servers/1/sites/1/job-runs')
    .answers(503, offline),
  row('Searching a log is 503')
    .get('/api/servers/1/sites/1/logs/lines?source=access')
    .answers(503, offline),
  row('Reading a database password is 503')
    .post('/api/servers/1/sites/1/db-password')
    .answers(503, offline),
  row('A sync of a server that is not on loopback and not enrolled is 503')
    .post('/api/servers/2/sync')
    .answers(503, offline),
]

describe('a server whose agent is offline', () => {
  const { client } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers', { hostname: '192.0.2.1' })
    await client().post('/api/servers/1/sites', { domain: 'shop.example' })
  })

  test.each(away)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('is online until three contacts in a row have failed, and offline then', async () => {
    const agent = new FakeAgent()
    const { body } = await client().post('/api/servers', {
      hostname: '127.0.0.1',
      port: agent.port,
    })
    const { id } = (body as { server: { id: number } }).server
    const contact = async () => (await client().post(`/api/servers/${id}/sync`)).status
    const state = async () => {
      const answer = await client().get(`/api/fleet/servers/${id}`)
      return (answer.body as { server: { status: string; failures: number } }).server
    }
    expect(await contact()).toBe(200)
    expect(await state()).toMatchObject({ status: 'online', failures: 0 })
    await agent.stop()

    // The dashboard itself contacts a server again that has not answered.
    for (let contacts = 1; contacts <= 4; contacts += 1) {
      expect(await contact()).toBe(503)
      const { status, failures } = await state()
      expect(failures).toBeGreaterThanOrEqual(contacts)
      expect([failures, status]).toEqual([failures, failures < 3 ? 'online' : 'offline'])
    }
  })

  test('keeps a new site provisioning until it is back, and reports it in its operation', async () => {
    const created = await client().post('/api/servers/1/sites', { domain: 'later.example' })
    const path = `/api/operations/${created.headers.get('operation-id')}`

    const answer = await client().get(path)

    const { operation } = answer.body as { operation: { type: string; status: string } }
    expect(operation).toMatchObject({ type: 'site.create', domain: 'later.example' } as never)
    expect(['queued', 'running']).toContain(operation.status)
  })
})
