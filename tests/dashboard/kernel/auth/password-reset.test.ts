import { expect, test } from 'bun:test'
import type { Message } from '#dashboard/features/alerts/mailer.ts'
import { Throttle } from '#dashboard/kernel/auth/throttle.ts'
import { password_resets } from '#dashboard/kernel/db/auth-schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { HeldClock, SteppedClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
  until,
} from '#tests/support/dashboard/dashboard.ts'

const PUBLIC = 'https://control.example'
const NEXT = 'another long password'
const REFUSED = {
  status: 422,
  body: {
    error: 'Validation failed',
    fields: { token: ['The link was used, has expired or is incomplete: request a new one'] },
  },
}

function mailbox() {
  const sent: Message[] = []
  const mailer = {
    server: { host: 'smtp.example.com', port: 587, tls: 'starttls' as const },
    from: 'control@example.com',
    async send(message: Message) {
      sent.push(message)
      return { accepted: true, answer: '250 OK', refused: [] }
    },
  }
  return { sent, mailer }
}

async function withMail(options: Parameters<typeof makeDashboard>[0] = {}) {
  const { sent, mailer } = mailbox()
  const clock = {
    ...realClock,
    sleep: (_: number, signal?: AbortSignal) => realClock.sleep(5, signal),
  }
  const dashboard = await makeDashboard({ mailer, public_url: PUBLIC, clock, ...options })
  return { dashboard, sent, [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose]() }
}

const anonymous = { cookie: '' }
const request = (dashboard: Dashboard, email: string, headers: Record<string, string> = {}) =>
  dashboard.call('POST', '/api/auth/reset', { email }, { ...anonymous, ...headers })
const confirm = (dashboard: Dashboard, token: string, password = NEXT) =>
  dashboard.call('POST', '/api/auth/reset/confirm', { token, password }, anonymous)
const login = async (dashboard: Dashboard, password: string) =>
  (await dashboard.call('POST', '/api/auth/login', { email: EMAIL, password })).status

const tokenIn = (message: Message | undefined) =>
  /^https:\/\/control\.example\/reset#([\w-]{43})$/m.exec(message?.text ?? '')?.[1] ?? ''

/** The token of the link in the next message. */
async function nextToken(dashboard: Dashboard, sent: readonly Message[]): Promise<string> {
  const before = sent.length
  await request(dashboard, EMAIL)
  await until(() => sent.length > before)
  return tokenIn(sent.at(-1))
}

test('a link by e-mail sets the password, ends all sessions, and does not sign in', async () => {
  await using all = await withMail()
  const { dashboard, sent } = all
  const token = await nextToken(dashboard, sent)

  const set = await dashboard.send('POST', '/api/auth/reset/confirm', { token, password: NEXT })

  expect([set.status, set.headers.getSetCookie()]).toEqual([204, []])
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([
    [[EMAIL], 'Set a new password for Hosting Control'],
  ])
  expect((await dashboard.call('GET', '/api/auth/me')).status).toBe(401)
  expect([await login(dashboard, PASSWORD), await login(dashboard, NEXT)]).toEqual([401, 200])
})

test('a link is used once, also by several calls at once', async () => {
  await using all = await withMail()
  const token = await nextToken(all.dashboard, all.sent)

  const calls = Array.from({ length: 5 }, (_, at) => confirm(all.dashboard, token, `${NEXT} ${at}`))
  const statuses = (await Promise.all(calls)).map(({ status }) => status)

  expect(statuses.toSorted()).toEqual([204, 422, 422, 422, 422])
  const winner = `${NEXT} ${statuses.indexOf(204)}`
  expect(await login(all.dashboard, winner)).toBe(200)
  expect(await confirm(all.dashboard, token)).toEqual(REFUSED)
})

test('a link expires after an hour', async () => {
  const clock = new HeldClock()
  await using all = await withMail({ clock })
  const early = await nextToken(all.dashboard, all.sent)
  clock.move(3600_000 - 1)
  const inTime = await confirm(all.dashboard, early)
  clock.move(1)
  const late = await nextToken(all.dashboard, all.sent)
  clock.move(3600_000)

  expect([inTime.status, await confirm(all.dashboard, late)]).toEqual([204, REFUSED])
})

test('a new link, a new password and another address end a link', async () => {
  await using all = await withMail()
  const { dashboard, sent } = all
  const first = await nextToken(dashboard, sent)
  const second = await nextToken(dashboard, sent)
  const replaced = await confirm(dashboard, first)
  const change = { current_password: PASSWORD, password: NEXT }
  await dashboard.call('POST', '/api/auth/password', change)
  const afterPassword = await confirm(dashboard, second)
  const third = await nextToken(dashboard, sent)
  const moved = { email: 'new@control.example', password: NEXT }
  await dashboard.call('PATCH', '/api/auth/me', moved)

  expect([replaced, afterPassword, await confirm(dashboard, third)]).toEqual([
    REFUSED,
    REFUSED,
    REFUSED,
  ])
})

test('a row that others wrote or changed sets no password', async () => {
  await using all = await withMail()
  const { dashboard, sent } = all
  await dashboard.signInWith(['viewer'])
  const token = await nextToken(dashboard, sent)
  const change = (values: Partial<typeof password_resets.$inferInsert>) =>
    dashboard.db.write((queries) => queries.update(password_resets).set(values))

  await change({ user_id: 2 })
  const forAnother = await confirm(dashboard, token)
  await change({ user_id: 1, expires_at: '2999-01-01T00:00:00.000Z' })
  const prolonged = await confirm(dashboard, token)

  expect([forAnother, prolonged]).toEqual([REFUSED, REFUSED])
  expect(await login(dashboard, PASSWORD)).toBe(200)
})

test('the records and the log do not have the token', async () => {
  await using all = await withMail()
  const token = await nextToken(all.dashboard, all.sent)

  const rows = await all.dashboard.db.read.select().from(password_resets)
  const { body } = await all.dashboard.call('GET', '/api/fleet/activity?limit=5')

  expect(token).toHaveLength(43)
  expect(JSON.stringify([rows, body, all.dashboard.log])).not.toContain(token)
  expect(body.activities[0]).toMatchObject({ type: 'auth.reset_request', detail: 'by e-mail' })
})

test('the answer is the same for an unknown account, and sent before anything is done', async () => {
  const clock = new SteppedClock()
  await using all = await withMail({ clock })
  const { dashboard, sent } = all
  const rows = async () => (await dashboard.db.read.select().from(password_resets)).length

  const known = await request(dashboard, EMAIL)
  const unknown = await request(dashboard, 'nobody@control.example')

  expect([known, unknown]).toEqual([
    { status: 204, body: '' },
    { status: 204, body: '' },
  ])
  expect([await rows(), sent.length]).toEqual([0, 0])
  await clock.pass(1_000)
  await until(() => sent.length > 0)
  expect([await rows(), sent.map(({ to }) => to)]).toEqual([1, [[EMAIL]]])
})

test.each([
  { host: 'attacker.example' },
  { 'x-forwarded-host': 'attacker.example' },
  { forwarded: 'host=attacker.example' },
  { origin: 'https://attacker.example' },
])('the link has the public address, with the header %j', async (headers) => {
  await using all = await withMail()
  await request(all.dashboard, EMAIL, headers as Record<string, string>)
  await until(() => all.sent.length > 0)

  expect(all.sent[0]?.text).not.toContain('attacker')
  expect(tokenIn(all.sent[0])).toHaveLength(43)
})

test('the fourth request of an address for an account is refused, whether it exists or not', async () => {
  await using all = await withMail({ clock: new HeldClock() })
  const ask = async (email: string) => (await request(all.dashboard, email)).status
  const four = async (email: string) => [
    await ask(email),
    await ask(email),
    await ask(email),
    await ask(email),
  ]

  const refused = [204, 204, 204, 429]
  expect([await four(EMAIL), await four('nobody@control.example')]).toEqual([refused, refused])
  await until(() => all.sent.length === 3)
})

test('requests from many addresses send three messages, and none of them is refused', () => {
  const clock = new HeldClock()
  const throttle = new Throttle(clock)
  const ask = (at: number) => throttle.reset('ann@control.example', `203.0.113.${at}`)

  const due = [1, 2, 3, 4, 5].map(ask)
  clock.move(15 * 60_000)

  expect([due, ask(6)]).toEqual([[true, true, true, false, false], true])
})

test('without mail or a public address, the command is named', async () => {
  await using plain = await makeDashboard()
  await using unnamed = await makeDashboard({ mailer: mailbox().mailer })
  const message =
    'This dashboard cannot send a link by e-mail. An administrator of its machine can make one: hosting-control reset-password <email>'

  const answers = [await request(plain, EMAIL), await request(unnamed, EMAIL)]

  const refused = { status: 409, body: { error: 'Conflict', message } }
  expect(answers).toEqual([refused, refused])
})
