import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { login } from '#dashboard/kernel/auth/login.ts'
import { findUser, updatePassword } from '#dashboard/kernel/auth/queries.ts'
import { openSession } from '#dashboard/kernel/auth/sessions.ts'
import { sessions } from '#dashboard/kernel/db/auth-schema.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'
import { appOf, turnOn } from '#tests/support/dashboard/totp.ts'
import { copyRecords } from '#tests/support/records.ts'

const STEP_MS = 30_000
const OTHER = 'bob@control.example'
const WRONG_LOGIN = {
  status: 401,
  body: { error: 'Unauthorized', message: 'Invalid email or password' },
}
const NEEDED = {
  status: 401,
  body: {
    error: 'Unauthorized',
    message: 'Enter the code of your authenticator app, or a recovery code',
    code: 'second_factor_needed',
  },
}
const WRONG = {
  status: 401,
  body: {
    error: 'Unauthorized',
    message: 'The code is wrong, or was used before',
    code: 'second_factor_wrong',
  },
}
const WRONG_CODE = {
  status: 422,
  body: { error: 'Validation failed', fields: { code: ['The code is wrong, or was used before'] } },
}

const change = ({ db }: Dashboard, statement: string) =>
  db.write((queries) => queries.run(sql.raw(statement)))

/** A dashboard with two-factor authentication of its first user, one step later. */
async function protectedWorld() {
  const clock = new HeldClock()
  const dashboard = await makeDashboard({ clock, open: withOther })
  const app = await turnOn(dashboard)
  clock.move(STEP_MS)
  return {
    clock,
    dashboard,
    app,
    code: (steps = 0) => app.code(clock.now(), steps),
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
    },
  }
}

/** A login of a browser without a session. */
async function signIn(dashboard: Dashboard, body: object = {}) {
  const credentials = { email: EMAIL, password: PASSWORD, ...body }
  const response = await dashboard.send('POST', '/api/auth/login', credentials, { cookie: '' })
  const cookies = response.headers.getSetCookie().map((line) => line.split('=')[0])
  return { status: response.status, body: await response.json(), cookies }
}

const refused = (answer: { status: number; body: object }) => ({
  ...answer,
  cookies: [] as string[],
})
const statusOf = async (work: Promise<{ status: number }>) => (await work).status
const asOther = (token: string) => ({ cookie: `session=${token}` })
const sessionsOf = ({ db }: Dashboard) => db.read.select().from(sessions)

async function activityOf(dashboard: Dashboard, count: number) {
  const { body } = await dashboard.call('GET', '/api/fleet/activity')
  const entries: Record<'type' | 'status' | 'actor' | 'detail', string | null>[] = body.activities
  return entries
    .slice(0, count)
    .map(({ type, status, actor, detail }) => [type, status, actor, detail])
}

describe('setting up two-factor authentication', () => {
  test('has an effect only after the first code of the app', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const { status, body } = await dashboard.call('POST', '/api/auth/totp', { password: PASSWORD })
    const app = appOf(body.secret)

    expect([status, body]).toEqual([
      201,
      {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        uri: `otpauth://totp/Hosting%20Control:ann%40control.example?secret=${body.secret}&issuer=Hosting%20Control&algorithm=SHA1&digits=6&period=30`,
      },
    ])
    expect(await statusOf(signIn(dashboard))).toBe(200)
    expect((await dashboard.call('GET', '/api/auth/totp')).body).toEqual({
      totp: { enabled: false, since: null, recovery_codes_left: 0 },
    })
    const confirm = (code: string) => dashboard.call('POST', '/api/auth/totp/confirm', { code })
    expect(await confirm(app.code(clock.now(), 2))).toEqual(WRONG_CODE)

    const confirmed = await confirm(app.code(clock.now()))

    expect(confirmed).toEqual({ status: 200, body: { recovery_codes: expect.any(Array) } })
    expect(confirmed.body.recovery_codes).toHaveLength(10)
    expect((await dashboard.call('GET', '/api/auth/totp')).body).toEqual({
      totp: { enabled: true, since: '2026-01-01T00:00:00.000Z', recovery_codes_left: 10 },
    })
    expect(await signIn(dashboard)).toEqual(refused(NEEDED))
    expect(await activityOf(dashboard, 1)).toEqual([['auth.factor_enable', 'success', EMAIL, null]])
  })

  test('does not turn on for whoever has logged in in another tab meanwhile', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const other = await dashboard.signInWith(['operator'])
    const begin = async (headers?: { cookie: string }) =>
      appOf(
        (await dashboard.call('POST', '/api/auth/totp', { password: PASSWORD }, headers)).body
          .secret,
      ).code(clock.now())
    const confirm = (code: string) =>
      dashboard.call('POST', '/api/auth/totp/confirm', { code }, other)
    const code = await begin()

    const before = await confirm(code)
    const own = await begin(other)
    const after = await confirm(code)

    expect([before.status, after]).toEqual([409, WRONG_CODE])
    const states = [undefined, other].map((headers) =>
      dashboard.call('GET', '/api/auth/totp', undefined, headers),
    )
    expect((await Promise.all(states)).map(({ body }) => body.totp.enabled)).toEqual([false, false])
    expect((await confirm(own)).status).toBe(200)
  })

  test('ends the other sessions, and no API token', async () => {
    await using dashboard = await makeDashboard({ clock: new HeldClock() })
    const own = dashboard.token
    await dashboard.signIn()
    const other = dashboard.token
    dashboard.token = own
    const token = { name: 'script', password: PASSWORD }
    const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', token)).body
    const script = { cookie: '', authorization: `Bearer ${plaintext}` }
    const me = (headers = {}) => statusOf(dashboard.send('GET', '/api/auth/me', undefined, headers))

    await turnOn(dashboard)

    expect([await me(), await me(asOther(other)), await me(script)]).toEqual([200, 401, 200])
  })

  test('needs the password', async () => {
    await using dashboard = await makeDashboard({ clock: new HeldClock() })

    const answer = await dashboard.call('POST', '/api/auth/totp', { password: 'guess' })

    expect(answer).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields: { password: ['Is not the current password'] } },
    })
  })

  test('takes the newest secret, for an hour', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const start = async () => {
      const { body } = await dashboard.call('POST', '/api/auth/totp', { password: PASSWORD })
      return appOf(body.secret)
    }
    const confirm = (code: string) =>
      statusOf(dashboard.call('POST', '/api/auth/totp/confirm', { code }))

    expect(await confirm('000000')).toBe(409)
    const first = await start()
    const second = await start()
    expect(await confirm(first.code(clock.now()))).toBe(422)
    clock.move(60 * 60_000)
    expect(await confirm(second.code(clock.now()))).toBe(409)
    const third = await start()
    expect(await confirm(third.code(clock.now()))).toBe(200)
  })

  test('is refused while it is on', async () => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const on = {
      status: 409,
      body: { error: 'Conflict', message: 'Two-factor authentication is on already' },
    }

    expect(await dashboard.call('POST', '/api/auth/totp', { password: PASSWORD })).toEqual(on)
    expect(await dashboard.call('POST', '/api/auth/totp/confirm', { code: code() })).toEqual(on)
  })

  test('is 429 after five wrong first codes in a session', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock })
    const { body } = await dashboard.call('POST', '/api/auth/totp', { password: PASSWORD })
    const app = appOf(body.secret)
    const confirm = (steps: number) =>
      dashboard.call('POST', '/api/auth/totp/confirm', { code: app.code(clock.now(), steps) })

    const statuses: number[] = []
    for (const steps of [5, 6, 7, 8, 9, 0]) statuses.push(await statusOf(confirm(steps)))

    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
  })

  test('leaves neither secret nor recovery codes in the records', async () => {
    await using dashboard = await makeDashboard({ clock: new HeldClock() })
    const { body } = await dashboard.call('POST', '/api/auth/totp', { password: PASSWORD })
    const code = appOf(body.secret).code(dashboard.deps.clock.now())
    const confirmed = await dashboard.call('POST', '/api/auth/totp/confirm', { code })
    const codes: string[] = confirmed.body.recovery_codes

    const files = ['test.db', 'test.db-wal'].map((name) => `${dashboard.folder}/${name}`)
    const bytes = await Promise.all(files.map((file) => readFile(file, 'latin1')))
    const all = `${bytes.join('')}${dashboard.log.join('')}`

    expect(all).toContain('auth.factor_enable')
    const plain = [body.secret, ...codes, ...codes.map((each) => each.replace('-', ''))]
    expect(plain.filter((secret) => all.includes(secret))).toEqual([])
  })
})

describe('a login with two-factor authentication', () => {
  test('needs the code after a right password only', async () => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const password = 'guess'

    expect(await signIn(dashboard, { password })).toEqual(refused(WRONG_LOGIN))
    expect(await signIn(dashboard, { password, code: code() })).toEqual(refused(WRONG_LOGIN))
    expect(await signIn(dashboard, { email: 'x@example.com', code: code() })).toEqual(
      refused(WRONG_LOGIN),
    )
    expect(await signIn(dashboard)).toEqual(refused(NEEDED))
    expect(await sessionsOf(dashboard)).toHaveLength(1)

    const signedIn = await signIn(dashboard, { code: code() })

    expect(signedIn).toEqual({
      status: 200,
      body: { user: { id: 1, email: EMAIL, name: 'Administrator' } },
      cookies: ['session', 'device'],
    })
  })

  test('takes a code with a blank, and of the step before or after', async () => {
    await using world = await protectedWorld()
    const { dashboard, code, clock } = world
    clock.move(STEP_MS)
    const spaced = code(-1).replace(/^.../, '$& ')

    expect(await statusOf(signIn(dashboard, { code: spaced }))).toBe(200)
    expect(await statusOf(signIn(dashboard, { code: code(1) }))).toBe(200)
    expect(await signIn(dashboard, { code: code() })).toEqual(refused(WRONG))
  })

  test('refuses a code that was used, and records it as a failed login', async () => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const own = code()

    expect(await signIn(dashboard, { code: code(-1) })).toEqual(refused(WRONG))
    expect(await statusOf(signIn(dashboard, { code: own }))).toBe(200)
    expect(await signIn(dashboard, { code: own })).toEqual(refused(WRONG))
    const wrong = ['auth.login', 'failed', EMAIL, 'the code was wrong, the password was not']
    expect(await activityOf(dashboard, 3)).toEqual([
      wrong,
      ['auth.login', 'success', EMAIL, null],
      wrong,
    ])
  })

  test('takes each recovery code once', async () => {
    await using world = await protectedWorld()
    const { dashboard, app } = world
    const [first = '', second = ''] = app.recovery_codes

    expect(await statusOf(signIn(dashboard, { code: first.toUpperCase() }))).toBe(200)
    expect(await signIn(dashboard, { code: first })).toEqual(refused(WRONG))
    expect(await statusOf(signIn(dashboard, { code: second }))).toBe(200)
    const { body } = await dashboard.call('GET', '/api/auth/totp')
    expect(body.totp.recovery_codes_left).toBe(8)
    expect(
      (await activityOf(dashboard, 3)).map(([, status, , detail]) => [status, detail]),
    ).toEqual([
      ['success', 'with a recovery code, 8 left'],
      ['failed', 'the code was wrong, the password was not'],
      ['success', 'with a recovery code, 9 left'],
    ])
  })

  test.each(['app', 'recovery'] as const)(
    'opens one session with one code of the %s that arrives ten times at once',
    async (kind) => {
      await using world = await protectedWorld()
      const { dashboard, code, app } = world
      const given = kind === 'app' ? code() : (app.recovery_codes[0] ?? '')
      const device = dashboard.deps.devices.issue(EMAIL)

      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, turn) =>
          login(
            dashboard.deps,
            { email: EMAIL, password: new Secret(PASSWORD), code: new Secret(given) },
            { address: `192.0.2.${turn}`, device: turn === 0 ? device : undefined },
          ).then(
            () => 'signed in',
            (error: Error) => error.message,
          ),
        ),
      )

      expect(answers.filter((answer) => answer === 'signed in')).toHaveLength(1)
      expect(answers.filter((answer) => answer === WRONG.body.message)).toHaveLength(9)
      expect(await sessionsOf(dashboard)).toHaveLength(2)
    },
  )

  test('refuses the codes of another account', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock, open: withOther })
    const app = await turnOn(dashboard)
    const own = dashboard.token
    const bob = await findUser(dashboard.deps, 2)
    if (!bob) throw new Error('There is no second user')
    dashboard.token = await openSession(dashboard.deps, bob)
    const theirs = await turnOn(dashboard)
    dashboard.token = own
    clock.move(STEP_MS)

    for (const code of [theirs.code(clock.now()), theirs.recovery_codes[0] ?? ''])
      expect(await signIn(dashboard, { code })).toEqual(refused(WRONG))
    for (const code of [app.code(clock.now()), app.recovery_codes[0] ?? ''])
      expect(await signIn(dashboard, { email: OTHER, code })).toEqual(refused(WRONG))
    expect(await statusOf(signIn(dashboard, { code: app.code(clock.now()) }))).toBe(200)
    const bobs = { email: OTHER, code: theirs.code(clock.now()) }
    expect(await statusOf(signIn(dashboard, bobs))).toBe(200)
  })

  test('is 429 after five wrong codes from one address, also with the right one', async () => {
    await using world = await protectedWorld()
    const { dashboard, code, clock } = world
    const statuses: number[] = []
    for (const steps of [5, 6, 7, 8, 9, 0])
      statuses.push(await statusOf(signIn(dashboard, { code: code(steps) })))

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    clock.move(15 * 60_000)
    expect(await statusOf(signIn(dashboard, { code: code() }))).toBe(200)
  })

  test('does not forget wrong codes after a right password', async () => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const answers: unknown[] = []
    for (const steps of [5, 6, 7, 8, 9]) {
      answers.push((await signIn(dashboard)).body.code)
      answers.push((await signIn(dashboard, { code: code(steps) })).body.code)
    }

    expect(answers).toEqual(Array(5).fill(['second_factor_needed', 'second_factor_wrong']).flat())
    expect(await statusOf(signIn(dashboard))).toBe(429)
  })

  test('is delayed by wrong codes from many addresses, and ends with ten of them', async () => {
    await using world = await protectedWorld()
    const { dashboard, code, clock } = world
    const slept: number[] = []
    clock.sleep = async (ms) => {
      slept.push(ms)
    }
    const from = (address: string, steps: number) =>
      login(
        dashboard.deps,
        { email: EMAIL, password: new Secret(PASSWORD), code: new Secret(code(steps)) },
        { address, device: undefined },
      ).then(
        () => 'signed in',
        (error: Error) => error.message,
      )
    for (let turn = 0; turn < 8; turn++) await from(`192.0.2.${turn}`, 5)

    expect(slept).toEqual([250, 500, 1000])
    expect(await from('192.0.2.100', 0)).toBe('signed in')
    clock.move(STEP_MS)
    const guess = async (address: string) => await from(address, 5)
    for (let turn = 0; turn < 10; turn++)
      expect(await guess(`192.0.3.${turn}`)).toBe(WRONG.body.message)
    expect(await guess('192.0.3.10')).toBe('Too many failed attempts, try again later')
    expect(await from('192.0.3.11', 0)).toBe('Too many failed attempts, try again later')
    clock.move(15 * 60_000)
    expect(await from('192.0.3.11', 0)).toBe('signed in')
  })

  test('is not ended on a known device by the wrong codes of others', async () => {
    await using world = await protectedWorld()
    const { dashboard, code, clock } = world
    clock.sleep = async () => undefined
    const credentials = { email: EMAIL, password: new Secret(PASSWORD) }
    const from = (address: string, steps: number, device?: string) =>
      login(dashboard.deps, { ...credentials, code: new Secret(code(steps)) }, { address, device })
    const { device } = await from('192.0.2.1', 0)
    for (let turn = 0; turn < 11; turn++) await from(`192.0.3.${turn}`, 5).catch(() => undefined)
    clock.move(STEP_MS)

    expect((await from('192.0.2.1', 0, device)).user.email).toBe(EMAIL)
  })

  test('opens no session if the account is changed after it was checked', async () => {
    await using world = await protectedWorld()
    const { dashboard } = world
    const checked = await findUser(dashboard.deps, 1)
    if (!checked) throw new Error('There is no user')
    const { code } = world
    await dashboard.call('POST', '/api/auth/totp/disable', { password: PASSWORD, code: code() })
    const before = await sessionsOf(dashboard)

    await expect(openSession(dashboard.deps, checked, undefined, { checked })).rejects.toThrow(
      'Invalid email or password',
    )

    expect(await sessionsOf(dashboard)).toEqual(before)
  })
})

describe('a change that needs the password needs a code too', () => {
  const ASKED = { status: 409, body: { ...NEEDED.body, error: 'Conflict' } }
  test.each([
    ['POST', '/api/auth/confirm', { password: PASSWORD }, 204],
    ['POST', '/api/auth/tokens', { name: 'script', password: PASSWORD }, 201],
    [
      'POST',
      '/api/auth/password',
      { current_password: PASSWORD, password: 'another long password' },
      204,
    ],
    ['PATCH', '/api/auth/me', { email: 'new@control.example', password: PASSWORD }, 200],
  ])('%s %s', async (method, path, body, status) => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const call = (given: object = {}) => dashboard.call(method, path, { ...body, ...given })
    const own = code()

    expect(await call()).toEqual(ASKED)
    expect(await call({ code: code(4) })).toEqual(WRONG_CODE)
    expect(await statusOf(call({ code: own }))).toBe(status)
    if (path.endsWith('/password') || path.endsWith('/me')) return
    expect(await call({ code: own })).toEqual(WRONG_CODE)
    expect(await signIn(dashboard, { code: own })).toEqual(refused(WRONG))
  })

  test('and is 429 after five wrong ones', async () => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const confirm = (given: object) =>
      statusOf(dashboard.call('POST', '/api/auth/confirm', { password: PASSWORD, ...given }))
    const statuses: number[] = []
    for (const steps of [5, 6, 7, 8, 9]) {
      statuses.push(await confirm({}))
      statuses.push(await confirm({ code: code(steps) }))
    }

    expect(statuses).toEqual(Array(5).fill([409, 422]).flat())
    expect(await confirm({ code: code() })).toBe(429)
  })
})

describe('new recovery codes', () => {
  test('replace the previous ones', async () => {
    await using world = await protectedWorld()
    const { dashboard, code, app, clock } = world
    const make = (given: object) =>
      dashboard.call('POST', '/api/auth/totp/recovery-codes', { password: PASSWORD, ...given })
    expect((await make({ password: 'guess', code: code() })).body.fields).toEqual({
      password: ['Is not the current password'],
    })
    expect(await make({ code: code(4) })).toEqual(WRONG_CODE)
    expect((await make({})).body.fields).toEqual({ code: ['Code is required'] })

    const made = await make({ code: code() })

    const codes: string[] = made.body.recovery_codes
    expect(codes.filter((each) => !app.recovery_codes.includes(each))).toHaveLength(10)
    expect(await activityOf(dashboard, 1)).toEqual([
      ['auth.recovery_codes', 'success', EMAIL, null],
    ])
    clock.move(STEP_MS)
    expect(await signIn(dashboard, { code: app.recovery_codes[0] })).toEqual(refused(WRONG))
    expect(await statusOf(signIn(dashboard, { code: codes[0] }))).toBe(200)
    expect(await statusOf(signIn(dashboard, { code: code() }))).toBe(200)
  })

  test('are 409 while it is off', async () => {
    await using dashboard = await makeDashboard()
    const body = { password: PASSWORD, code: '123456' }
    const off = {
      status: 409,
      body: { error: 'Conflict', message: 'Two-factor authentication is off' },
    }

    expect(await dashboard.call('POST', '/api/auth/totp/recovery-codes', body)).toEqual(off)
    expect(await dashboard.call('POST', '/api/auth/totp/disable', body)).toEqual(off)
  })
})

describe('turning two-factor authentication off', () => {
  test.each(['app', 'recovery'] as const)(
    'needs the password and a code of the %s, and ends the other sessions',
    async (kind) => {
      await using world = await protectedWorld()
      const { dashboard, code, app, clock } = world
      await signIn(dashboard, { code: code() })
      clock.move(STEP_MS)
      const off = (given: object) =>
        dashboard.call('POST', '/api/auth/totp/disable', { password: PASSWORD, ...given })
      const right = kind === 'app' ? code() : app.recovery_codes[0]
      expect(await statusOf(off({ password: 'guess', code: right }))).toBe(422)
      expect(await off({ code: code(4) })).toEqual(WRONG_CODE)
      expect(await sessionsOf(dashboard)).toHaveLength(2)

      expect(await statusOf(off({ code: right }))).toBe(204)

      expect(await sessionsOf(dashboard)).toHaveLength(1)
      expect((await dashboard.call('GET', '/api/auth/totp')).body).toEqual({
        totp: { enabled: false, since: null, recovery_codes_left: 0 },
      })
      expect(await activityOf(dashboard, 1)).toEqual([
        ['auth.factor_disable', 'success', EMAIL, null],
      ])
      expect(await statusOf(signIn(dashboard))).toBe(200)
      expect(await statusOf(signIn(dashboard, { code: code() }))).toBe(200)
    },
  )

  test('and on again needs the new app', async () => {
    await using world = await protectedWorld()
    const { dashboard, code, clock, app } = world
    await dashboard.call('POST', '/api/auth/totp/disable', { password: PASSWORD, code: code() })

    const next = await turnOn(dashboard)

    clock.move(STEP_MS)
    expect(await signIn(dashboard, { code: app.code(clock.now()) })).toEqual(refused(WRONG))
    expect(await signIn(dashboard, { code: app.recovery_codes[0] })).toEqual(refused(WRONG))
    expect(await statusOf(signIn(dashboard, { code: next.code(clock.now()) }))).toBe(200)
  })
})

describe('whoever can write to the database', () => {
  test.each([
    ['the factor of the user', "update users set factor_id = ''", WRONG_LOGIN],
    ['the whole factor', 'delete from user_factors', WRONG],
    ['the user of the factor', 'update user_factors set user_id = 2', WRONG],
    ['the last step', 'update user_factors set last_step = 0', WRONG],
    ['the recovery codes', "update user_factors set recovery_codes = 'x'", WRONG],
    ['the time of its begin', 'update user_factors set confirmed_at = null', WRONG],
    ['the secret', "update user_factors set secret_sealed = 'x'", WRONG],
    ['the mark', "update user_factors set mark = ''", WRONG],
  ])('gains nothing by a change of %s, which is a critical item', async (_, statement, answer) => {
    await using world = await protectedWorld()
    const { dashboard, code } = world
    const [first] = world.app.recovery_codes
    const { token } = dashboard
    await change(dashboard, statement)

    const without = await signIn(dashboard)
    const withCode = await signIn(dashboard, { code: code() })
    const withRecovery = await signIn(dashboard, { code: first })

    expect(without).toEqual(refused(answer === WRONG_LOGIN ? WRONG_LOGIN : NEEDED))
    expect([withCode, withRecovery]).toEqual([refused(answer), refused(answer)])
    dashboard.token = token
    const { status, body } = await dashboard.call('GET', '/api/fleet')
    if (answer === WRONG_LOGIN) return expect(status).toBe(401)
    expect(body.attention[0]).toMatchObject({ kind: 'records_changed', severity: 'critical' })
    expect(body.attention[0].items[0].reason).toStartWith('The records of 1 second factor were')
  })

  test('gains nothing with the factor of another account', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock, open: withOther })
    await turnOn(dashboard)
    const bob = await findUser(dashboard.deps, 2)
    if (!bob) throw new Error('There is no second user')
    dashboard.token = await openSession(dashboard.deps, bob)
    const theirs = await turnOn(dashboard)
    clock.move(STEP_MS)
    await change(dashboard, 'delete from user_factors where user_id = 1')
    await change(
      dashboard,
      'update user_factors set user_id = 1, id = (select factor_id from users where id = 1)',
    )

    expect(await signIn(dashboard, { code: theirs.code(clock.now()) })).toEqual(refused(WRONG))
  })
})

test('a password that is changed while two-factor authentication is turned on stays as it was', async () => {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const { deps } = dashboard
  const user = await findUser(deps, 1)
  if (!user) throw new Error('There is no user')
  const app = await turnOn(dashboard)
  const password_hash = await deps.passwords.hash(new Secret('another long password'))
  const entry = entryOf(clock, { type: 'auth.password', user_id: 1 })

  const change = { user, password_hash, end_tokens: true }
  const isChanged = await updatePassword(deps, change, entry)

  expect(isChanged).toBe(false)
  expect(await activityOf(dashboard, 1)).toEqual([['auth.factor_enable', 'success', EMAIL, null]])
  clock.move(STEP_MS)
  expect(await signIn(dashboard)).toEqual(refused(NEEDED))
  expect(await statusOf(signIn(dashboard, { code: app.code(clock.now()) }))).toBe(200)
})

/** The records of a dashboard with a second user. */
async function withOther(file: string) {
  await copyRecords(file, [OTHER])
  const { openDatabase } = await import('#dashboard/kernel/db/client.ts')
  return openDatabase(`file:${file}`)
}
