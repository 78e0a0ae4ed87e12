import { afterAll, beforeAll, beforeEach, describe, expect, test as plainTest } from 'bun:test'
import { listOnline, storeReadings } from '#dashboard/features/metrics/queries.ts'
import { sweepHistory } from '#dashboard/features/metrics/rollup.ts'
import { metrics_minutes, metrics_quarters, servers } from '#dashboard/kernel/db/schema.ts'
import { MetricsHistory } from '#shared/metrics/api/metrics.ts'
import { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { Metrics } from '#shared/servers/agent.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  makeDashboard,
  serverTest as test,
} from '#tests/support/dashboard/dashboard.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR
const NOON = Date.parse('2026-01-01T12:00:00.000Z') / 1000

let clock: HeldClock
let dashboard: Dashboard

beforeAll(async () => {
  clock = new HeldClock()
  clock.move(12 * HOUR * 1000)
  dashboard = await makeDashboard({ clock })
})
afterAll(() => dashboard[Symbol.asyncDispose]())
beforeEach(async () => {
  await dashboard.db.write((queries) => queries.delete(servers))
  await dashboard.db.write((queries) => queries.delete(metrics_minutes))
  await dashboard.db.write((queries) => queries.delete(metrics_quarters))
})

async function addServer(): Promise<number> {
  const { body } = await dashboard.call('POST', '/api/servers', { hostname: 'web.example' })
  return body.server.id
}

function reading(cpu: number, more: Partial<Metrics> = {}): Metrics {
  const space = (used: number) => ({ used, total: 1000, unit: 'MB' as const })
  const load: [number, number, number] = [0.5, 0.25, 0.1]
  const rest = { uptime: 1, os: 'Debian', version: '0.1.0' }
  return { cpu, ram: space(100), disk: space(200), load, ...rest, ...more }
}

/** Readings of a server by the minutes before noon that they are from. */
function store(server_id: number, by_minute: Record<number, number>): Promise<void> {
  const readings = Object.entries(by_minute).map(([before, cpu]) => ({
    server_id,
    at: NOON - Number(before) * MINUTE,
    metrics: reading(cpu),
  }))
  return storeReadings(dashboard.db, readings)
}

async function read(server_id: number, query = ''): Promise<MetricsHistory> {
  const { body } = await dashboard.call('GET', `/api/servers/${server_id}/metrics?${query}`)
  return MetricsHistory.parse(body.metrics)
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()
/** The points that are no gap, by the minutes before noon where they begin. */
const points = ({ at, cpu }: MetricsHistory) =>
  Object.fromEntries(
    at.flatMap((time, place) =>
      cpu[place] === null ? [] : [[(NOON - time) / MINUTE, cpu[place]]],
    ),
  )

describe('the metrics of a server', () => {
  test('name the first reading that is stored, also one before the range', async () => {
    const server = await addServer()
    await store(await addServer(), { 90: 99 })
    expect((await read(server)).since).toBe(null)

    await store(server, { 3: 1, 20: 2 })
    expect((await read(server)).since).toBe('2026-01-01T11:40:00.000Z')
    await store(server, { 70: 1 })
    expect((await read(server)).since).toBe('2026-01-01T10:50:00.000Z')
  })

  test('are of each minute of the last hour, with a gap where nothing was read', async () => {
    const server = await addServer()
    await store(await addServer(), { 2: 99 })
    await store(server, { 60: 1.5, 3: 12.3, 1: 45.6, 61: 7 })

    const history = await read(server)

    expect(history.at).toHaveLength(60)
    expect(points(history)).toEqual({ 60: 1.5, 3: 12.3, 1: 45.6 })
    const last = (name: Exclude<keyof MetricsHistory, 'from' | 'to' | 'step' | 'since'>) =>
      history[name].slice(-2)
    expect(history).toMatchObject({ from: isoOf(NOON - HOUR), to: isoOf(NOON), step: 60 })
    expect({
      at: last('at'),
      cpu: last('cpu'),
      cpu_max: last('cpu_max'),
      ram_used: last('ram_used'),
      ram_total: last('ram_total'),
      disk_used: last('disk_used'),
      disk_total: last('disk_total'),
      load1: last('load1'),
      load5: last('load5'),
      load15: last('load15'),
    }).toEqual({
      at: [NOON - 120, NOON - 60],
      cpu: [null, 45.6],
      cpu_max: [null, 45.6],
      ram_used: [null, 100],
      ram_total: [null, 1000],
      disk_used: [null, 200],
      disk_total: [null, 1000],
      load1: [null, 0.5],
      load5: [null, 0.25],
      load15: [null, 0.1],
    })
  })

  test('are averages of longer intervals, with the highest reading', async () => {
    const server = await addServer()
    await store(server, { 10: 10, 8: 40, 3: 5 })

    const history = await read(server, `step=300&from=${isoOf(NOON - 600)}`)

    expect(history).toMatchObject({ step: 300, cpu: [25, 5], cpu_max: [40, 5] })
  })

  plainTest.each([
    ['an hour', HOUR, 60, 60],
    ['six hours', 6 * HOUR, 60, 360],
    ['a day', DAY, 300, 288],
    ['a week', 7 * DAY, 1800, 336],
    ['a month', 31 * DAY, 7200, 372],
  ])('are at most 400 points for %s', async (_, seconds, step, count) => {
    const history = await read(await addServer(), `from=${isoOf(NOON - seconds)}`)

    expect([history.step, history.at.length]).toEqual([step, count])
  })

  test('of one minute are the last readings', async () => {
    const server = await addServer()
    await store(server, { 1: 10 })
    await store(server, { 1: 20 })

    expect(points(await read(server))).toEqual({ 1: 20 })
  })

  test('of deleted servers are omitted and deleted', async () => {
    const [server, other] = [await addServer(), await addServer()]
    await store(server, { 1: 10 })
    await store(other, { 1: 10 })
    await sweepHistory(dashboard.db, new Date((NOON + HOUR) * 1000))
    await dashboard.call('DELETE', `/api/servers/${server}`)
    await storeReadings(dashboard.db, [
      { server_id: server, at: NOON, metrics: reading(1) },
      { server_id: other, at: NOON, metrics: reading(2) },
    ])

    expect(await dashboard.db.read.select().from(metrics_minutes)).toHaveLength(2)
    expect(await dashboard.db.read.select().from(metrics_quarters)).toHaveLength(1)
    expect((await dashboard.call('GET', `/api/servers/${server}/metrics`)).status).toBe(404)
  })

  plainTest.each([
    ['from=yesterday', 'from'],
    ['to=2026', 'to'],
    ['from=2026-01-01T12:00:00Z&to=2026-01-01T11:00:00Z', 'from'],
    ['from=2025-11-01T00:00:00Z', 'from'],
    ['to=2026-01-03T00:00:00Z', 'to'],
    ['step=59', 'step'],
    ['step=86401', 'step'],
    ['step=1e3', 'step'],
    ['step=900&from=2025-12-01T00:00:00Z', 'step'],
  ])('with %s fail on %s', async (query, field) => {
    const server = await addServer()
    const { status, body } = await dashboard.call('GET', `/api/servers/${server}/metrics?${query}`)

    expect(status).toBe(422)
    expect(Object.keys(body.fields)).toEqual([field])
  })
})

describe('the rollup of metrics', () => {
  const sweep = (at = NOON) => sweepHistory(dashboard.db, new Date(at * 1000))

  test('keeps averages of 15 minutes for a month, with the highest reading', async () => {
    const [server, other] = [await addServer(), await addServer()]
    await store(server, { 45: 10, 40: 30, 31: 20, 30: 50, 1: 90 })
    await store(other, { 44: 77 })

    await sweep()
    await sweep(NOON + 2 * DAY)
    clock.move(2 * DAY * 1000)
    const history = await read(server, `from=${isoOf(NOON - HOUR)}&to=${isoOf(NOON)}`)
    const others = await read(other, `from=${isoOf(NOON - HOUR)}&to=${isoOf(NOON)}`)
    clock.move(-2 * DAY * 1000)

    expect(await dashboard.db.read.select().from(metrics_minutes)).toEqual([])
    expect(history).toMatchObject({
      step: 900,
      cpu: [null, 20, 50, 90],
      cpu_max: [null, 30, 50, 90],
    })
    expect(others).toMatchObject({ cpu: [null, 77, null, null] })
  })

  test('waits for the end of a quarter of an hour, and computes each average once', async () => {
    const server = await addServer()
    await store(server, { 16: 10, 1: 20 })
    const averages = async () =>
      (await dashboard.db.read.select().from(metrics_quarters)).map(({ cpu }) => cpu / 10)

    await sweep(NOON + MINUTE)
    const before = await averages()
    await store(server, { 2: 40 })
    await sweep(NOON + 2 * MINUTE)
    const after = await averages()
    await store(server, { 3: 99 })
    await sweep(NOON + 3 * MINUTE)

    expect([before, after, await averages()]).toEqual([[10], [10, 30], [10, 30]])
  })

  test('shows readings that are not averaged yet together with the averages', async () => {
    const server = await addServer()
    await store(server, { 40: 10, 20: 30, 1: 70 })
    await sweep(NOON - 20 * MINUTE)
    const from = `from=${isoOf(NOON - 2 * DAY)}`

    expect(points(await read(server, `${from}&step=900`))).toEqual({ 45: 10, 30: 30, 15: 70 })
    await sweep(NOON)
    expect(points(await read(server, `${from}&step=900`))).toEqual({ 45: 10, 30: 30, 15: 70 })
  })

  test('deletes all averages after a month', async () => {
    const server = await addServer()
    const many = Array.from({ length: 5_000 }, (_, minute) => [minute, 1])
    await store(server, Object.fromEntries(many))

    await sweep(NOON + HOUR)
    await sweep(NOON + 40 * DAY)

    expect(await dashboard.db.read.select().from(metrics_minutes)).toEqual([])
    expect(await dashboard.db.read.select().from(metrics_quarters)).toEqual([])
  })
})

describe('a reading', () => {
  test('is shown on the pages with its age, and only online servers are polled', async () => {
    const server = await addServer()
    const before = await listOnline(dashboard.db)
    await dashboard.db.write((queries) => queries.update(servers).set({ status: 'online' }))
    await store(server, { 2: 33 })

    const { body } = await dashboard.call('GET', `/api/fleet/servers/${server}`)

    expect(before).toEqual([])
    expect(await listOnline(dashboard.db)).toMatchObject([{ id: server }])
    expect(FleetServerDetail.parse(body.server)).toMatchObject({
      metrics: { cpu: 33 },
      metrics_at: isoOf(NOON - 120),
      metrics_age: 120,
      age: null,
    })
  })

  test('of a sync is stored too', async ({ dashboard: fresh, server }) => {
    await (await fresh.send('POST', `/api/servers/${server}/sync`)).text()

    const to = new Date(Date.now() + 60_000).toISOString()
    const { body } = await fresh.call('GET', `/api/servers/${server}/metrics?to=${to}`)
    expect(MetricsHistory.parse(body.metrics).cpu.filter((cpu) => cpu !== null)).toEqual([7])
    const detail = await fresh.call('GET', `/api/fleet/servers/${server}`)
    expect(detail.body.server.metrics_at).toBe(detail.body.server.last_sync)
  })
})
