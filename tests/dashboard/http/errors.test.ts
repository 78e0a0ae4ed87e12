import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SECURITY_HEADERS } from '#dashboard/http/headers.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await makeDashboard()
})
afterAll(() => dashboard[Symbol.asyncDispose]())

const failed = (fields: Record<string, string[]>) => ({ error: 'Validation failed', fields })
const noObject = { error: 'Bad request', message: 'The body must be a JSON object' }
const missing = { error: 'Not found', message: 'Server not found' }

describe('the order of answers', () => {
  test.each([
    ['POST', '/api/nothing', '{', 404, { error: 'Not found', message: 'Endpoint not found' }],
    ['POST', '/api/servers', '{', 400, { error: 'Bad request', message: 'Malformed JSON' }],
    ['PATCH', '/api/servers/7', '{', 400, { error: 'Bad request', message: 'Malformed JSON' }],
    ['PATCH', '/api/servers/7', { name: 5 }, 404, missing],
    ['PATCH', '/api/servers/0', { name: 5 }, 404, missing],
    ['PATCH', '/api/servers/1e3', { name: 5 }, 404, missing],
    ['POST', '/api/servers/7/sites', {}, 404, missing],
    ['POST', '/api/servers/7/wp-scan', {}, 404, missing],
    ['POST', '/api/servers/7/pool-apply', {}, 404, missing],
    ['POST', '/api/servers', [], 400, noObject],
    ['POST', '/api/servers', 'null', 400, noObject],
    ['PATCH', '/api/servers/7', '"text"', 400, noObject],
    ['POST', '/api/servers', undefined, 422, failed({ hostname: ['Hostname is required'] })],
    ['GET', '/api/servers/9007199254740993', undefined, 404, missing],
  ])('%s %s with %j is %i', async (method, path, body, status, expected) => {
    expect(await dashboard.call(method, path, body)).toEqual({ status, body: expected })
  })

  test('a body that is not JSON by its type is 415', async () => {
    const headers = { 'content-type': 'text/plain' }

    const { status } = await dashboard.call('POST', '/api/servers', '{}', headers)

    expect(status).toBe(415)
  })

  test('a body over 1 MiB is 413, whatever length it claims', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 5; part++) controller.enqueue(new Uint8Array(1 << 18).fill(32))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json', cookie: `session=${dashboard.token}` }

    const response = await dashboard.app.handle(
      new Request('http://localhost/api/servers', { method: 'POST', headers, body }),
    )

    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: 'Payload too large' })
  })
})

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
