import { describe, expect, test } from 'bun:test'
import { document } from '#tests/support/openapi/validator.ts'
import { makeDashboard } from '../support/dashboard.ts'

describe('GET /api/openapi.json', () => {
  test('is the document', async () => {
    await using dashboard = await makeDashboard()

    const response = await dashboard.send('GET', '/api/openapi.json')

    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(document)
  })

  test('is not sent again to whoever has it', async () => {
    await using dashboard = await makeDashboard()
    const { headers } = await dashboard.send('GET', '/api/openapi.json')
    const etag = headers.get('etag') ?? ''

    const same = await dashboard.send('GET', '/api/openapi.json', undefined, {
      'if-none-match': `"another", W/${etag}`,
    })
    const other = await dashboard.send('GET', '/api/openapi.json', undefined, {
      'if-none-match': '"another"',
    })

    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    expect(other.status).toBe(200)
  })
})
