// tier: gate
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { Authenticator, ORIGIN } from '#tests/support/dashboard/passkeys.ts'
import { type App, appOf } from '#tests/support/dashboard/totp.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  runRecords,
  startDashboard,
  sweep,
} from '#tests/support/processes.ts'

setDefaultTimeout(60_000)
let folder = ''
let dashboard: Running
let app: App
const PUBLIC = { PUBLIC_URL: ORIGIN }
const authenticator = new Authenticator()

beforeAll(async () => {
  folder = await dashboardFolder()
  dashboard = await startDashboard(folder, PUBLIC)
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  const started = await client.post('/api/auth/totp', { password: ADMIN.password })
  const { secret } = Object(started.body)
  const code = appOf(secret).code(new Date())
  const { body } = await client.post('/api/auth/totp/confirm', { code })
  app = appOf(secret, Object(body).recovery_codes)
  const options = await client.post('/api/auth/passkeys/options')
  const credential = authenticator.create(Object(options.body))
  const added = await client.post('/api/auth/passkeys', { name: 'Key', credential })
  if (added.status !== 201) throw new Error(added.text)
})
afterAll(async () => {
  await dashboard?.kill()
  await sweep()
})

async function signIn(code?: string) {
  const client = new Client(dashboard.url)
  const given = code === undefined ? {} : { code }
  const { status, body, headers } = await client.post('/api/auth/login', { ...ADMIN, ...given })
  return { status, code: Object(body).code, cookies: headers.getSetCookie().length }
}

const NEEDED = { status: 401, code: 'second_factor_needed', cookies: 0 }
const WRONG = { status: 401, code: 'second_factor_wrong', cookies: 0 }
const SIGNED_IN = { status: 200, code: undefined, cookies: 2 }

test('a login with two-factor authentication needs a code, which is valid once', async () => {
  const code = app.code(new Date(), 1)

  expect(await signIn()).toEqual(NEEDED)
  expect(await signIn(code)).toEqual(SIGNED_IN)
  expect(await signIn(code)).toEqual(WRONG)
  expect(await signIn(app.recovery_codes[0])).toEqual(SIGNED_IN)
  expect(await signIn(app.recovery_codes[0])).toEqual(WRONG)
})

test('a passkey signs in alone, once for each challenge', async () => {
  const client = new Client(dashboard.url)
  const started = await client.post('/api/auth/login/passkey/options')
  client.cookie = started.headers.getSetCookie()[0]?.split(';')[0]
  const passkey = authenticator.get(Object(started.body))
  const signedIn = await client.post('/api/auth/login/passkey', { passkey })
  const replayed = await client.post('/api/auth/login/passkey', { passkey })

  expect([signedIn.status, signedIn.headers.getSetCookie().length]).toEqual([200, 2])
  expect([replayed.status, replayed.headers.getSetCookie().length]).toEqual([401, 0])
})

test('a restart forgets no code that was used', async () => {
  const [used, unused] = app.recovery_codes
  await dashboard.kill()
  dashboard = await startDashboard(folder, PUBLIC)

  expect(await signIn(used)).toEqual(WRONG)
  expect(await signIn(unused)).toEqual(SIGNED_IN)
})

test('a command on the machine of the dashboard turns it off, also after its records were changed', async () => {
  const database = new Database(`${folder}/dashboard.db`)
  database.run('pragma busy_timeout = 5000')
  database.run('update user_factors set last_step = 0')
  database.close()
  expect(await signIn(app.recovery_codes[2])).toEqual(WRONG)

  const { code, out } = await runRecords(folder, ['reset-factors', ADMIN.email])

  expect([code, out]).toEqual([
    0,
    `two-factor authentication of ${ADMIN.email} is off, and its sessions have ended\nthe activity and the overview of the dashboard report it\n`,
  ])
  expect(await signIn()).toEqual(SIGNED_IN)
})
