import { describe, expect } from 'bun:test'
import { dashboardTest as test } from '#tests/support/dashboard/dashboard.ts'
import { document } from '#tests/support/openapi/validator.ts'

describe('GET /api/openapi.json', () => {
  test('is the document, also without a login', async (dashboard) => {
    const response = await dashboard.app.handle(new Request('http://localhost/api/openapi.json'))

    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(document)
  })

  test('is compressed for clients that accept it', async (dashboard) => {
    const cookie = `session=${dashboard.token}`
    const headers = { cookie, 'accept-encoding': 'br, gzip' }

    const response = await dashboard.app.handle(
      new Request('http://localhost/api/openapi.json', { headers }),
    )

    expect(response.headers.get('content-encoding')).toBe('gzip')
    const bytes = Bun.gunzipSync(new Uint8Array(await response.arrayBuffer()))
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(document)
  })

  test('is not sent again to a client that has it', async (dashboard) => {
    const { headers } = await dashboard.send('GET', '/api/openapi.json')
    const etag = headers.get('etag') ?? ''

    const same = await dashboard.send('GET', '/api/openapi.json', undefined, {
      'if-none-match': `"another", ${etag}`,
    })
    const other = await dashboard.send('GET', '/api/openapi.json', undefined, {
      'if-none-match': '"another"',
    })

    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    expect(other.status).toBe(200)
  })
})
