import { expect, test } from 'bun:test'
import type { Effect, Plan } from '#shared/kernel/plan.ts'
import { sitesOn } from '#tests/support/dashboard/bulk.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const restart: Effect = {
  action: 'run',
  kind: 'restart',
  name: 'php8.2-fpm.service',
  asks: 'php_restarted',
}
const PLAN: Plan = {
  steps: [
    {
      ...{ name: 'packages', title: 'Installing php8.4-fpm' },
      effects: [{ action: 'create', kind: 'package', name: 'php8.4-fpm' }, restart],
    },
  ],
}
const call = {
  ...{ type: 'site.update', params: { php: '8.4' }, targets: { server_ids: [1, 2] } },
  ...{ dry_run: true, with_asks: true },
}

test('a bulk plan lists for each target what must be accepted, and which are unknown', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example', 'b.example')
  await sitesOn(dashboard, { port: 1 }, 'away.example')
  agent.plan = PLAN

  const { status, body } = await dashboard.call('POST', '/api/bulk-operations', call)

  expect(status).toBe(200)
  expect(body.must_accept).toEqual({
    asks: [
      { server_id: 1, site_id: 1, domain: 'a.example', effects: [restart], error: null },
      { server_id: 1, site_id: 2, domain: 'b.example', effects: [restart], error: null },
      {
        ...{ server_id: 2, site_id: 3, domain: 'away.example', effects: [] },
        error: { error: 'Agent offline', message: expect.any(String) },
      },
    ],
    unasked: 0,
  })
  expect(agent.planned).toContainEqual({
    command: 'site.update',
    params: { domain: 'a.example', php: '8.4' },
  })
})

test('targets that need no consent are omitted, and types that affect nobody are not asked', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')
  const targets = { server_ids: [1] }
  const ask = async (more: object) =>
    (await dashboard.call('POST', '/api/bulk-operations', { ...call, targets, ...more })).body
      .must_accept

  expect(await ask({})).toEqual({ asks: [], unasked: 0 })
  expect(agent.planned).toHaveLength(1)
  agent.plan = PLAN
  expect(await ask({ type: 'cache.purge', params: {} })).toEqual({ asks: [], unasked: 0 })
  expect(agent.planned).toHaveLength(1)
  expect(await ask({ type: 'server.provision', params: {} })).toMatchObject({
    asks: [{ server_id: 1, site_id: null, effects: [restart] }],
  })
})

test('only the first 50 agents are asked', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  const domains = Array.from({ length: 52 }, (_, at) => `s${at}.example`)
  await sitesOn(dashboard, agent, ...domains)
  agent.plan = PLAN

  const targets = { server_ids: [1] }
  const { body } = await dashboard.call('POST', '/api/bulk-operations', { ...call, targets })

  expect([body.must_accept.asks.length, body.must_accept.unasked]).toEqual([50, 2])
})

test('the accepted changes go to every agent', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, agent, 'a.example')
  const asked = Promise.withResolvers<unknown>()
  agent.works.set('site.update', async function* (params) {
    asked.resolve(params)
    yield 'Moving'
    return { domain: 'a.example', php: '8.4', tier: 'small' }
  })

  await dashboard.call('POST', '/api/bulk-operations', {
    ...{ type: 'site.update', targets: { server_ids: [1] } },
    params: { php: '8.4', accept: ['php_restarted'] },
  })

  expect(await asked.promise).toEqual({
    ...{ domain: 'a.example', php: '8.4', accept: ['php_restarted'] },
  })
})

test('an unknown word is refused', async () => {
  await using dashboard = await makeDashboard()
  await sitesOn(dashboard, { port: 1 }, 'a.example')
  const { status, body } = await dashboard.call('POST', '/api/bulk-operations', {
    ...{ type: 'site.restore', targets: { site_ids: [1] }, params: { accept: ['everything'] } },
  })
  expect([status, Object.keys(body.fields)]).toEqual([422, ['accept']])
})
