import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SECURITY_HEADERS } from '#dashboard/kernel/http/headers.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await makeDashboard()
})
afterAll(() => dashboard[Symbol.asyncDispose]())

describe('every answer', () => {
  test.each([
    ['GET', '/health'],
    ['GET', '/nothing'],
    ['GET', '/api/servers'],
    ['GET', '/api/servers/7'],
    ['POST', '/api/servers'],
  ])('%s %s has the security headers', async (method, path) => {
    const { headers } = await dashboard.send(method, path)

    expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS)
  })

  test('a stream has the id of its request too', async () => {
    await using agent = new FakeAgent()
    const id = await dashboard.addServer(agent)

    const { status, headers } = await dashboard.send('POST', `/api/servers/${id}/sync`)

    expect([status, headers.get('x-request-id')]).toEqual([
      200,
      expect.stringMatching(/^[\w-]{12}$/),
    ])
  })

  test('has the request id of an unforeseen error, like the log', async () => {
    await using broken = await makeDashboard()
    const ask = () => broken.call('GET', '/api/servers')
    await broken.db.write((queries) => queries.run('alter table servers rename to gone'))

    const { status, body } = await ask()

    const [, id] = /request id (\S+)$/.exec(body.message) ?? []
    expect(status).toBe(500)
    expect(body).toEqual({ error: 'Internal error', message: expect.any(String) })
    expect(broken.log.at(-1)).toContain(`"request_id":"${id}"`)
    expect(broken.log.at(-1)).not.toContain('select')
  })
})
