import { afterAll, beforeAll, expect, test } from 'bun:test'
import { storeCounts } from '#dashboard/features/metrics/numbers/queries.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import {
  count,
  DAY,
  dashboardAtNoon,
  day,
  NOON,
  TODAY,
  values,
} from '#tests/support/dashboard/numbers.ts'

const PATH = '/api/servers/1/sites/1/numbers'

let dashboard: Dashboard
let end: () => Promise<void>
beforeAll(async () => {
  ;({ dashboard, end } = await dashboardAtNoon())
})
afterAll(() => end())

const numbers = async (query = '') => {
  const { status, body } = await dashboard.call('GET', `${PATH}?${query}`)
  expect([status, body.fields]).toEqual([200, undefined])
  return body.numbers
}

test('the minutes of the last three hours, with a gap where nothing happened', async () => {
  const minutes = [
    { at: NOON - 120, values: values({ requests: 7, bytes: 900, active: 3 }) },
    { at: NOON - 60, values: values({ requests: 2 }) },
  ]
  await storeCounts(dashboard.db, 1, [
    count({ minutes }),
    count({ domain: 'else.example', minutes }),
  ])

  const found = await numbers()

  expect(found).toMatchObject({
    unit: 'minute',
    to: '2026-01-01T12:00:00.000Z',
    recommendation: null,
  })
  expect(found.at).toHaveLength(180)
  expect(found.requests.slice(-3)).toEqual([null, 7, 2])
  expect(found.bytes.slice(-3)).toEqual([null, 900, 0])
  expect(found.active.slice(-3)).toEqual([null, 3, 0])
  expect(found.files.slice(-1)).toEqual([null])
})

test('what an agent reports again replaces no higher number', async () => {
  const report = (requests: number, sizes: object) =>
    storeCounts(dashboard.db, 1, [count({ days: [day(1, { requests }, sizes)] })])
  await report(50, { files: 1000, cache: 7 })
  await report(20, { files: 900 })

  const found = await numbers('unit=day&from=2025-12-31T00:00:00Z&to=2026-01-01T00:00:00Z')

  expect(found).toMatchObject({ unit: 'day', at: [TODAY - DAY], requests: [50] })
  expect([found.files, found.cache, found.mail]).toEqual([[900], [7], [null]])
})

test.each([
  ['unit=week', 'unit'],
  ['from=yesterday', 'from'],
  ['from=2026-01-01T04:59:59Z', 'from'],
  ['unit=day&from=2024-01-01T00:00:00Z', 'from'],
  ['to=2026-01-03T00:00:00Z', 'to'],
  ['from=2026-01-01T11:00:00Z&to=2026-01-01T11:00:00Z', 'from'],
])('refuses %s with 422', async (query, field) => {
  const { status, body } = await dashboard.call('GET', `${PATH}?${query}`)

  expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [field]])
})

test('the clock of a browser may be an hour slow', async () => {
  const found = await numbers('from=2026-01-01T05:59:00Z')

  expect(found.at).toHaveLength(361)
})

test('recommends a tier for what happened since the tier was changed', async () => {
  const busy = [1, 2, 3].map((before) => day(before, { requests: 900, full: 30 }))
  await storeCounts(dashboard.db, 1, [count({ days: busy })])
  const advice = async () => (await numbers('unit=day')).recommendation?.reasons
  const finished = (id: string, days: number, more: Partial<typeof operations.$inferInsert>) => {
    const at = new Date((TODAY - days * DAY + 60) * 1000).toISOString()
    const of = { id, server_id: 1, site_id: 1, domain: 'shop.example', deadline_at: at }
    const row = { ...of, type: 'site.update' as const, params: {}, status: 'success' as const }
    return dashboard.db.write((queries) =>
      queries.insert(operations).values({ ...row, created_at: at, finished_at: at, ...more }),
    )
  }
  const reason = (days: number) => [{ code: 'workers', count: 30 * days, days }]

  expect(await advice()).toEqual(reason(3))
  await finished('another-change', 2, { params: { php: '8.3' } })
  await finished('failed', 2, { params: { tier: 'medium' }, status: 'failed' })
  await finished('another-site', 2, { params: { tier: 'medium' }, site_id: null })
  expect(await advice()).toEqual(reason(3))
  await finished('update', 3, { params: { tier: 'medium' } })
  expect(await advice()).toEqual(reason(2))
  await finished('pool', 2, { type: 'pool.apply', params: { tier: 'medium' } })
  expect(await advice()).toBeUndefined()
})
