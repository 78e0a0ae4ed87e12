// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventsOf } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { hostileDomains, noText } from '#tests/support/hostile.ts'
import { failedOn } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const domain = 'shop.example'
const site = '/api/servers/1/sites/1'

describe('the trash', () => {
  const agent = new FakeAgent()
  afterAll(() => agent.stop())
  const { client } = useDashboard({ TRASH_DAYS: '30' })
  /** The data of the last event. */
  const endOf = async (headers: Headers) => {
    const path = `/api/operations/${headers.get('operation-id')}/events`
    return eventsOf((await client().get(path)).text).at(-1)?.data
  }
  const trash = async () => ((await client().get('/api/trash')).body as { trash: object[] }).trash
  const statusOf = async () => {
    const { body } = await client().get('/api/fleet/sites/1')
    return (body as { site: { status: string } }).site.status
  }
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port, name: 'web1' })
    for (const name of ['site.create', 'site.restore', 'site.purge'])
      agent.says(name, { complete: { domain } })
    agent.says('site.delete', { lines: ['Dumping'], complete: { domain, size: 123_456 } })
    const { headers } = await client().post('/api/servers/1/sites', { domain })
    await endOf(headers)
  })

  test('is empty at first', async () => {
    expect(await client().get('/api/trash')).toAnswer({ status: 200, answer: { trash: [] } })
  })

  test('contains a deleted site with its expiry', async () => {
    const deleted = await client().send({ method: 'DELETE', path: site })
    expect(deleted).toAnswer({
      status: 202,
      answer: { site: { id: 1, domain, status: 'deleting' } },
    })
    expect(await endOf(deleted.headers)).toEqual({ status: 'ok', domain, size: 123_456 })

    const [entry] = await trash()
    expect(entry).toEqual({
      ...{ id: 1, domain, server_id: 1, server: 'web1', status: 'trashed', status_reason: '' },
      ...{ trashed_at: moment, purge_at: moment, size: 123_456 },
    })
    const { trashed_at, purge_at } = entry as { trashed_at: string; purge_at: string }
    expect(Date.parse(purge_at) - Date.parse(trashed_at)).toBe(30 * 24 * 3600_000)
    const { body } = await client().get('/api/activity?type=site.delete')
    expect(body).toMatchObject({ activities: [{ domain, status: 'success' }] })
  })

  test('is not treated as empty after an invalid answer', async () => {
    const good = { domain, user: 'shop', size: 1, deleted_at: '2026-01-01T00:00:00Z' }
    for (const kept of [null, { ...good, size: -1 }, { ...good, domain: '../x' }, good]) {
      agent.trash = [kept as never]
      const { text } = await client().post('/api/servers/1/sync')

      expect([kept, text]).toEqual([kept, expect.stringContaining('event: complete')])
      expect(await statusOf()).toBe('trashed')
    }
    agent.trash = [{ ...good, restorable: true, php: '8.2', tier: 'small', tls: 'none' }]
    expect((await client().post('/api/servers/1/sync')).text).toContain('event: complete')
    expect(await statusOf()).toBe('trashed')
  })

  test('requires the domain before it deletes a site permanently', async () => {
    for (const value of [...hostileDomains, ...noText, 'www.shop.example', undefined]) {
      const { status, body } = await client().post(`${site}/purge`, { domain: value })

      expect({ value, status, body }).toEqual({ value, status: 422, body: failedOn('domain') })
    }
    expect(agent.began.filter((work) => work.includes('site.purge'))).toEqual([])

    const purged = await client().post(`${site}/purge`, { domain })
    expect(purged).toAnswer({
      status: 202,
      answer: { site: { id: 1, domain, status: 'deleting' } },
    })
    expect(await endOf(purged.headers)).toEqual({ status: 'ok', domain })
    expect((await client().get(site)).status).toBe(404)
    const { body } = await client().get('/api/activity?type=site.purge')
    expect(body).toMatchObject({ activities: [{ domain, status: 'success' }] })
  })
})
