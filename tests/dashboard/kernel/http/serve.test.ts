import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ROUTES } from '#dashboard/routes.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await makeDashboard()
})
afterAll(() => dashboard[Symbol.asyncDispose]())

const taking = ROUTES.filter(({ body, right }) => body && right !== 'open')
const finding = taking.filter(({ loads, at }) => loads && !at.includes('/settings/'))

/** The status of a call on what does not exist. */
async function statusOf(at: string, body?: unknown, cookie?: string): Promise<number> {
  const [method = '', path = ''] = at.split(' ')
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(cookie === undefined ? {} : { cookie }),
  }
  return (await dashboard.send(method, path.replace(/:\w+/g, '999'), body, headers)).status
}

describe('the checks of every route that takes a body come in one order', () => {
  test.each(taking.map(({ at }) => [at]))('%s: 401, then 400', async (at) => {
    expect([await statusOf(at, '{', ''), await statusOf(at, '{')]).toEqual([401, 400])
  })

  test.each(finding.map(({ at }) => [at]))('%s: 404 before 422', async (at) => {
    expect(await statusOf(at, { dry_run: 'perhaps', force: 'perhaps', domain: 7 })).toBe(404)
  })
})

test('a query that breaks its rule is 422 after 404 for what the path names', async () => {
  const limits = async (path: string) => (await dashboard.call('GET', `${path}?limit=0`)).status

  expect(await limits('/api/bulk-operations/x/items')).toBe(404)
  expect(await limits('/api/bulk-operations')).toBe(422)
})

test('a plan can be asked for in the query of a call without a body', async () => {
  const { body } = await dashboard.call('POST', '/api/servers', { hostname: '127.0.0.1', port: 1 })
  const path = `/api/servers/${body.server.id}`
  await dashboard.call('POST', `${path}/sites`, { domain: 'shop.example' })

  const plan = await dashboard.call('DELETE', `${path}/sites/1?dry_run=true`)
  const refused = await dashboard.call('DELETE', `${path}/sites/1?dry_run=perhaps`)

  expect(plan).toEqual({ status: 200, body: { plan: { steps: [] } } })
  expect(refused.status).toBe(422)
})
