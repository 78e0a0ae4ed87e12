// tier: gate
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
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

beforeAll(async () => {
  folder = await dashboardFolder()
  dashboard = await startDashboard(folder)
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  const started = await client.post('/api/auth/totp', { password: ADMIN.password })
  const { secret } = Object(started.body)
  const code = appOf(secret).code(new Date())
  const { body } = await client.post('/api/auth/totp/confirm', { code })
  app = appOf(secret, Object(body).recovery_codes)
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

test('a restart forgets no code that was used', async () => {
  const [used, unused] = app.recovery_codes
  await dashboard.kill()
  dashboard = await startDashboard(folder)

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
