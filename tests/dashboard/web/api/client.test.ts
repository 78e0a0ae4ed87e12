import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { ApiError, call } from '#dashboard/web/api/client.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

let dashboard: Dashboard
const sent: string[] = []
const browser = spyOn(globalThis, 'fetch')
beforeAll(async () => {
  dashboard = await makeDashboard()
  browser.mockImplementation(
    Object.assign(
      (path: unknown, { method = 'GET', body }: RequestInit = {}) => {
        sent.push([method, path, body].filter(Boolean).join(' '))
        return dashboard.send(method, String(path), body ?? undefined, {
          ...(body ? { 'content-type': 'application/json' } : {}),
        })
      },
      { preconnect: () => undefined },
    ),
  )
})
afterAll(async () => {
  browser.mockRestore()
  await dashboard[Symbol.asyncDispose]()
})

describe('a call of a route', () => {
  test('sends the values of its path, query and body', async () => {
    const { server } = await call('POST /api/servers', { body: { hostname: 'web-1.example' } })
    await call('GET /api/activity', { query: { limit: 5, domain: undefined, type: 'a b&c' } })
    await call('DELETE /api/servers/:server_id', { params: { server_id: server.id } })

    expect(sent.splice(0)).toEqual([
      'POST /api/servers {"hostname":"web-1.example"}',
      'GET /api/activity?limit=5&type=a+b%26c',
      `DELETE /api/servers/${server.id}`,
    ])
  })

  test('escapes a value of its path', async () => {
    const params = { bulk_id: '../servers?x' }

    await expect(call('GET /api/bulk-operations/:bulk_id', { params })).rejects.toThrow('not found')

    expect(sent.splice(0)).toEqual(['GET /api/bulk-operations/..%2Fservers%3Fx'])
  })

  test('fails with the message of each refused field', async () => {
    const refused = await call('POST /api/servers', { body: { hostname: '' } }).catch(
      (error) => error,
    )

    expect(refused).toBeInstanceOf(ApiError)
    expect([refused.status, refused.fields]).toEqual([422, { hostname: 'Hostname is required' }])
  })

  test('fails with status 0 where the dashboard cannot be reached', async () => {
    browser.mockRejectedValueOnce(new TypeError('Failed to fetch'))

    expect(await call('GET /api/fleet').catch(({ status }) => status)).toBe(0)
  })
})

/** Never run: whether it compiles is the test. */
export const refusedByTheCompiler = () => [
  // @ts-expect-error: two misspelt fields
  call('POST /api/auth/login', { body: { emial: 'ann@example.com', passwrd: 12 } }),
  // @ts-expect-error: a field of another type
  call('POST /api/auth/login', { body: { email: 'ann@example.com', password: 12 } }),
  // @ts-expect-error: a field too many
  call('POST /api/servers', { body: { hostname: 'web-1.example', hots: '' } }),
  // @ts-expect-error: no body
  call('POST /api/servers'),
  // @ts-expect-error: a body where there is none
  call('GET /api/servers', { body: {} }),
  // @ts-expect-error: a misspelt filter
  call('GET /api/activity', { query: { limti: 5 } }),
  // @ts-expect-error: no value for the path
  call('GET /api/servers/:server_id'),
  // @ts-expect-error: the value of another path
  call('GET /api/servers/:server_id', { params: { site_id: 1 } }),
  // @ts-expect-error: a path that is no route
  call('GET /api/sevrers'),
  // @ts-expect-error: a field that the answer does not have
  async () => (await call('GET /api/servers')).server,
]
