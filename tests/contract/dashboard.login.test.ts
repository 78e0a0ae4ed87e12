// tier: core
import { describe, expect, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { badRequest, failed, failedOn, type Row, row, unauthorized } from '#tests/support/rows.ts'
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

const refused = (what: unknown, body: unknown): Row =>
  row(`Wrong credentials are 401 with error and message: ${what}`)
    .call(login(body))
    .answers(401, wrong, { 'set-cookie': null })

const rows: Row[] = [
  row('A login with e-mail and password answers the user and sets the cookie')
    .call(login(ADMIN))
    .answers(
      200,
      { user },
      {
        'set-cookie': /^session=[\w-]+\.[\w-]+\.[\w-]+; /,
        'content-type': /^application\/json/,
        'cache-control': 'no-store',
      },
    ),
  row('The e-mail address counts in any case, and trimmed')
    .call(login({ ...ADMIN, email: ` ${ADMIN.email.toUpperCase()} ` }))
    .answers(200, { user }),
  ...[
    ['another password', { ...ADMIN, password: 'wrong' }],
    ['the password in upper case', { ...ADMIN, password: ADMIN.password.toUpperCase() }],
    ['the password with a space behind', { ...ADMIN, password: `${ADMIN.password} ` }],
    ['the password and NUL', { ...ADMIN, password: `${ADMIN.password}\0` }],
  ].map(([what, body]) => refused(what, body)),
  row('The right password still counts after four wrong ones')
    .call(login(ADMIN))
    .answers(200, { user }),
  ...[
    ['another account', { ...ADMIN, email: 'bob@control.example' }],
    ['an address that is none', { ...ADMIN, email: 'ann' }],
    ['a quote in the address', { ...ADMIN, email: `' or 1=1 --@x.example` }],
    ['a wildcard in the address', { ...ADMIN, email: '%' }],
    ['a very long password', { ...ADMIN, password: 'p'.repeat(1024) }],
  ].map(([what, body]) => refused(what, body)),
  row('Missing credentials are 422 on each of the fields')
    .call(login({}))
    .answers(
      422,
      failed({ email: ['E-mail address is required'], password: ['Password is required'] }),
    ),
  ...[null, 7, [], {}, true].map((value) =>
    row(`Credentials that are no strings are 422: ${JSON.stringify(value)}`)
      .call(login({ email: value, password: value }))
      .answers(422, failedOn('email', 'password')),
  ),
  row('A login with malformed JSON is 400')
    .call(login('{"email":'))
    .answers(400, badRequest('Malformed JSON')),
  row('A login as a form is 415')
    .call(login('email=a&password=b', { 'content-type': 'application/x-www-form-urlencoded' }))
    .answers(415, {
      error: 'Unsupported media type',
      message: 'The body must be application/json',
    }),
  row('A login over 16 KiB is 413')
    .call(login({ ...ADMIN, password: 'p'.repeat(16 << 10) }))
    .answers(413, { error: 'Payload too large', message: 'The body must have at most 16 KiB' }),
]

describe('login', () => {
  const dashboard = useDashboard()
  const stranger = () => new Client(dashboard.running().url)

  test.each(rows)('$sentence', async (row) => {
    expect(await stranger().send(row)).toAnswer(row)
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

  test('refuses a JWT of which one letter was changed', async () => {
    const client = stranger()
    await client.login(ADMIN)
    const cookie = client.cookie ?? ''
    for (const at of [12, cookie.indexOf('.') + 5, cookie.length - 8]) {
      const other = cookie[at] === 'A' ? 'B' : 'A'
      client.cookie = cookie.slice(0, at) + other + cookie.slice(at + 1)

      expect(await client.get('/api/auth/me')).toAnswer({ status: 401, answer: unauthorized })
    }
  })
})
