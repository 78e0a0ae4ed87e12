import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eq, gt, lt } from 'drizzle-orm'
import { storeCounts } from '#dashboard/features/metrics/numbers/queries.ts'
import { sweepNumbers, updateNumbers } from '#dashboard/features/metrics/numbers/update.ts'
import { site_days, site_minutes } from '#dashboard/kernel/db/numbers-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { HeldClock } from '#tests/support/dashboard/clock.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import {
  count,
  DAY,
  dashboardAtNoon,
  day,
  HOUR,
  NOON,
  TODAY,
  values,
} from '#tests/support/dashboard/numbers.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'

let clock: HeldClock
let dashboard: Dashboard
let agent: FakeAgent
let end: () => Promise<void>
beforeAll(async () => {
  ;({ clock, dashboard, agent, end } = await dashboardAtNoon())
})
afterAll(() => end())
beforeEach(() => dashboard.log.splice(0))

async function update(limit_ms?: number) {
  const { db, agents, log } = dashboard.deps
  const [address = { id: 0, hostname: '', port: 0 }] = await db.read.select().from(servers)
  await updateNumbers({ db, agents, clock, log }, address, limit_ms)
}

const logged = () =>
  dashboard.log
    .map((text) => JSON.parse(text))
    .filter(({ message }) => message === 'numbers of sites could not be read')

test('asks an agent for what changed since the last time, and ignores one that is older', async () => {
  const asked: string[] = []
  agent.answers.set('/sites/numbers', (request) => {
    asked.push(new URL(request.url).search)
    const sites = [count({ at: NOON + 60 * asked.length, days: [day(2, { requests: 5 })] })]
    return Response.json({ sites })
  })
  for (let turn = 0; turn < 2; turn++) await update()
  agent.answers.set('/sites/numbers', () => Response.json({ error: 'Not found' }, { status: 404 }))
  await update()

  expect(asked).toEqual(['?since=0', `?since=${NOON + 60}`])
})

test('stores no time that is far from now, whatever an agent reports', async () => {
  const before = await dashboard.db.read.$count(site_minutes)
  const minutes = [-7 * HOUR, 2 * HOUR, 50 * DAY].map((ahead) => ({
    at: NOON + ahead,
    values: values({ requests: 1 }),
  }))
  const sites = [count({ at: NOON + 600, minutes, days: [day(-2, {}), day(16, {})] })]
  agent.answers.set('/sites/numbers', () => Response.json({ sites }))

  await update()

  expect(await dashboard.db.read.$count(site_minutes)).toBe(before)
  expect(await dashboard.db.read.$count(site_days, gt(site_days.at, TODAY))).toBe(0)
  expect(await dashboard.db.read.$count(site_days, lt(site_days.at, TODAY - 15 * DAY))).toBe(0)
})

test('an entry that cannot be read hides no other site, and is logged', async () => {
  const forged = count({ domain: 'forged.example', days: [day(0, { full: 1e16 })] })
  const good = count({ at: NOON + 720, minutes: [{ at: NOON - 240, values: values({ slow: 7 }) }] })
  agent.answers.set('/sites/numbers', () => Response.json({ sites: [forged, good] }))

  await update()

  const [row] = await dashboard.db.read.select().from(site_minutes)
  expect(row).toMatchObject({ at: NOON - 240, slow: 7 })
  expect(logged()).toMatchObject([
    { level: 'error', server_id: 1, error: { message: 'The agent sent malformed numbers: 1' } },
  ])
})

test.each<[string, () => Response | Promise<Response>, number, string[]]>([
  [
    'a malformed answer is logged',
    () => Response.json({ servers: [] }),
    10_000,
    ['The agent sent an answer that is not JSON'],
  ],
  [
    'the answer of a slow agent is left out',
    () => Bun.sleep(10_000).then(() => Response.json({ sites: [count({})] })),
    100,
    ['The operation timed out.'],
  ],
])('%s', async (_, answer, limit_ms, messages) => {
  agent.answers.set('/sites/numbers', answer)
  const before = performance.now()

  await update(limit_ms)

  expect(performance.now() - before).toBeLessThan(9000)
  expect(logged().map(({ error }) => error.message)).toEqual(messages)
})

test('keeps the higher count of refused requests, which an earlier agent does not report', async () => {
  const refusedOf = async (refused?: number) => {
    const days = [{ ...day(3, {}), ...(refused !== undefined && { refused }) }]
    await storeCounts(dashboard.db, 1, [count({ days })])
    const at = TODAY - 3 * DAY
    const rows = await dashboard.db.read.select().from(site_days).where(eq(site_days.at, at))
    return rows.map((row) => row.refused)
  }

  const seen = [await refusedOf(), await refusedOf(7), await refusedOf(5), await refusedOf()]

  expect(seen).toEqual([[null], [7], [7], [7]])
})

test('keeps minutes for six hours and days for 430 days, of sites that exist', async () => {
  const minutes = [6 * HOUR + 60, 6 * HOUR - 60].map((age) => ({
    at: NOON - age,
    values: values({ requests: 1 }),
  }))
  await storeCounts(dashboard.db, 1, [count({ minutes, days: [day(431, {}), day(424, {})] })])

  await sweepNumbers(dashboard.db, clock.now())

  const rows = async (table: typeof site_minutes | typeof site_days) =>
    (await dashboard.db.read.select({ at: table.at }).from(table)).map(({ at }) => at).sort()
  expect((await rows(site_minutes))[0]).toBe(NOON - 6 * HOUR + 60)
  expect((await rows(site_days))[0]).toBe(TODAY - 424 * DAY)

  await dashboard.db.write((queries) => queries.delete(sites))
  expect([await rows(site_minutes), await rows(site_days)]).toEqual([[], []])
})
