import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { runCommand } from '#dashboard/cli.ts'
import { readConfig } from '#dashboard/config.ts'
import type { Message } from '#dashboard/features/alerts/mailer.ts'
import { user_factors } from '#dashboard/kernel/db/auth-schema.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'
import { Authenticator, addPasskey, ORIGIN } from '#tests/support/dashboard/passkeys.ts'
import { turnOn } from '#tests/support/dashboard/totp.ts'

async function reset({ folder }: Pick<Dashboard, 'folder'>, ...argv: string[]) {
  const said = { out: '', err: '' }
  const env = { DATA_DIR: folder, DATABASE_URL: `file:${folder}/test.db` }
  const status = await runCommand(['reset-factors', ...argv], () => readConfig(env), {
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
    read: async () => '',
  })
  return { status, ...said }
}

/** The command uses the time of the machine, so the dashboard does too. */
const makeProtected = async () => {
  const sent: Message[] = []
  const mailer = {
    server: { host: 'smtp.example.com', port: 587, tls: 'starttls' } as const,
    from: 'alerts@control.example',
    send: async (message: Message) => {
      sent.push(message)
      return { accepted: true, answer: '250 ok', refused: [] }
    },
  }
  const clock = new HeldClock()
  clock.set(Date.now() - clock.now().getTime())
  const dashboard = await makeDashboard({ clock, mailer })
  await turnOn(dashboard)
  return { dashboard, clock, sent }
}

const signIn = async (dashboard: Dashboard, email = EMAIL) => {
  const { status, body } = await dashboard.call(
    'POST',
    '/api/auth/login',
    { email, password: PASSWORD },
    { cookie: '' },
  )
  return [status, body.code]
}

test('the command turns two-factor authentication off, ends all sessions, and is announced', async () => {
  const { dashboard, clock, sent } = await makeProtected()
  await using _ = dashboard
  expect(await signIn(dashboard)).toEqual([401, 'second_factor_needed'])

  const answer = await reset(dashboard, EMAIL.toUpperCase())

  expect(answer).toEqual({
    status: 0,
    out: `two-factor authentication of ${EMAIL} is off, and its sessions have ended\nthe activity and the overview of the dashboard report it\n`,
    err: '',
  })
  expect((await dashboard.call('GET', '/api/auth/me')).status).toBe(401)
  expect(await signIn(dashboard)).toEqual([200, undefined])
  await dashboard.signIn()
  const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
  const [entry] = activities.filter(({ type }: { type: string }) => type === 'auth.factor_reset')
  expect(entry).toMatchObject({ status: 'success', actor: null, address: null, detail: EMAIL })
  const reset_at = entry.created_at
  const found = async () => {
    const { attention } = (await dashboard.call('GET', '/api/fleet')).body
    return attention.find(({ kind }: { kind: string }) => kind === 'factor_reset')
  }
  expect(await found()).toMatchObject({
    severity: 'critical',
    total: 1,
    items: [{ name: EMAIL, at: reset_at, severity: 'critical' }],
  })
  for (let turn = 0; turn < 5; turn++) {
    await dashboard.deps.alerts.look()
    clock.move(10_000)
  }
  expect(sent.map(({ to, subject }) => ({ to, subject }))).toContainEqual({
    to: [EMAIL],
    subject: expect.stringContaining(`${EMAIL}: account whose two-factor authentication was reset`),
  })

  await turnOn(dashboard)

  expect(await found()).toBeUndefined()
})

test('the command also removes the passkeys of the account', async () => {
  await using dashboard = await makeDashboard({ public_url: ORIGIN })
  await addPasskey(dashboard, new Authenticator())
  expect(await signIn(dashboard)).toEqual([401, 'passkey_needed'])

  expect((await reset(dashboard, EMAIL)).status).toBe(0)

  expect(await signIn(dashboard)).toEqual([200, undefined])
  await dashboard.signIn()
  const kinds = async () => {
    const { attention } = (await dashboard.call('GET', '/api/fleet')).body
    return attention.map(({ kind }: { kind: string }) => kind)
  }
  expect((await dashboard.call('GET', '/api/auth/passkeys')).body.passkeys).toEqual([])
  expect(await kinds()).toContain('factor_reset')
  await addPasskey(dashboard, new Authenticator())
  expect(await kinds()).not.toContain('factor_reset')
})

test('the report ends after a week', async () => {
  const { dashboard, clock } = await makeProtected()
  await using _ = dashboard
  await reset(dashboard, EMAIL)
  const kinds = async () => {
    await dashboard.signIn()
    const { attention } = (await dashboard.call('GET', '/api/fleet')).body
    return attention.map(({ kind }: { kind: string }) => kind)
  }
  expect(await kinds()).toContain('factor_reset')

  clock.move(7 * 24 * 3600_000 + 60_000)

  expect(await kinds()).not.toContain('factor_reset')
})

test('the command is refused in one line', async () => {
  const { dashboard } = await makeProtected()
  await using _ = dashboard
  const refused = (status: number, err: string) => ({ status, out: '', err: `${err}\n` })
  const change = (statement: string) =>
    dashboard.db.write((queries) => queries.run(sql.raw(statement)))
  const unknown = (email: string) =>
    `There is no account ${email}, or it was changed outside of the dashboard: see hosting-control check`

  expect(await reset(dashboard)).toEqual(
    refused(2, 'The e-mail address of the account is missing: see --help'),
  )
  expect(await reset(dashboard, EMAIL, EMAIL)).toEqual(
    refused(2, 'reset-factors takes one address: see --help'),
  )
  expect(await reset(dashboard, 'eve@example.com')).toEqual(refused(1, unknown('eve@example.com')))
  expect(await reset({ folder: '/nowhere' }, EMAIL)).toEqual(
    refused(1, 'There is no database at /nowhere/test.db: check DATA_DIR and DATABASE_URL'),
  )
  await reset(dashboard, EMAIL)
  expect(await reset(dashboard, EMAIL)).toEqual(
    refused(1, `Two-factor authentication of ${EMAIL} is off`),
  )
  await change("update users set name = 'Eve'")
  expect(await reset(dashboard, EMAIL)).toEqual(refused(1, unknown(EMAIL)))
  await change(
    'delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)',
  )
  expect(await reset(dashboard, EMAIL)).toEqual(
    refused(1, 'The database is of an older version: start the dashboard first'),
  )
})

test('the command also resets a factor whose records were changed outside of the dashboard', async () => {
  const { dashboard } = await makeProtected()
  await using _ = dashboard
  await dashboard.db.write((queries) => queries.delete(user_factors))

  expect((await reset(dashboard, EMAIL)).status).toBe(0)
  expect(await signIn(dashboard)).toEqual([200, undefined])
})
