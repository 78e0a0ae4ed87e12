import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gt, lt } from 'drizzle-orm'
import { site_days, site_minutes } from '#dashboard/db/numbers-schema.ts'
import { servers, sites } from '#dashboard/db/schema.ts'
import { storeCounts } from '#dashboard/numbers/queries.ts'
import { sweepNumbers, updateNumbers } from '#dashboard/numbers/update.ts'
import { NUMBERS, type Numbers, type SiteCount } from '#shared/site-numbers.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
  until,
} from '#tests/support/dashboard/dashboard.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const NOON = Date.parse('2026-01-01T12:00:00.000Z') / 1000
const TODAY = NOON - 12 * HOUR
const PATH = '/api/servers/1/sites/1/numbers'
const NO_SIZES = { files: null, database: null, cache: null, mail: null }

let clock: HeldClock
let dashboard: Dashboard
const agent = new DisposableAgent()

beforeAll(async () => {
  clock = new HeldClock()
  clock.move(12 * HOUR * 1000)
  dashboard = await makeDashboard({ clock })
  const id = await dashboard.addServer(agent)
  await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'shop.example' })
  await until(async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    return body.site.status === 'active'
  })
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
  await agent[Symbol.asyncDispose]()
})

const values = (given: Partial<Numbers>) => NUMBERS.map((name) => given[name] ?? 0)
const count = (more: Partial<SiteCount>): SiteCount => ({
  ...{ domain: 'shop.example', at: NOON, minutes: [], days: [] },
  ...more,
})
const day = (before: number, given: Partial<Numbers>, sizes = {}) => ({
  at: TODAY - before * DAY,
  values: values(given),
  sizes: { ...NO_SIZES, ...sizes },
})
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
  ['from=2026-01-01T05:00:00Z', 'from'],
  ['unit=day&from=2024-01-01T00:00:00Z', 'from'],
  ['to=2026-01-03T00:00:00Z', 'to'],
  ['from=2026-01-01T11:00:00Z&to=2026-01-01T11:00:00Z', 'from'],
])('refuses %s with 422', async (query, field) => {
  const { status, body } = await dashboard.call('GET', `${PATH}?${query}`)

  expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [field]])
})

test('asks an agent for what changed since the last time, and ignores one that is older', async () => {
  const asked: string[] = []
  agent.answers.set('/sites/numbers', (request) => {
    asked.push(new URL(request.url).search)
    const sites = [count({ at: NOON + 60 * asked.length, days: [day(2, { requests: 5 })] })]
    return Response.json({ sites })
  })
  const { db, agents } = dashboard.deps
  const deps = { db, agents, clock }
  const [address = { id: 0, hostname: '', port: 0 }] = await db.read.select().from(servers)
  for (let turn = 0; turn < 2; turn++) await updateNumbers(deps, address)
  agent.answers.set('/sites/numbers', () => Response.json({ error: 'Not found' }, { status: 404 }))
  await updateNumbers(deps, address)

  expect(asked).toEqual([`?since=${NOON}`, `?since=${NOON + 60}`])
})

test('stores no time that is far from now, whatever an agent reports', async () => {
  const { db, agents } = dashboard.deps
  const [address = { id: 0, hostname: '', port: 0 }] = await db.read.select().from(servers)
  const before = await db.read.$count(site_minutes)
  const minutes = [-7 * HOUR, 2 * HOUR, 50 * DAY].map((ahead) => ({
    at: NOON + ahead,
    values: values({ requests: 1 }),
  }))
  const sites = [count({ at: NOON + 600, minutes, days: [day(-2, {}), day(16, {})] })]
  agent.answers.set('/sites/numbers', () => Response.json({ sites }))

  await updateNumbers({ db, agents, clock }, address)

  expect(await db.read.$count(site_minutes)).toBe(before)
  expect(await db.read.$count(site_days, gt(site_days.at, TODAY))).toBe(0)
  expect(await db.read.$count(site_days, lt(site_days.at, TODAY - 15 * DAY))).toBe(0)
})

test('keeps minutes for six hours and days for a year, of sites that exist', async () => {
  const minutes = [6 * HOUR + 60, 6 * HOUR - 60].map((age) => ({
    at: NOON - age,
    values: values({ requests: 1 }),
  }))
  await storeCounts(dashboard.db, 1, [count({ minutes, days: [day(367, {}), day(360, {})] })])

  await sweepNumbers(dashboard.db, clock.now())

  const rows = async (table: typeof site_minutes | typeof site_days) =>
    (await dashboard.db.read.select({ at: table.at }).from(table)).map(({ at }) => at).sort()
  expect((await rows(site_minutes))[0]).toBe(NOON - 6 * HOUR + 60)
  expect((await rows(site_days))[0]).toBe(TODAY - 360 * DAY)

  await dashboard.db.write((queries) => queries.delete(sites))
  expect([await rows(site_minutes), await rows(site_days)]).toEqual([[], []])
})
