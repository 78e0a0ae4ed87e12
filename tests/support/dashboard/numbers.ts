import { NUMBERS, type Numbers, type SiteCount } from '#shared/metrics/site-numbers.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { HeldClock } from './clock.ts'
import { makeDashboard } from './dashboard.ts'

export const HOUR = 3600
export const DAY = 24 * HOUR
export const NOON = Date.parse('2026-01-01T12:00:00.000Z') / 1000
export const TODAY = NOON - 12 * HOUR
const NO_SIZES = { files: null, database: null, cache: null, mail: null }

/** At noon, with the site shop.example on one server. */
export async function dashboardAtNoon() {
  const clock = new HeldClock()
  clock.move(12 * HOUR * 1000)
  const dashboard = await makeDashboard({ clock })
  const agent = new FakeAgent()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id)
  const end = async () => {
    await dashboard[Symbol.asyncDispose]()
    await agent[Symbol.asyncDispose]()
  }
  return { dashboard, agent, clock, end }
}

export const values = (given: Partial<Numbers>) => NUMBERS.map((name) => given[name] ?? 0)

export const count = (more: Partial<SiteCount>): SiteCount => ({
  ...{ domain: 'shop.example', at: NOON, minutes: [], days: [] },
  ...more,
})

export const day = (before: number, given: Partial<Numbers>, sizes = {}) => ({
  at: TODAY - before * DAY,
  values: values(given),
  sizes: { ...NO_SIZES, ...sizes },
})
