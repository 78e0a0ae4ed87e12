import { expect, test } from 'bun:test'
import { bodyOf, conflict } from '#shared/errors.ts'
import { hasStatus, sitesOn, start } from '#tests/support/dashboard/bulk.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'

const add = { name: 'purge', schedule: '0 3 * * *', command: 'wp cache flush' }
const stored = { ...add, max_minutes: 60, enabled: true }
const EITHER = 'Must have either add or remove'
const targets = { site_ids: [1, 2] }

/** What the agent is asked to do. */
function working(agent: DisposableAgent, type: string, result: object) {
  const given: unknown[] = []
  agent.works.set(type, async function* (params) {
    given.push(params)
    yield 'Working'
    return { domain: params.domain, ...result }
  })
  return given
}

async function tokenOf(dashboard: Dashboard, scope: string) {
  const body = { name: scope, password: PASSWORD, scope }
  const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', body)).body
  return { cookie: '', authorization: `Bearer ${plaintext}` }
}

test('one cron job is added to many sites, and removed by its name', async () => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example', 'b.example')
  const given = working(agent, 'site.jobs', { jobs: [] })

  const added = await start(dashboard, { type: 'site.jobs', params: { add }, targets, parallel: 1 })
  await hasStatus(dashboard, added, 'success')
  const params = { remove: 'purge' }
  const removed = await start(dashboard, { type: 'site.jobs', params, targets, parallel: 1 })
  await hasStatus(dashboard, removed, 'success')

  expect(given).toEqual([
    { domain: 'a.example', add: stored },
    { domain: 'b.example', add: stored },
    { domain: 'a.example', remove: 'purge' },
    { domain: 'b.example', remove: 'purge' },
  ])
})

test('the plan names each site that has another job of the name', async () => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')
  const message = 'a.example has another job purge: "true" (@daily)'
  agent.answers.set('/exec', () => Response.json(bodyOf(conflict(message)), { status: 409 }))

  const call = { type: 'site.jobs', params: { add }, targets: { site_ids: [1] } }
  const asked = { ...call, dry_run: true, with_asks: true }
  const { body } = await dashboard.call('POST', '/api/bulk-operations', asked)

  expect(body.must_accept.asks).toEqual([
    {
      ...{ server_id: 1, site_id: 1, domain: 'a.example', effects: [] },
      error: { error: 'Conflict', message },
    },
  ])
})

test.each([
  [{}, [EITHER]],
  [{ add, remove: 'purge' }, [EITHER]],
  [{ jobs: [] }, ['Must not have jobs', EITHER]],
])('the call with %j is refused', async (params, messages) => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')

  const call = { type: 'site.jobs', params, targets: { site_ids: [1] } }
  const { status, body } = await dashboard.call('POST', '/api/bulk-operations', call)

  expect([status, body.fields]).toEqual([422, { params: messages }])
})

test('a cron job on many sites needs a token of the scope that it needs on one', async () => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')
  const given = working(agent, 'site.jobs', { jobs: [] })
  const body = { type: 'site.jobs', params: { add }, targets: { site_ids: [1] } }
  const call = (path: string, headers: Record<string, string>, text: object) =>
    dashboard.call('POST', path, text, headers)

  const operate = await tokenOf(dashboard, 'operate')
  const refused = await call('/api/bulk-operations', operate, body)
  const admin = await tokenOf(dashboard, 'admin')
  const accepted = await call('/api/bulk-operations', admin, body)
  const { bulk_operation } = accepted.body
  await hasStatus(dashboard, bulk_operation.id, 'success')
  const again = await call(`/api/bulk-operations/${bulk_operation.id}/retry`, operate, {})
  const on = await call(`/api/bulk-operations/${bulk_operation.id}/resume`, operate, {})

  expect([refused.status, accepted.status, again.status, on.status]).toEqual([403, 202, 403, 403])
  expect(given).toHaveLength(1)
})

test('the debug log of many sites is on for a time, counted from the start of each', async () => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example', 'b.example')
  const given = working(agent, 'wp.debug', { until: null })
  const from = Date.now()

  const on = await start(dashboard, { type: 'wp.debug', params: { hours: 8 }, targets })
  await hasStatus(dashboard, on, 'success')
  const off = await start(dashboard, { type: 'wp.debug', params: { hours: null }, targets })
  await hasStatus(dashboard, off, 'success')

  const until = expect.any(String)
  expect(given).toEqual([
    ...[expect.objectContaining({ until }), expect.objectContaining({ until })],
    ...[expect.objectContaining({ until: null }), expect.objectContaining({ until: null })],
  ])
  const ahead = given.slice(0, 2).map((params) => Date.parse(Object(params).until) - from)
  for (const ms of ahead) expect(Math.abs(ms - 8 * 3_600_000)).toBeLessThan(600_000)
})
