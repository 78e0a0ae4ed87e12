import { expect, test } from 'bun:test'
import { findRequest, LOCAL_REQUEST } from '#dashboard/features/backups/off-site/state.queries.ts'
import { dashboard_targets } from '#dashboard/kernel/db/backup-schema.ts'
import { server_agents, signing_keys } from '#dashboard/kernel/db/trust-schema.ts'
import { setUp } from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { enrolled } from '#tests/support/dashboard/enrolled.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const DAY_MS = 24 * 3600_000

const states = async (dashboard: Dashboard) => {
  const { body } = await dashboard.call('GET', '/api/keys')
  return body.keys.map(({ state, agents }: { state: string; agents: number }) => [state, agents])
}

test('a key that no agent needs is removed by the next one', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.deps.keys.current()

  const { status, body } = await dashboard.call('POST', '/api/keys/rotate')

  expect(status).toBe(201)
  expect(body.keys.map(({ state }: { state: string }) => state)).toEqual(['current'])
})

test('an expired key only delivers the new one', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  await using agent = await FakeAgent.enrollable()
  const id = await enrolled(dashboard, agent)
  await dashboard.call('POST', '/api/keys/rotate')
  expect(await states(dashboard)).toEqual([
    ['current', 0],
    ['leaving', 1],
  ])

  clock.move(DAY_MS)

  expect(await states(dashboard)).toEqual([
    ['current', 0],
    ['retired', 1],
  ])
  const { status } = await dashboard.call('POST', `/api/servers/${id}/sync`)
  expect([status, agent.asked]).toEqual([503, ['GET /keys']])
})

test('a rotation gives agents only keys of this dashboard, whatever the records say', async () => {
  await using dashboard = await makeDashboard()
  await using agent = await FakeAgent.enrollable()
  const id = await enrolled(dashboard, agent)
  const first = await dashboard.deps.keys.current()
  const foreign = {
    kid: 'foreign',
    public_key: 'A'.repeat(43),
    private_key_sealed: 'x',
    created_at: '2099-01-01T00:00:00.000Z',
    until: '2099-01-01T00:00:00.000Z',
  }
  await dashboard.db.write((queries) => queries.insert(signing_keys).values(foreign))
  await dashboard.call('POST', '/api/keys/rotate')
  const current = await dashboard.deps.keys.current()
  const { kid: known } = first
  await dashboard.db.write((queries) =>
    queries.update(signing_keys).set({ public_key: 'B'.repeat(43) }),
  )
  const given: unknown[] = []
  agent.answer = async (request) => {
    if (request.method === 'POST') given.push(await request.json())
    return Response.json({ epoch: 1, keys: [known] })
  }

  await dashboard.call('POST', `/api/servers/${id}/sync`)

  const { body } = await dashboard.call('GET', '/api/keys')
  expect(body.keys.map(({ hub_key }: { hub_key: string }) => hub_key)).toEqual(
    [current, first].map(({ kid, public_key }) => `ed25519:${kid}:${public_key}`),
  )
  expect(given).toEqual([
    {
      epoch: 2,
      keys: [
        { kid: current.kid, public_key: current.public_key, until: null },
        { kid: first.kid, public_key: first.public_key, until: expect.any(Number) },
      ],
    },
  ])
})

test('an agent with a later key of a dashboard that was restored gets the key of the records again', async () => {
  await using dashboard = await makeDashboard()
  await using agent = await FakeAgent.enrollable()
  const id = await enrolled(dashboard, agent)
  const { kid, public_key } = await dashboard.deps.keys.current()
  const given: unknown[] = []
  agent.answer = async (request) => {
    if (request.method === 'POST') given.push(await request.json())
    return Response.json({ epoch: 4, keys: given.length > 0 ? [kid] : ['later', kid] })
  }

  await dashboard.call('POST', `/api/servers/${id}/sync`)
  await dashboard.call('POST', `/api/servers/${id}/sync`)

  expect(given).toEqual([{ epoch: 5, keys: [{ kid, public_key, until: null }] }])
  expect(agent.asked.filter((call) => call === 'GET /keys')).toEqual(['GET /keys'])
})

test('a rotation requests a backup of the records beside them and, with a target, there', async () => {
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  const requested = async () => [
    (await findRequest(db, LOCAL_REQUEST))?.only_check,
    (await findRequest(db))?.only_check,
  ]
  await dashboard.call('POST', '/api/keys/rotate')
  const without = await requested()
  await setUp(dashboard)
  const target = {
    ...{ id: 1, place: { kind: 'local' as const, path: '/mnt/own' }, secret_sealed: '' },
    ...{ checked_at: null, keeper_key: null, created_at: '2026-01-01T00:00:00.000Z' },
  }
  await db.write((queries) => queries.insert(dashboard_targets).values(target))

  await dashboard.call('POST', '/api/keys/rotate')

  expect([without, await requested()]).toEqual([
    [false, undefined],
    [false, false],
  ])
})

test.each([
  ['certificate', { certificate: 'x' }],
  ['public key', { public_key: 'A'.repeat(43) }],
  ['mark', { mark: '' }],
])('sends nothing to an agent whose %s somebody else has changed', async (_, values) => {
  await using dashboard = await makeDashboard()
  await using agent = await FakeAgent.enrollable()
  const id = await enrolled(dashboard, agent)
  await dashboard.db.write((queries) => queries.update(server_agents).set(values))

  const { status, body } = await dashboard.call('POST', `/api/servers/${id}/sync`)

  const message =
    'The record of its agent was changed outside of the dashboard: enrol the server again'
  expect([status, body.message, agent.asked]).toEqual([503, message, []])
})

test('a key of an open enrolment stays until that ends', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const id = await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', `/api/servers/${id}/enrolment`)

  await dashboard.call('POST', '/api/keys/rotate')
  expect(await states(dashboard)).toHaveLength(2)

  clock.move(15 * 60_000)
  await dashboard.call('POST', '/api/auth/confirm', { password: PASSWORD })
  await dashboard.call('POST', '/api/keys/rotate')
  expect(await states(dashboard)).toHaveLength(1)
})
