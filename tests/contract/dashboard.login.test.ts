// tier: core
import { describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import {
  badRequest,
  checkRows,
  expectAnswer,
  failed,
  failedOn,
  type Row,
  unauthorized,
} from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const user = { id: 1, email: ADMIN.email, name: expect.any(String) }
const wrong = { error: 'Unauthorized', message: 'Invalid email or password' }

/** Each row from an address of its own: what one gets wrong is no matter of the next. */
let addresses = 0
const login = (body: unknown, headers: Record<string, string> = {}) => {
  addresses += 1
  const from = { 'x-forwarded-for': `192.0.2.${addresses}` }
  return { method: 'POST', path: '/api/auth/login', body, headers: { ...from, ...headers } }
}

const refused = (what: unknown, body: unknown): Row => ({
  sentence: `Wrong credentials are 401 with error and message: ${what}`,
  ...login(body),
  status: 401,
  answer: wrong,
  answerHeaders: { 'set-cookie': null },
})

const rows: Row[] = [
  {
    sentence: 'A login with e-mail and password answers the user and sets the cookie',
    ...login(ADMIN),
    status: 200,
    answer: { user },
    answerHeaders: {
      'set-cookie': /^session=[\w-]+\.[\w-]+\.[\w-]+; /,
      'content-type': /^application\/json/,
      'cache-control': 'no-store',
    },
  },
  {
    sentence: 'The e-mail address counts in any case, and trimmed',
    ...login({ ...ADMIN, email: ` ${ADMIN.email.toUpperCase()} ` }),
    status: 200,
    answer: { user },
  },
  ...[
    ['another password', { ...ADMIN, password: 'wrong' }],
    ['the password in upper case', { ...ADMIN, password: ADMIN.password.toUpperCase() }],
    ['the password with a space behind', { ...ADMIN, password: `${ADMIN.password} ` }],
    ['the password and NUL', { ...ADMIN, password: `${ADMIN.password}\0` }],
  ].map(([what, body]) => refused(what, body)),
  {
    sentence: 'The right password still counts after four wrong ones',
    ...login(ADMIN),
    status: 200,
    answer: { user },
  },
  ...[
    ['another account', { ...ADMIN, email: 'bob@control.example' }],
    ['an address that is none', { ...ADMIN, email: 'ann' }],
    ['a quote in the address', { ...ADMIN, email: `' or 1=1 --@x.example` }],
    ['a wildcard in the address', { ...ADMIN, email: '%' }],
    ['a very long password', { ...ADMIN, password: 'p'.repeat(1024) }],
  ].map(([what, body]) => refused(what, body)),
  {
    sentence: 'Missing credentials are 422 on each of the fields',
    ...login({}),
    status: 422,
    answer: failed({ email: ['E-mail address is required'], password: ['Password is required'] }),
  },
  ...[null, 7, [], {}, true].map((value) => ({
    sentence: `Credentials that are no strings are 422: ${JSON.stringify(value)}`,
    ...login({ email: value, password: value }),
    status: 422,
    answer: failedOn('email', 'password'),
  })),
  {
    sentence: 'A login with malformed JSON is 400',
    ...login('{"email":'),
    status: 400,
    answer: badRequest('Malformed JSON'),
  },
  {
    sentence: 'A login as a form is 415',
    ...login('email=a&password=b', { 'content-type': 'application/x-www-form-urlencoded' }),
    status: 415,
    answer: { error: 'Unsupported media type', message: 'The body must be application/json' },
  },
  {
    sentence: 'A login over 16 KiB is 413',
    ...login({ ...ADMIN, password: 'p'.repeat(16 << 10) }),
    status: 413,
    answer: { error: 'Payload too large', message: 'The body must have at most 16 KiB' },
  },
]

describe('login', () => {
  const dashboard = useDashboard()
  const stranger = () => new Client(dashboard.running().url)

  checkRows(stranger, rows)

  test('sets a cookie that no script and no other site can use, for seven days', async () => {
    const { headers } = await stranger().send(login(ADMIN))

    const [pair = '', ...attributes] = (headers.getSetCookie()[0] ?? '').split('; ')
    expect(headers.getSetCookie()).toHaveLength(2)
    expect(pair).toMatch(/^session=/)
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict'])
  })

  test('sets a Secure cookie when a proxy on this machine says that TLS was used', async () => {
    const call = login(ADMIN, { 'x-forwarded-proto': 'https' })
    const { headers } = await stranger().send(call)

    expect(headers.getSetCookie()[0]).toMatch(/; Secure(;|$)/)
  })

  test('gives a JWT of HS256 with iss, aud, exp, sub and jti', async () => {
    const client = stranger()
    await client.login(ADMIN)
    const [header, claims] = (client.cookie ?? '')
      .replace('session=', '')
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
      .slice(0, 2)
      .map((text) => JSON.parse(text))

    expect(header.alg).toBe('HS256')
    expect(claims).toEqual({
      iss: expect.any(String),
      aud: expect.any(String),
      sub: '1',
      jti: expect.any(String),
      exp: expect.any(Number),
      ...('iat' in claims ? { iat: expect.any(Number) } : {}),
      ...('nbf' in claims ? { nbf: expect.any(Number) } : {}),
    })
    expect(Math.abs(claims.exp - Date.now() / 1000 - 604_800)).toBeLessThan(60)
  })

  test('lets each session in with its cookie or as a bearer', async () => {
    const client = stranger()
    await client.login(ADMIN)
    const authorization = `Bearer ${client.cookie?.replace('session=', '')}`

    expectAnswer(await client.get('/api/auth/me'), { status: 200, answer: { user } })
    const bearer = await stranger().send({ path: '/api/auth/me', headers: { authorization } })
    expectAnswer(bearer, { status: 200, answer: { user } })
  })

  test('refuses a JWT of which one letter was changed', async () => {
    const client = stranger()
    await client.login(ADMIN)
    const cookie = client.cookie ?? ''
    for (const at of [12, cookie.indexOf('.') + 5, cookie.length - 8]) {
      const other = cookie[at] === 'A' ? 'B' : 'A'
      client.cookie = cookie.slice(0, at) + other + cookie.slice(at + 1)

      expectAnswer(await client.get('/api/auth/me'), { status: 401, answer: unauthorized })
    }
  })
})
