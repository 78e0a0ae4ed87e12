import { expect, test } from 'bun:test'
import { realClock } from '#dashboard/runtime/clock.ts'
import { countFailure, noteReason, pinAgent } from '#dashboard/trust/queries.ts'
import { type Dashboard, makeDashboard } from '../support/dashboard.ts'

const PATH = '/api/servers/1/enrolment'
const entry = { type: 'server.enrol', domain: '', created_at: '2026-11-20T12:00:00.000Z' }

async function state(dashboard: Dashboard) {
  const { status, body } = await dashboard.call('GET', PATH)
  return status === 200 ? body.enrolment : status
}

test('nothing is said of the enrolment of a server that is not there', async () => {
  await using dashboard = await makeDashboard()

  expect(await state(dashboard)).toBe(404)
})

test('a code is told of until it is used, with what keeps it from being used', async () => {
  await using dashboard = await makeDashboard()
  const { db } = dashboard
  await dashboard.addServer({ port: 1 })
  const before = await state(dashboard)
  const { body } = await dashboard.call('POST', PATH)
  const { expires_at } = body.enrolment
  const opened = await state(dashboard)
  await noteReason(db, 1, 'The agent is there and waits for its code')
  const waiting = await state(dashboard)
  await pinAgent(
    db,
    { server_id: 1, certificate: 'c', public_key: 'k', kid: 'h', enrolled_at: entry.created_at },
    { ...entry, status: 'success' },
  )

  const reason = 'The agent is there and waits for its code'
  expect([before, opened, waiting, await state(dashboard)]).toEqual([
    { enrolled_at: null, code: null },
    { enrolled_at: null, code: { status: 'open', expires_at, reason: '' } },
    { enrolled_at: null, code: { status: 'open', expires_at, reason } },
    { enrolled_at: entry.created_at, code: null },
  ])
})

test('a code is no longer good after three wrong proofs, and the next one is', async () => {
  await using dashboard = await makeDashboard()
  await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', PATH)
  const statuses = []
  for (const reason of ['one', 'two', 'three']) {
    await countFailure(dashboard.db, 1, reason, { ...entry, status: 'failed' })
    statuses.push((await state(dashboard)).code)
  }
  await dashboard.call('POST', PATH)

  const expires_at = expect.any(String)
  expect([...statuses, (await state(dashboard)).code]).toEqual([
    { status: 'open', expires_at, reason: 'one' },
    { status: 'open', expires_at, reason: 'two' },
    { status: 'refused', expires_at, reason: 'three' },
    { status: 'open', expires_at, reason: '' },
  ])
})

test('a code that nobody used in time is expired', async () => {
  let ahead_ms = 0
  const now = () => new Date(Date.now() + ahead_ms)
  await using dashboard = await makeDashboard({ clock: { ...realClock, now } })
  await dashboard.addServer({ port: 1 })
  await dashboard.call('POST', PATH)

  ahead_ms = 16 * 60_000

  expect((await state(dashboard)).code.status).toBe('expired')
})
