import { expect, test } from 'bun:test'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { countFailure, endLapsed, noteReason, pinAgent } from '#dashboard/kernel/trust/queries.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const PATH = '/api/servers/1/enrolment'
const entry = { type: 'server.enrol', domain: '', created_at: '2026-11-20T12:00:00.000Z' }

async function state(dashboard: Dashboard) {
  const { status, body } = await dashboard.call('GET', PATH)
  return status === 200 ? body.enrolment : status
}

/** The entries of its activity, newest first. */
async function statusesIn(dashboard: Dashboard): Promise<string[]> {
  const { body } = await dashboard.call('GET', '/api/activity?type=server.enrol')
  return body.activities.map(({ status }: { status: string }) => status)
}

test('a missing server has no enrolment state', async () => {
  await using dashboard = await makeDashboard()

  expect(await state(dashboard)).toBe(404)
})

test('a code is shown until it is used, with what prevents its use', async () => {
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  await dashboard.addServer({ port: 1 })
  const before = await state(dashboard)
  const { body } = await dashboard.call('POST', PATH)
  const { expires_at } = body.enrolment
  const opened = await state(dashboard)
  const reason = 'The agent runs and waits for its code'
  const reason_code = 'waits_for_code'
  await noteReason(db, 1, { reason, code: reason_code })
  const waiting = await state(dashboard)
  await pinAgent(
    dashboard.deps,
    { server_id: 1, certificate: 'c', public_key: 'k', kid: 'h', enrolled_at: entry.created_at },
    { ...entry, status: 'success' },
  )

  expect(await statusesIn(dashboard)).toEqual(['success'])
  expect([before, opened, waiting, await state(dashboard)]).toEqual([
    { enrolled_at: null, code: null },
    { enrolled_at: null, code: { status: 'open', expires_at, reason: '' } },
    { enrolled_at: null, code: { status: 'open', expires_at, reason, reason_code } },
    { enrolled_at: entry.created_at, code: null },
  ])
})

test('a code is invalid after three wrong proofs, and the next one is valid', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', PATH)
  const statuses = []
  for (const reason of ['one', 'two', 'three']) {
    await countFailure(dashboard.db, 1, reason, { ...entry, status: 'failed' })
    statuses.push((await state(dashboard)).code)
  }
  expect(await statusesIn(dashboard)).toEqual(['failed', 'failed', 'failed', 'failed'])
  await dashboard.call('POST', PATH)

  const expires_at = expect.any(String)
  expect([...statuses, (await state(dashboard)).code]).toEqual([
    { status: 'open', expires_at, reason: 'one' },
    { status: 'open', expires_at, reason: 'two' },
    { status: 'refused', expires_at, reason: 'three' },
    { status: 'open', expires_at, reason: '' },
  ])
})

test('an unused code expires', async () => {
  let ahead_ms = 0
  const now = () => new Date(Date.now() + ahead_ms)
  await using dashboard = await makeDashboard({ clock: { ...realClock, now } })
  await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', PATH)

  ahead_ms = 16 * 60_000

  expect((await state(dashboard)).code.status).toBe('expired')
})

test('the install command comes with what prevents contact with a server', async () => {
  await using dashboard = await makeDashboard({ production: true })
  await dashboard.addServer({ port: 1 })

  const { body } = await dashboard.call('POST', PATH)

  expect(body.enrolment.obstacle).toBe(
    '127.0.0.1 is an address of this machine, its provider or a reserved range',
  )
})

test('a code has one waiting entry in the activity until it is used, replaced or expired', async () => {
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', PATH)
  await dashboard.call('POST', PATH)
  const replaced = await statusesIn(dashboard)
  const { body } = await dashboard.call('GET', PATH)
  await endLapsed(db, '2026-01-01T00:00:00.000Z')
  const open = await statusesIn(dashboard)
  await endLapsed(db, body.enrolment.code.expires_at, [1])
  const lapsed = await statusesIn(dashboard)
  await dashboard.call('POST', PATH)
  const agent = { certificate: 'c', public_key: 'k', kid: 'h', enrolled_at: entry.created_at }
  await pinAgent(
    dashboard.deps,
    { server_id: 1, ...agent },
    { ...entry, server_id: 1, status: 'success' },
  )
  const used = await statusesIn(dashboard)
  await pinAgent(
    dashboard.deps,
    { server_id: 1, ...agent },
    { ...entry, server_id: 1, status: 'success' },
  )

  expect(replaced).toEqual(['running', 'cancelled'])
  expect(open).toEqual(replaced)
  expect(lapsed).toEqual(['failed', 'cancelled'])
  expect(used).toEqual(['success', 'failed', 'cancelled'])
  expect(await statusesIn(dashboard)).toEqual(['success', 'success', 'failed', 'cancelled'])
})
