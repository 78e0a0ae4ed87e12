import { describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { Challenges } from '#dashboard/kernel/auth/challenges.ts'
import { relyingPartyOf } from '#dashboard/kernel/auth/relying-party.ts'
import { passkeys, sessions, used_challenges } from '#dashboard/kernel/db/auth-schema.ts'
import { deleteExpired } from '#dashboard/kernel/db/retention.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'
import {
  Authenticator,
  addPasskey,
  ORIGIN,
  passwordLogin,
  startLogin,
} from '#tests/support/dashboard/passkeys.ts'
import { turnOn } from '#tests/support/dashboard/totp.ts'

const MINUTE = 60_000
const LIST = '/api/auth/passkeys'
const REFUSED = {
  status: 401,
  body: { error: 'Unauthorized', message: 'The passkey was not accepted' },
}
const WRONG_FACTOR = {
  status: 401,
  body: { ...REFUSED.body, code: 'second_factor_wrong' },
}
const NOT_ACCEPTED = { error: 'Validation failed', fields: { credential: [REFUSED.body.message] } }
const USER = { user: { id: 1, email: EMAIL, name: 'Administrator' } }

/** A dashboard whose first user has a passkey. */
async function withPasskey(authenticator = new Authenticator()) {
  const clock = new HeldClock()
  const dashboard = await makeDashboard({ clock, public_url: ORIGIN })
  const id = await addPasskey(dashboard, authenticator)
  return {
    clock,
    dashboard,
    authenticator,
    id,
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
    },
  }
}

type Changes = Parameters<Authenticator['get']>[1]

const post = (dashboard: Dashboard, passkey: object, cookie: string) =>
  dashboard.call('POST', '/api/auth/login/passkey', { passkey }, { cookie })

/** A login with the passkey alone. */
async function signIn(dashboard: Dashboard, authenticator: Authenticator, forged?: Changes) {
  const { options, cookie } = await startLogin(dashboard)
  return post(dashboard, authenticator.get(options, forged), cookie)
}

async function lastActivity(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/fleet/activity?limit=1')
  const [{ type, status, actor, detail }] = body.activities
  return { type, status, actor, detail }
}

const change = ({ db }: Dashboard, statement: string) =>
  db.write((queries) => queries.run(sql.raw(statement)))

describe('a passkey', () => {
  test('is added, listed without its key, renamed and removed', async () => {
    await using world = await withPasskey()
    const { dashboard, id } = world
    const created_at = '2026-01-01T00:00:00.000Z'
    const key = { id, name: 'Key', created_at, last_used_at: null, backed_up: false }
    expect((await dashboard.call('GET', LIST)).body).toEqual({
      passkeys: [key],
      origin: ORIGIN,
      problem: null,
    })
    expect(await lastActivity(dashboard)).toEqual({
      type: 'auth.passkey_add',
      status: 'success',
      actor: EMAIL,
      detail: 'Key',
    })

    const renamed = await dashboard.call('PATCH', `${LIST}/${id}`, { name: ' Spare key ' })
    expect(renamed).toEqual({ status: 200, body: { passkey: { ...key, name: 'Spare key' } } })
    expect((await dashboard.call('DELETE', `${LIST}/${id}`)).status).toBe(204)

    expect((await dashboard.call('GET', LIST)).body.passkeys).toEqual([])
    expect(await lastActivity(dashboard)).toMatchObject({
      type: 'auth.passkey_remove',
      detail: 'Spare key',
    })
    expect((await passwordLogin(dashboard, { email: EMAIL })).status).toBe(200)
  })

  test('has options that name the account by a random handle, and exclude its other passkeys', async () => {
    await using world = await withPasskey()
    const { dashboard } = world
    const [row] = await dashboard.db.read.select().from(passkeys)

    const { body } = await dashboard.call('POST', `${LIST}/options`)

    expect(body).toEqual({
      rp: { id: 'control.example', name: 'Hosting Control' },
      user: {
        id: expect.stringMatching(/^[\w-]{43}$/),
        name: EMAIL,
        displayName: 'Administrator',
      },
      challenge: expect.stringMatching(/^[\w-]{72}$/),
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [
        { id: row?.credential_id, type: 'public-key', transports: ['internal'] },
      ],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
    })
    expect((await dashboard.call('POST', `${LIST}/options`)).body.user).toEqual(body.user)
  })

  test('as the first factor of an account ends its other sessions, and a second one does not', async () => {
    await using dashboard = await makeDashboard({ public_url: ORIGIN })
    const count = async () => (await dashboard.db.read.select().from(sessions)).length
    await dashboard.signIn()
    const before = await count()

    await addPasskey(dashboard, new Authenticator())
    const first = await count()
    await dashboard.signIn()
    await addPasskey(dashboard, new Authenticator(), { name: 'Second' })

    expect([before, first, await count()]).toEqual([2, 1, 2])
  })

  test('that is removed ends the other sessions', async () => {
    await using world = await withPasskey()
    const { dashboard, id } = world
    const own = dashboard.token
    await dashboard.signIn()
    const other = dashboard.token
    dashboard.token = own

    await dashboard.call('DELETE', `${LIST}/${id}`)

    const statusOf = async (token: string) =>
      (
        await dashboard.call('GET', '/api/auth/me', undefined, {
          cookie: `__Host-session=${token}`,
        })
      ).status
    expect([await statusOf(own), await statusOf(other)]).toEqual([200, 401])
  })

  test.each<[string, Parameters<Authenticator['create']>[1]]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['the same host without TLS', { origin: 'http://control.example' }],
    ['another relying party', { rp_id: 'evil.example' }],
    ['an authenticator that has not verified its user', { verified: false }],
  ])('of %s is not added', async (_, forged) => {
    await using dashboard = await makeDashboard({ public_url: ORIGIN })
    const { body: options } = await dashboard.call('POST', `${LIST}/options`)
    const credential = new Authenticator().create(options, forged)

    const { status, body } = await dashboard.call('POST', LIST, { name: 'Key', credential })

    expect([status, body]).toEqual([422, NOT_ACCEPTED])
    expect((await dashboard.call('GET', LIST)).body.passkeys).toEqual([])
  })

  test('answers the options of its own session, once, within five minutes', async () => {
    const clock = new HeldClock()
    await using dashboard = await makeDashboard({ clock, public_url: ORIGIN })
    const other = await dashboard.signInWith(['owner'])
    const options = async () => (await dashboard.call('POST', `${LIST}/options`)).body
    const add = (asked: Parameters<Authenticator['create']>[0], headers?: { cookie: string }) => {
      const credential = new Authenticator().create(asked)
      return dashboard.call('POST', LIST, { name: 'Key', credential }, headers)
    }
    const [stolen, late, twice] = [await options(), await options(), await options()]

    expect((await add(stolen, other)).body).toEqual(NOT_ACCEPTED)
    expect((await add(twice)).status).toBe(201)
    expect((await add(twice)).body).toEqual(NOT_ACCEPTED)
    clock.move(5 * MINUTE)
    expect((await add(late)).body).toEqual(NOT_ACCEPTED)
  })

  test('is added and removed only after a recent confirmation, in a session', async () => {
    await using world = await withPasskey()
    const { dashboard, clock, id } = world
    const token = { name: 'script', scope: 'admin', password: PASSWORD }
    const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', token)).body
    const script = { cookie: '', authorization: `Bearer ${plaintext}` }
    clock.move(11 * MINUTE)
    const calls: [string, string, object?][] = [
      ['POST', `${LIST}/options`],
      ['POST', LIST, { name: 'Key', credential: world.authenticator.create(CREATION) }],
      ['DELETE', `${LIST}/${id}`],
    ]

    for (const [method, path, body] of calls) {
      const { status, body: answer } = await dashboard.call(method, path, body)
      expect([method, path, status, answer.code]).toEqual([
        method,
        path,
        409,
        'confirmation_needed',
      ])
      expect((await dashboard.call(method, path, body, script)).status).toBe(403)
    }
    expect((await dashboard.call('GET', LIST)).body.passkeys).toHaveLength(1)
  })

  test('of another account is not found', async () => {
    await using world = await withPasskey()
    const { dashboard, id } = world
    const other = await dashboard.signInWith(['owner'])

    const renamed = await dashboard.call('PATCH', `${LIST}/${id}`, { name: 'Mine' }, other)
    const removed = await dashboard.call('DELETE', `${LIST}/${id}`, undefined, other)

    expect([renamed.status, removed.status]).toEqual([404, 404])
    expect((await dashboard.call('GET', LIST)).body.passkeys).toMatchObject([{ name: 'Key' }])
  })

  test('that another account has is not added again', async () => {
    await using world = await withPasskey()
    const { dashboard } = world
    const headers = await dashboard.signInWith(['viewer'])
    const [row] = await dashboard.db.read.select().from(passkeys)
    const { body: options } = await dashboard.call('POST', `${LIST}/options`, undefined, headers)
    const credential = new Authenticator().create(options)
    await change(dashboard, `update passkeys set credential_id = '${credential.id}'`)

    const answer = await dashboard.call('POST', LIST, { name: 'Key', credential }, headers)

    expect([answer.status, answer.body.message]).toEqual([409, 'This passkey was added before'])
    expect(row?.credential_id).not.toBe(credential.id)
  })
})

const CREATION = {
  challenge: 'AAAA',
  rp: { id: 'control.example' },
  user: { id: 'AAAA' },
}

describe('a login with a passkey', () => {
  test('needs nothing else, and is recorded', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator, clock } = world
    clock.move(MINUTE)

    const answer = await signIn(dashboard, authenticator)

    expect(answer).toEqual({ status: 200, body: USER })
    expect(await lastActivity(dashboard)).toEqual({
      type: 'auth.login',
      status: 'success',
      actor: EMAIL,
      detail: 'with the passkey Key',
    })
    const [key] = (await dashboard.call('GET', LIST)).body.passkeys
    expect(key.last_used_at).toBe('2026-01-01T00:01:00.000Z')
  })

  test.each<[string, Changes]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another relying party', { rp_id: 'evil.example' }],
    ['without a verified user', { verified: false }],
    ['with the handle of another account', { handle: 'b3RoZXI' }],
  ])('%s is refused and recorded', async (_, forged) => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world

    expect(await signIn(dashboard, authenticator, forged)).toEqual(REFUSED)

    expect(await lastActivity(dashboard)).toMatchObject({ type: 'auth.login', status: 'failed' })
  })

  test.each([true, false])(
    'is not replayed, whether the authenticator counts (%p) or not',
    async (counts) => {
      await using world = await withPasskey(new Authenticator({ counts }))
      const { dashboard, authenticator } = world
      const { options, cookie } = await startLogin(dashboard)
      const passkey = authenticator.get(options)

      const both = [post(dashboard, passkey, cookie), post(dashboard, passkey, cookie)]

      const statuses = (await Promise.all(both)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 401])
      expect(await post(dashboard, passkey, cookie)).toEqual(REFUSED)
    },
  )

  test('counts for the browser that has started it, within five minutes', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator, clock } = world
    const [mine, other] = [await startLogin(dashboard), await startLogin(dashboard)]

    expect(await post(dashboard, authenticator.get(mine.options), other.cookie)).toEqual(REFUSED)
    expect(await post(dashboard, authenticator.get(mine.options), '')).toEqual(REFUSED)
    clock.move(5 * MINUTE)
    expect(await post(dashboard, authenticator.get(mine.options), mine.cookie)).toEqual(REFUSED)
  })

  test('with a copy of the authenticator is refused, and the activity says why', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world
    expect((await signIn(dashboard, authenticator, { counter: 7 })).status).toBe(200)

    for (const counter of [7, 3, 0])
      expect(await signIn(dashboard, authenticator, { counter })).toEqual(REFUSED)

    expect(await lastActivity(dashboard)).toMatchObject({
      status: 'failed',
      detail:
        'The counter of the passkey went back: it may have been copied. Remove it, and add a new one',
    })
    expect((await signIn(dashboard, authenticator, { counter: 8 })).status).toBe(200)
  })

  test('is refused for a removed passkey, a deactivated account and changed records', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world
    const statements = [
      "update passkeys set counter = 0, name = 'Mine'",
      "update users set deactivated_at = '2026-01-01T00:00:00.000Z'",
    ]
    const { db } = dashboard
    const [row] = await db.read.select().from(passkeys)
    for (const statement of statements) {
      await change(dashboard, statement)
      expect(await signIn(dashboard, authenticator)).toEqual(REFUSED)
      await db.write((queries) => queries.update(passkeys).set({ name: 'Key', ...row }))
    }
    await change(dashboard, 'update users set deactivated_at = null')
    await change(dashboard, 'delete from passkeys')

    expect(await signIn(dashboard, authenticator)).toEqual(REFUSED)
    // Whoever can only write to the database turns no factor off.
    expect((await passwordLogin(dashboard, { email: EMAIL })).body.code).toBe('passkey_needed')
    const { attention } = (await dashboard.call('GET', '/api/fleet')).body
    const [changed] = attention.filter(({ kind }: { kind: string }) => kind === 'records_changed')
    expect(changed).toMatchObject({
      severity: 'critical',
      items: [{ reason: expect.stringContaining('The records of 1 passkey were changed') }],
    })
  })

  test('is limited like a login with a password', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world
    for (let turn = 0; turn < 5; turn++)
      expect(await signIn(dashboard, authenticator, { verified: false })).toEqual(REFUSED)

    expect((await signIn(dashboard, authenticator)).status).toBe(429)
  })

  test('is off without a public address, and every call says why', async () => {
    await using dashboard = await makeDashboard()
    const off = {
      error: 'Conflict',
      message: 'Passkeys are off: PUBLIC_URL is not set in the environment of the dashboard',
      code: 'passkeys_off',
    }
    const passkey = new Authenticator()
    const credential = passkey.create(CREATION)
    const proof = passkey.get({ challenge: 'AAAA', rpId: 'control.example' })
    const calls: [string, object?][] = [
      ['/api/auth/login/passkey/options'],
      ['/api/auth/login/passkey', { passkey: proof }],
      ['/api/auth/confirm/options'],
      ['/api/auth/confirm', { passkey: proof }],
      [`${LIST}/options`],
      [LIST, { name: 'Key', credential }],
    ]

    for (const [path, body] of calls)
      expect(await dashboard.call('POST', path, body)).toEqual({ status: 409, body: off })

    expect((await dashboard.call('GET', LIST)).body).toEqual({
      passkeys: [],
      origin: null,
      problem: off.message,
    })
  })
})

describe('a passkey as second factor', () => {
  test('is needed after the password, and replaces a code', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world
    const started = await startLogin(dashboard)
    const withProof = () => ({ email: EMAIL, passkey: authenticator.get(started.options) })

    const without = await passwordLogin(dashboard, { email: EMAIL })
    const code = await passwordLogin(dashboard, { email: EMAIL, code: '123456' })
    const right = await passwordLogin(dashboard, withProof(), started.cookie)
    const again = await passwordLogin(dashboard, withProof(), started.cookie)

    expect([without, code, right, again]).toEqual([
      {
        status: 401,
        body: {
          error: 'Unauthorized',
          message: 'Use a passkey of your account',
          code: 'passkey_needed',
        },
      },
      {
        status: 401,
        body: {
          error: 'Unauthorized',
          message: 'The code is wrong, or was used before',
          code: 'second_factor_wrong',
        },
      },
      { status: 200, body: USER },
      WRONG_FACTOR,
    ])
  })

  test('of another account is refused, also with its own handle', async () => {
    await using world = await withPasskey()
    const { dashboard } = world
    const headers = await dashboard.signInWith(['operator'])
    const theirs = new Authenticator()
    await addPasskey(dashboard, theirs, { headers })
    const { options, cookie } = await startLogin(dashboard)

    const passkey = theirs.get(options)

    expect(await passwordLogin(dashboard, { email: EMAIL, passkey }, cookie)).toEqual(WRONG_FACTOR)
    expect(await post(dashboard, passkey, cookie)).toMatchObject({
      status: 200,
      body: { user: { id: 2 } },
    })
  })

  test('stands beside an authenticator app: either one is enough', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator, clock } = world
    const app = await turnOn(dashboard)
    clock.move(30_000)
    const { options, cookie } = await startLogin(dashboard)

    expect((await passwordLogin(dashboard, { email: EMAIL })).body.code).toBe(
      'second_factor_needed',
    )
    const code = app.code(clock.now())
    expect((await passwordLogin(dashboard, { email: EMAIL, code })).status).toBe(200)
    const passkey = authenticator.get(options)
    expect((await passwordLogin(dashboard, { email: EMAIL, passkey }, cookie)).status).toBe(200)
  })
})

describe('a confirmation with a passkey', () => {
  const confirm = async ({ dashboard, authenticator }: Awaited<ReturnType<typeof withPasskey>>) => {
    const { body } = await dashboard.call('POST', '/api/auth/confirm/options')
    return dashboard.call('POST', '/api/auth/confirm', { passkey: authenticator.get(body) })
  }

  test('counts for ten minutes, in the place of password and code', async () => {
    await using world = await withPasskey()
    const { dashboard, clock, id } = world
    clock.move(11 * MINUTE)
    const password = { password: PASSWORD }

    const alone = await dashboard.call('POST', '/api/auth/confirm', password)
    const token = () =>
      dashboard.call('POST', '/api/auth/tokens', { name: 'script', scope: 'read', ...password })
    const before = await token()
    const confirmed = await confirm(world)

    expect([alone.status, alone.body.code]).toEqual([409, 'passkey_needed'])
    expect([before.status, before.body.code]).toEqual([409, 'confirmation_needed'])
    expect(confirmed.status).toBe(204)
    expect((await token()).status).toBe(201)
    expect((await dashboard.call('DELETE', `${LIST}/${id}`)).status).toBe(204)
  })

  test('takes the options of its own session only, and nothing of a login', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world
    const { body: options } = await dashboard.call('POST', '/api/auth/confirm/options')
    const login = await startLogin(dashboard)
    const refused = {
      status: 422,
      body: { error: 'Validation failed', fields: { passkey: ['The passkey was not accepted'] } },
    }
    const passkeyOf = (asked: typeof options) => ({ passkey: authenticator.get(asked) })
    await signIn(dashboard, authenticator)
    const mine = dashboard.token
    await dashboard.signIn()

    expect(await dashboard.call('POST', '/api/auth/confirm', passkeyOf(options))).toEqual(refused)
    dashboard.token = mine
    expect(await dashboard.call('POST', '/api/auth/confirm', passkeyOf(login.options))).toEqual(
      refused,
    )
    expect(await post(dashboard, authenticator.get(options), login.cookie)).toEqual(REFUSED)
  })

  test('takes a password or a passkey, and not both', async () => {
    await using world = await withPasskey()
    const { dashboard, authenticator } = world
    const { body } = await dashboard.call('POST', '/api/auth/confirm/options')
    const both = { password: PASSWORD, passkey: authenticator.get(body) }

    for (const given of [{}, both])
      expect((await dashboard.call('POST', '/api/auth/confirm', given)).body).toEqual({
        error: 'Validation failed',
        fields: { password: ['Is required, or a passkey, and not both'] },
      })
  })
})

test('a used challenge is deleted after its time', async () => {
  await using world = await withPasskey()
  const { dashboard, clock } = world
  const rows = () => dashboard.db.read.select().from(used_challenges)
  await deleteExpired(dashboard.db, clock.now())
  expect(await rows()).toHaveLength(1)
  clock.move(6 * MINUTE)

  await deleteExpired(dashboard.db, clock.now())

  expect(await rows()).toEqual([])
})

test('a changed challenge, or one of another secret, is none', () => {
  const clock = new HeldClock()
  const challenges = new Challenges('a'.repeat(32), { clock, random: secureRandom })
  const others = new Challenges('b'.repeat(32), { clock, random: secureRandom })
  const challenge = challenges.issue('login', 'one')
  const later = Buffer.from(challenge, 'base64url')
  later[20] = (later[20] ?? 0) ^ 1

  expect(challenges.check(challenge, 'login', 'one')).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    expires_at: '2026-01-01T00:05:00.000Z',
  })
  const given: [Challenges, string, 'login' | 'confirm' | 'add', string][] = [
    [challenges, challenge, 'confirm', 'one'],
    [challenges, challenge, 'add', 'one'],
    [challenges, challenge, 'login', 'other'],
    [challenges, later.toString('base64url'), 'login', 'one'],
    [challenges, `${challenge}AAAA`, 'login', 'one'],
    [challenges, '', 'login', 'one'],
    [others, challenge, 'login', 'one'],
  ]
  for (const [checker, ...rest] of given) expect(checker.check(...rest)).toBeUndefined()
})

test.each([
  ['https://control.example', { id: 'control.example', origin: 'https://control.example' }],
  [
    'https://control.example:8443/',
    { id: 'control.example', origin: 'https://control.example:8443' },
  ],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://control.example', null],
  ['https://192.0.2.7', null],
  ['https://[2001:db8::7]', null],
  [undefined, null],
])('the public address %p has the relying party %p', (public_url, party) => {
  const found = relyingPartyOf(public_url)

  expect(found).toEqual({ party, problem: party ? null : expect.any(String) } as typeof found)
})
