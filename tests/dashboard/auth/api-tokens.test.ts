import { describe, expect, test } from 'bun:test'
import { makeDashboard } from '../support/dashboard.ts'

describe('an API token', () => {
  test('is shown once, works as a bearer, and ends when it is deleted', async () => {
    await using dashboard = await makeDashboard()
    const { status, body } = await dashboard.call('POST', '/api/auth/tokens', { name: ' backup ' })
    const bearer = { cookie: '', authorization: `Bearer ${body.plaintext}` }
    const ask = () => dashboard.call('GET', '/api/auth/me', undefined, bearer)

    const before = await ask()
    const list = await dashboard.call('GET', '/api/auth/tokens')
    const removed = await dashboard.call('DELETE', `/api/auth/tokens/${body.token.id}`)
    const after = await ask()

    expect(status).toBe(201)
    expect(body.token).toMatchObject({ id: 1, name: 'backup', last_used_at: null })
    expect([before.status, removed.status, after.status]).toEqual([200, 204, 401])
    expect(list.body.tokens).toMatchObject([{ id: 1, last_used_at: expect.any(String) }])
    expect(JSON.stringify(list.body)).not.toContain(body.plaintext)
  })

  test('of somebody else or of nobody is 404', async () => {
    await using dashboard = await makeDashboard()

    expect(await dashboard.call('DELETE', '/api/auth/tokens/1')).toEqual({
      status: 404,
      body: { error: 'Not found', message: 'Token not found' },
    })
  })
})
