import { expect, test } from 'bun:test'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
  until,
} from '#tests/support/dashboard/dashboard.ts'

const PATH = '/api/servers/1/sites/1/debug-log'

async function withSite(dashboard: Dashboard, agent: DisposableAgent): Promise<void> {
  const id = await dashboard.addServer(agent)
  await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'shop.example' })
  await until(async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    return body.site.status === 'active'
  })
}

async function started() {
  const agent = new DisposableAgent()
  const dashboard = await makeDashboard()
  await withSite(dashboard, agent)
  return { agent, dashboard }
}

test.each([
  [{}, 24],
  [{ hours: 1 }, 1],
  [{ hours: null }, null],
])(
  'switches the debug log with %j by the clock of the dashboard, and records it',
  async (body, hours) => {
    const { agent, dashboard } = await started()
    await using _ = agent
    await using __ = dashboard
    const sent: { until?: string | null }[] = []
    agent.works.set('wp.debug', async function* ({ domain, until }) {
      sent.push({ until: until === null ? null : `${until}` })
      yield 'Applying the PHP pool'
      return { domain, until }
    })

    const answer = await dashboard.send('POST', PATH, body)
    const text = await answer.text()

    const until = sent[0]?.until ?? null
    const ahead = until === null ? null : (Date.parse(until) - Date.now()) / 3_600_000
    expect(ahead === null ? null : Math.round(ahead)).toBe(hours)
    expect(text).toContain(`event: complete\ndata: {"status":"ok","domain":"shop.example"`)
    const activity = await dashboard.call('GET', '/api/fleet/activity?type=wp.debug')
    expect(activity.body.activities).toMatchObject([{ domain: 'shop.example', status: 'success' }])
  },
)

test.each([2, '1', 0, true, 24.5])('refuses a debug log for %j hours', async (hours) => {
  const { agent, dashboard } = await started()
  await using _ = agent
  await using __ = dashboard

  const { status, body } = await dashboard.call('POST', PATH, { hours })

  expect({ status, fields: body.fields }).toEqual({
    status: 422,
    fields: { hours: ['Must be 1, 8 or 24, or null'] },
  })
})
