// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { Authenticator, ORIGIN } from '#tests/support/dashboard/passkeys.ts'
import { type App, appOf } from '#tests/support/dashboard/totp.ts'
import { type Member, SharedRecords } from '#tests/support/leases/fleet.ts'
import { ADMIN, runRecords, sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)
let records: SharedRecords
let members: [Member, Member]
let app: App

beforeAll(async () => {
  records = await SharedRecords.start()
  const env = { PUBLIC_URL: ORIGIN }
  members = [await records.add(env), await records.add(env)]
  const { client } = members[0]
  const started = await client.post('/api/auth/totp', { password: ADMIN.password })
  const { secret } = Object(started.body)
  const code = appOf(secret).code(new Date())
  const { body } = await client.post('/api/auth/totp/confirm', { code })
  app = appOf(secret, Object(body).recovery_codes)
})
afterAll(async () => {
  await records?.stop()
  await sweep()
})

async function signIn({ dashboard }: Member, code?: string): Promise<number> {
  const given = code === undefined ? {} : { code }
  const client = new Client(dashboard.url)
  return (await client.post('/api/auth/login', { ...ADMIN, ...given })).status
}

test('a code opens one session, whichever dashboards it reaches at the same time', async () => {
  const [one, other] = members
  const codes = [app.code(new Date(), 1), app.recovery_codes[0] ?? '']

  for (const code of codes) {
    const logins = [one, other, one, other].map((member) => signIn(member, code))
    expect((await Promise.all(logins)).toSorted()).toEqual([200, 401, 401, 401])
  }
})

test('a passkey that one dashboard has asked for opens one session, whichever it reaches', async () => {
  const [one, other] = members
  // A dashboard refuses further attempts after five failures; a login clears their number.
  for (const [at, member] of members.entries())
    expect(await signIn(member, app.recovery_codes[at + 1])).toBe(200)
  const authenticator = new Authenticator()
  const options = await one.client.post('/api/auth/passkeys/options')
  const credential = authenticator.create(Object(options.body))
  await other.client.post('/api/auth/passkeys', { name: 'Key', credential })
  const started = await new Client(one.dashboard.url).post('/api/auth/login/passkey/options')
  const cookie = started.headers.getSetCookie()[0]?.split(';')[0]
  const passkey = authenticator.get(Object(started.body))

  const logins = [one, other, one, other].map(({ dashboard }) =>
    new Client(dashboard.url, cookie).post('/api/auth/login/passkey', { passkey }),
  )

  const statuses = (await Promise.all(logins)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 401, 401, 401])
})

test('a change by one dashboard counts at the other at once, and so does the command', async () => {
  const [one, other] = members
  const session = new Client(other.dashboard.url, one.client.cookie)
  const status = async () => (await session.get('/api/auth/me')).status
  expect([await status(), await signIn(other)]).toEqual([200, 401])
  const { url: DATABASE_URL, token_file: DATABASE_AUTH_TOKEN_FILE } = records.sqld
  const env = { DATABASE_URL, DATABASE_AUTH_TOKEN_FILE }

  const { code, err } = await runRecords(one.data, ['reset-factors', ADMIN.email], env)

  expect([code, err]).toEqual([0, ''])
  expect([await status(), await signIn(other)]).toEqual([401, 200])
})
