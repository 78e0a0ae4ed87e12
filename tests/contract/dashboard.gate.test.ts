// tier: core
import { describe, expect, test } from 'bun:test'
import { ROUTES } from '#dashboard/routes.ts'
import { Client } from '#tests/support/client.ts'
import { type Row, row, unauthorized } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const OPEN_POSTS = [
  '/api/auth/login',
  '/api/auth/login/passkey',
  '/api/auth/login/passkey/options',
  '/api/auth/reset',
  '/api/auth/reset/confirm',
  '/api/auth/sso/finish',
  '/api/auth/sso/code',
  '/api/invitations/show',
  '/api/invitations/accept',
]
const OPEN = [...OPEN_POSTS, '/api/auth/sso', '/api/openapi.json']
/** That of every route, and some that are none. */
const PATHS = new Set([
  ...['/api', '/api/', '/api/nowhere', '/api/__proto__', '/api/auth', '/api/servers/abc'],
  ...['/api/auth/login/', '/api/auth/login/x', '/api/activity?limit=0'],
  ...ROUTES.map(({ at }) => at.replace(/^\w+ /, '').replace(/:\w+/g, '1')).filter(
    (path) => path.startsWith('/api/') && !OPEN.includes(path),
  ),
])

const closed: Row[] = [
  ...OPEN_POSTS.flatMap((path) =>
    METHODS.filter((method) => method !== 'POST').map((method) => ({ method, path })),
  ),
  ...METHODS.filter((method) => !['GET', 'HEAD'].includes(method)).map((method) => ({
    method,
    path: '/api/openapi.json',
  })),
  ...METHODS.filter((method) => !['GET', 'HEAD', 'POST'].includes(method)).map((method) => ({
    method,
    path: '/api/auth/sso',
  })),
  ...[...PATHS].flatMap((path) => METHODS.map((method) => ({ method, path }))),
].map(({ method, path }) =>
  row(`${method} ${path} without authentication is 401`)
    .call({ method, path })
    .answers(401, method === 'HEAD' ? '' : unauthorized, {
      'set-cookie': null,
      'cache-control': 'no-store',
    }),
)

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const forged = (header: object) => {
  const claims = { sub: '1', jti: 'x', exp: 4e9, iss: 'hosting-control' }
  return `${base64url(header)}.${base64url(claims)}.${'A'.repeat(43)}`
}
const INVALID = {
  'an empty cookie': { cookie: 'session=' },
  'a cookie of another name': { cookie: 'sessions=x; Session=x' },
  'a cookie that is no JWT': { cookie: 'session=x' },
  'a cookie of empty parts': { cookie: 'session=..' },
  'a cookie of 100 000 characters': { cookie: `session=${'x'.repeat(12_000)}` },
  'a JWT without a signature (alg none)': {
    cookie: `session=${forged({ alg: 'none', typ: 'JWT' }).replace(/A+$/, '')}`,
  },
  'a JWT of another algorithm': { cookie: `session=${forged({ alg: 'RS256', typ: 'JWT' })}` },
  'a JWT with a made-up signature': { cookie: `session=${forged({ alg: 'HS256', typ: 'JWT' })}` },
  'a made-up bearer token': { authorization: 'Bearer hc_x' },
  'an empty bearer token': { authorization: 'Bearer ' },
  'a bearer JWT with a made-up signature': {
    authorization: `Bearer ${forged({ alg: 'HS256', typ: 'JWT' })}`,
  },
  'basic authentication': { authorization: 'Basic YTpi' },
}

const invalid: Row[] = Object.entries(INVALID).map(([what, headers]) =>
  row(`Invalid authentication is 401: ${what}`)
    .get('/api/servers', headers)
    .answers(401, unauthorized),
)

const early: Row[] = [
  { what: 'malformed JSON', body: '{' },
  { what: 'a body over 1 MiB', body: 'x'.repeat(1_100_000) },
  { what: 'another media type', body: 'x', headers: { 'content-type': 'text/plain' } },
  { what: 'invalid fields', body: { hostname: 7 } },
  { what: 'a request of another site', body: {}, headers: { origin: 'https://evil.example' } },
].map(({ what, ...call }) =>
  row(`401 comes before everything else: ${what}`)
    .call({ ...call, method: 'POST', path: '/api/servers' })
    .answers(401, unauthorized),
)

describe('without authentication', () => {
  const dashboard = useDashboard()
  const stranger = () => new Client(dashboard.running().url)

  test.each([...closed, ...invalid, ...early])('$sentence', async (row) => {
    expect(await stranger().send(row)).toAnswer(row)
  })

  test.each([
    row('GET /health is open').get('/health').answers(200, { status: 'ok' }),
    row('HEAD of the OpenAPI document is open')
      .call({ method: 'HEAD', path: '/api/openapi.json' })
      .answers(200, ''),
  ])('$sentence', async (row) => {
    expect(await stranger().send(row)).toAnswer(row)
  })

  test('answers unknown paths equally with authentication: 404', async () => {
    for (const method of METHODS) {
      const { status, body } = await dashboard.client().send({ method, path: '/api/nowhere' })

      const message = method === 'HEAD' ? '' : { error: 'Not found', message: 'Endpoint not found' }
      expect({ method, status, body }).toEqual({ method, status: 404, body: message })
    }
  })
})
