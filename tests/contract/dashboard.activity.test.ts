// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { failed, failedOn } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

interface Entry {
  id: number
  type: string
  domain: string
  status: string
  created_at: string
}
interface Page {
  activities: Entry[]
  total: number
}

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const HOST = '127.0.0.1'

/** What `beforeAll` does, newest first: type, domain, status. */
const recorded: [type: string, domain: string, status: string][] = [
  ['auth.login', '', 'success'],
  ['auth.login', '', 'failed'],
  ['settings.update', '', 'success'],
  ['site.create', 'two.example', 'running'],
  ['site.create', 'one.example', 'running'],
  ['server.update', 'web.example.com', 'success'],
  ['server.create', 'web.example.com', 'success'],
  ['server.create', HOST, 'success'],
  ['auth.login', '', 'success'],
]

describe('the activity log', () => {
  const { client } = useDashboard()
  const page = async (query = '') => (await client().get(`/api/activity${query}`)).body as Page
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: HOST, port: 1 })
    await client().post('/api/servers', { hostname: 'web.example.com' })
    await client().patch('/api/servers/2', { name: 'Web' })
    await client().post('/api/servers/1/sites', { domain: 'one.example' })
    await client().post('/api/servers/1/sites', { domain: 'two.example' })
    await client().put('/api/settings/sync_interval', { value: 3600 })
    const other = new Client(client().base)
    await other.login({ ...ADMIN, password: 'wrong' })
    await other.login(ADMIN)
  })

  test('has one entry for each change and each login, newest first, in exactly five fields', async () => {
    const { activities, total } = await page()

    const expected = recorded.map(([type, domain, status], index) => ({
      id: recorded.length - index,
      type,
      domain,
      status,
      created_at: moment,
    }))
    expect({ activities, total }).toEqual({ activities: expected, total: recorded.length })
  })

  test('has no entry for refused or reading requests', async () => {
    await client().post('/api/servers', {})
    await client().post('/api/servers/1/sites', { domain: 'one.example' })
    await client().patch('/api/servers/9', { name: 'x' })
    await client().get('/api/servers')
    await client().put('/api/settings/nope', { value: 1 })

    expect((await page()).total).toBe(recorded.length)
  })

  test('has the address of each caller, also of a login that failed', async () => {
    const { body } = await client().get('/api/fleet/activity')

    const { activities } = body as { activities: { address: string | null; token: null }[] }
    expect(activities).toHaveLength(recorded.length)
    for (const { address, token } of activities)
      expect([address, token]).toEqual([
        expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/),
        null,
      ])
  })

  test('has at most limit entries, and counts all', async () => {
    const whole = await page()
    for (const limit of [1, 2, 8]) {
      const { activities, total } = await page(`?limit=${limit}`)

      expect(activities).toEqual(whole.activities.slice(0, limit))
      expect(total).toBe(recorded.length)
    }
    expect((await page('?limit=500')).activities).toEqual(whole.activities)
  })

  test('continues before an entry', async () => {
    const { activities } = await page('?before=3')

    expect(activities.map(({ id }) => id)).toEqual([2, 1])
  })

  test.each([
    ['?type=site.create', [5, 6]],
    ['?status=running', [5, 6]],
    ['?status=failed', [8]],
    ['?domain=two.example', [6]],
    ['?server_id=2', [3, 4]],
    ['?type=site.create&domain=one.example&status=running&server_id=1', [5]],
    ['?type=site.create&server_id=2', []],
    ["?type=site.create'%20or%201=1--", []],
    ['?domain=%25', []],
    ['?unknown=1&type=server.update', [4]],
  ])('lists and counts the entries that match %s', async (query, ids) => {
    const { activities, total } = await page(query)

    expect(activities.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(total).toBe(ids.length)
  })

  test.each([
    ...['0', '-1', '501', 'abc', '', '1.5', '1e2', '0x10', '%201', '+5', '99999999999999999999'],
    ...['%EF%BC%91', 'null', '5;drop', '1%00'],
  ])('refuses limit=%s with 422 on limit', async (limit) => {
    const answer = await client().get(`/api/activity?limit=${limit}`)

    const fields = { limit: ['Must be a whole number between 1 and 500'] }
    expect(answer).toAnswer({ status: 422, answer: failed(fields) })
  })

  test.each([
    ['before', 'abc'],
    ['before', '0'],
    ['status', 'unknown'],
    ['server_id', '1.5'],
    ['server_id', '1e3'],
  ])('refuses %s=%s with 422 on it', async (name, value) => {
    const answer = await client().get(`/api/activity?${name}=${value}`)

    expect(answer).toAnswer({ status: 422, answer: failedOn(name) })
  })

  test('has at most 50 entries unless more are requested', async () => {
    const hosts = Array.from({ length: 60 }, (_, index) => `h${index}.example.com`)
    await Promise.all(hosts.map((hostname) => client().post('/api/servers', { hostname })))

    const { activities, total } = await page()

    expect(activities).toHaveLength(50)
    expect(total).toBeGreaterThanOrEqual(recorded.length + 60)
    const ids = activities.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    expect((await page('?limit=500')).activities).toHaveLength(total)
  })
})
