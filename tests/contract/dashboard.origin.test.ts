// tier: core
import { describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { failed } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const forbidden = {
  status: 403,
  answer: { error: 'Forbidden', message: 'The request comes from another site' },
}
const passed = { status: 422, answer: failed({ hostname: ['Hostname is required'] }) }

describe('a change with a session cookie', () => {
  const { client, running } = useDashboard()
  const own = () => running().url

  const refused: [string, () => Record<string, string>][] = [
    ['another origin', () => ({ origin: 'https://evil.example' })],
    ['another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['an origin that begins like ours', () => ({ origin: `${own()}.evil.example` })],
    ['an opaque origin', () => ({ origin: 'null' })],
    ['an empty origin', () => ({ origin: '' })],
    ['another site, by Sec-Fetch-Site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['a neighbour, by Sec-Fetch-Site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['another site with our origin', () => ({ origin: own(), 'sec-fetch-site': 'cross-site' })],
  ]
  test.each(refused)('is 403 from %s', async (_, headers) => {
    const call = { method: 'POST', path: '/api/servers', body: {}, headers: headers() }
    expect(await client().send(call)).toAnswer(forbidden)
  })

  const taken: [string, () => Record<string, string>][] = [
    ['our origin', () => ({ origin: own() })],
    ['our site, by Sec-Fetch-Site', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['our site, by both', () => ({ origin: own(), 'sec-fetch-site': 'same-origin' })],
    ['a program, which sends neither', () => ({})],
  ]
  test.each(taken)('passes from %s', async (_, headers) => {
    const call = { method: 'POST', path: '/api/servers', body: {}, headers: headers() }
    expect(await client().send(call)).toAnswer(passed)
  })

  test.each(['PUT', 'PATCH', 'DELETE'])('is 403 for %s too', async (method) => {
    const headers = { origin: 'https://evil.example' }
    expect(await client().send({ method, path: '/api/servers/1', headers })).toAnswer(forbidden)
  })

  test('is 403 before the path, the JSON and the media type are looked at', async () => {
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' }
    const call = { method: 'POST', path: '/api/nowhere', body: '{', headers }
    expect(await client().send(call)).toAnswer(forbidden)
  })

  test('does not apply to reading', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const { status, headers: answered } = await client().send({ path: '/api/servers', headers })

    expect(status).toBe(200)
    expect(answered.get('access-control-allow-origin')).toBeNull()
  })

  test('does not apply to a bearer token, which browsers do not send on their own', async () => {
    const { body } = await client().post('/api/auth/tokens', {
      name: 'a script',
      password: ADMIN.password,
      scope: 'admin',
    })
    const { plaintext } = body as { plaintext: string }
    const headers = { authorization: `Bearer ${plaintext}`, origin: 'https://evil.example' }

    const call = { method: 'POST', path: '/api/servers', body: {}, headers }
    expect(await new Client(own()).send(call)).toAnswer(passed)
  })

  test('is refused for a login from another site over a session', async () => {
    const headers = { origin: 'https://evil.example' }
    const call = { method: 'POST', path: '/api/auth/login', body: ADMIN, headers }
    expect(await client().send(call)).toAnswer(forbidden)
  })
})
