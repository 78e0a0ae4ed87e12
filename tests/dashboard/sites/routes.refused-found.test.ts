import { afterAll, expect, test } from 'bun:test'
import { ROUTES } from '#dashboard/routes.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
} from '#tests/support/dashboard/dashboard.ts'
import { mixed, refused } from '#tests/support/dashboard/mixed-server.ts'

/** One for all tests whose calls are refused. */
let kept: Promise<{ agent: DisposableAgent; dashboard: Dashboard }> | undefined
const refusing = () => {
  kept ??= (async () => {
    const agent = new DisposableAgent()
    const dashboard = await makeDashboard()
    await mixed(dashboard, agent)
    return { agent, dashboard }
  })()
  return kept
}
afterAll(async () => {
  const { agent, dashboard } = await refusing()
  await dashboard[Symbol.asyncDispose]()
  await agent[Symbol.asyncDispose]()
})

const READ = [
  'GET /api/fleet/sites/:site_id',
  'POST /api/servers/:server_id/sites/:site_id/db-password',
  'PUT /api/servers/:server_id/sites/:site_id/ignored',
  'GET /api/servers/:server_id/sites/:site_id',
]
const INPUTS: Record<string, object> = {
  'PATCH /api/servers/:server_id/sites/:site_id': { php: '8.2' },
  'POST /api/servers/:server_id/sites/:site_id/tls': { tls: 'none' },
  'POST /api/servers/:server_id/sites/:site_id/purge': { domain: 'plain.example' },
}

test.each(
  ROUTES.map(({ at }) => at).filter(
    (route) => route.includes('/sites/:site_id') && !READ.includes(route),
  ),
)('a discovered site refuses %s, planned or not, and its agent is not asked', async (route) => {
  const { agent, dashboard } = await refusing()
  const before = agent.asked.length
  const [method = '', path = ''] = route.split(' ')
  const place = path.replace(':server_id', '1').replace(':site_id', '1')
  const input = method === 'GET' ? undefined : INPUTS[route]

  expect(await dashboard.call(method, place, input)).toEqual(refused)
  if (method !== 'GET')
    expect(await dashboard.call(method, place, { ...input, dry_run: true })).toEqual(refused)
  const { body } = await dashboard.call('GET', '/api/operations?site_id=1')
  expect([body.operations, agent.asked.length - before]).toEqual([[], 0])
})
