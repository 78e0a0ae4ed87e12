// tier: gate
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Message } from '#dashboard/features/alerts/mailer.ts'
import { invitations } from '#dashboard/kernel/db/access-schema.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { type Accounts, Meeting, startAccounts } from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL } from '#tests/support/dashboard/dashboard.ts'

const DAY_MS = 24 * 3600_000
const WEB = 'https://control.example'
const NOT_FOUND = { status: 404, body: { error: 'Not found', message: 'Invitation not found' } }
const AT_START = '2026-01-01T00:00:00.000Z'
const IN_A_WEEK = '2026-01-08T00:00:00.000Z'

const invited = {
  user_id: null,
  email: 'anna@example.com',
  role: 'operator',
  secrets: true,
  parts: [],
  groups: [],
  state: 'invited',
  invited_until: IN_A_WEEK,
  invited_by: EMAIL,
  created_at: AT_START,
  last_login_at: null,
}

/** Neither the show nor the acceptance of a token finds an invitation. */
async function isRefused(accounts: Accounts, token: string): Promise<void> {
  expect(await accounts.show(token)).toEqual(NOT_FOUND)
  expect(await accounts.accept(token)).toEqual(NOT_FOUND)
}

/** Nobody has got an account. */
async function onlyFirst({ dashboard }: Accounts): Promise<void> {
  expect(await dashboard.db.read.select({ id: users.id }).from(users)).toEqual([{ id: 1 }])
}

test('an invitation makes one account, with its role', async () => {
  const clock = new HeldClock()
  await using accounts = await startAccounts({ clock, public_url: WEB })
  const anna = await accounts.addPerson('Anna Weber')

  const { status, body } = await accounts.invite(anna, {
    email: 'Anna@Example.com',
    secrets: true,
  })

  expect([status, body]).toEqual([
    201,
    {
      invitation: {
        link: expect.stringMatching(/^https:\/\/control\.example\/invitation#[\w-]{43}$/),
        expires_at: IN_A_WEEK,
        mailed: false,
        mail_problem: 'The dashboard cannot send mail: SMTP_URL is not set in its environment',
      },
    },
  ])
  const [, token = ''] = body.invitation.link.split('#')
  const [row] = await accounts.dashboard.db.read.select().from(invitations)
  expect(JSON.stringify(row)).not.toContain(token)
  expect((await accounts.person(anna)).account).toEqual(invited)
  expect(await accounts.show(token)).toEqual({
    status: 200,
    body: {
      invitation: {
        email: 'anna@example.com',
        name: 'Anna Weber',
        role: 'operator',
        secrets: true,
        parts: [],
        groups: [],
        invited_by: EMAIL,
        expires_at: IN_A_WEEK,
      },
    },
  })

  clock.move(DAY_MS)
  const accepted = await accounts.accept(token, { name: ' Anna W. ' })

  expect(accepted).toEqual({ status: 201, body: { account: { email: 'anna@example.com' } } })
  clock.move(DAY_MS)
  const headers = await accounts.logIn('anna@example.com')
  const me = await accounts.call('GET', '/api/auth/me', undefined, headers)
  expect(me.body.user).toEqual({ id: 2, email: 'anna@example.com', name: 'Anna W.' })
  expect((await accounts.person(anna)).account).toEqual({
    ...invited,
    user_id: 2,
    state: 'active',
    invited_until: null,
    invited_by: null,
    created_at: '2026-01-02T00:00:00.000Z',
    last_login_at: '2026-01-03T00:00:00.000Z',
  })
  await isRefused(accounts, token)
  const { activities } = (await accounts.call('GET', '/api/fleet/activity?limit=4')).body
  const entries = activities.map(({ type, actor, detail }: Record<string, unknown>) => [
    ...[type, actor, detail],
  ])
  const detail = 'Anna Weber, anna@example.com: operator with secrets'
  expect(entries.slice(1)).toEqual([
    ['account.accept', 'anna@example.com', detail],
    ['account.invite', EMAIL, detail],
    ['person.create', EMAIL, null],
  ])
})

test('two calls at the same time make one account', async () => {
  const meeting = new Meeting()
  await using accounts = await startAccounts({ open: meeting.open })
  const token = await accounts.token(await accounts.addPerson('Anna'))

  meeting.gather(2)
  const both = await Promise.all([accounts.accept(token), accounts.accept(token)])

  expect(both.map(({ status }) => status).sort()).toEqual([201, 404])
  const found = await accounts.dashboard.db.read.select({ id: users.id }).from(users)
  expect(found).toEqual([{ id: 1 }, { id: 2 }])
})

test('two invitations that are accepted at the same time make two accounts', async () => {
  const meeting = new Meeting()
  await using accounts = await startAccounts({ open: meeting.open })
  const tokens = [
    await accounts.token(await accounts.addPerson('Anna')),
    await accounts.token(await accounts.addPerson('Ben')),
  ]

  meeting.gather(2)
  const both = await Promise.all(tokens.map((token) => accounts.accept(token)))

  expect(both.map(({ status }) => status)).toEqual([201, 201])
})

test('an invitation ends after seven days', async () => {
  const clock = new HeldClock()
  await using accounts = await startAccounts({ clock })
  const token = await accounts.token(await accounts.addPerson('Anna'))
  clock.move(7 * DAY_MS - 1)
  expect((await accounts.show(token)).status).toBe(200)

  clock.move(1)

  await isRefused(accounts, token)
  await onlyFirst(accounts)
})

test('a new invitation ends the previous one, and a revoked one is no longer valid', async () => {
  await using accounts = await startAccounts()
  const anna = await accounts.addPerson('Anna')
  const first = await accounts.token(anna)
  const second = await accounts.token(anna, { role: 'viewer' })

  await isRefused(accounts, first)
  expect((await accounts.show(second)).body.invitation.role).toBe('viewer')
  const path = `/api/people/${anna}/invitation`
  expect((await accounts.call('DELETE', path)).status).toBe(204)
  await isRefused(accounts, second)
  expect(await accounts.call('DELETE', path)).toEqual(NOT_FOUND)
  expect((await accounts.person(anna)).account).toBeNull()
  await onlyFirst(accounts)
})

test.each(['', 'A'.repeat(43), '../../api', 'x'.repeat(1024), "' or 1=1 --"])(
  'the text %j is no invitation',
  async (token) => {
    await using accounts = await startAccounts()
    await accounts.token(await accounts.addPerson('Anna'))

    await isRefused(accounts, token)
  },
)

test.each<[string, Partial<typeof invitations.$inferInsert>]>([
  ['another role', { role: 'owner' }],
  ['the secrets', { secrets: 1 }],
  ['grants on parts of the fleet', { parts: '[{"gives":"admin","tag":"shop"}]' }],
  ['another address', { email: 'mallory@example.com' }],
  ['a later end', { expires_at: '2099-01-01T00:00:00.000Z' }],
  ['another person', { person_id: 1 }],
])('an invitation that got %s outside of the dashboard is not valid', async (_, values) => {
  await using accounts = await startAccounts()
  const anna = await accounts.addPerson('Anna')
  const token = await accounts.token(anna)

  await accounts.dashboard.db.write((queries) => queries.update(invitations).set(values))

  await isRefused(accounts, token)
  expect((await accounts.person(anna)).account).toBeNull()
  await onlyFirst(accounts)
})

test('who accepts an invitation chooses a name and a password, and nothing else', async () => {
  await using accounts = await startAccounts()
  const token = await accounts.token(await accounts.addPerson('Anna'))
  const more = { role: 'owner', secrets: true, email: 'a@example.com', user_id: 1, person_id: 1 }

  const unknown = await accounts.accept(token, more)
  const short = await accounts.accept(token, { password: 'short' })
  const nameless = await accounts.accept(token, { name: ' ' })

  expect([unknown.status, Object.keys(unknown.body.fields)]).toEqual([422, Object.keys(more)])
  expect([short.status, short.body.fields]).toEqual([
    422,
    { password: ['Must have at least 12 characters'] },
  ])
  expect([nameless.status, Object.keys(nameless.body.fields)]).toEqual([422, ['name']])
  await onlyFirst(accounts)
})

test('an invitation ends with the rights of the owner who has sent it', async () => {
  await using accounts = await startAccounts()
  const ben = await accounts.colleague('Ben', { role: 'owner' })
  const [anna, eve] = [await accounts.addPerson('Anna'), await accounts.addPerson('Eve')]
  const inviteAsBen = async (id: number) => {
    const body = { email: `by-ben-${id}@example.com`, role: 'admin' }
    const path = `/api/people/${id}/invitation`
    const made = await accounts.call('POST', path, body, ben.headers)
    return made.body.invitation.link.split('#')[1]
  }
  const first = await inviteAsBen(anna)
  const path = `/api/people/${ben.person_id}/account`

  await accounts.call('PATCH', path, { role: 'admin' })
  await isRefused(accounts, first)
  await accounts.call('PATCH', path, { role: 'owner' })
  await isRefused(accounts, first)
  const second = await inviteAsBen(eve)
  await accounts.call('POST', `${path}/deactivate`)

  await isRefused(accounts, second)
})

test('an address belongs to one account or invitation', async () => {
  await using accounts = await startAccounts()
  const [anna, ben] = [await accounts.addPerson('Anna'), await accounts.addPerson('Ben')]
  const fieldsOf = async (id: number, email: string) =>
    (await accounts.invite(id, { email })).body.fields
  await accounts.token(anna, { email: 'anna@example.com' })

  expect(await fieldsOf(ben, EMAIL.toUpperCase())).toEqual({
    email: ['An account with this address exists'],
  })
  expect(await fieldsOf(ben, 'anna@example.com')).toEqual({
    email: ['Somebody else is invited with this address'],
  })
  expect(await accounts.invite(1)).toEqual({
    status: 409,
    body: { error: 'Conflict', message: 'Administrator has an account: change its role instead' },
  })
})

test.each(['no address', 'a@b.example\r\nBcc: c@d.example', 'a@b.example, c@d.example'])(
  'nobody is invited as %j',
  async (email) => {
    await using accounts = await startAccounts()

    const { status, body } = await accounts.invite(await accounts.addPerson('Anna'), { email })

    expect([status, Object.keys(body.fields)]).toEqual([422, ['email']])
  },
)

test('the link leads to the address of the dashboard, whatever host a request names', async () => {
  await using accounts = await startAccounts({ public_url: WEB })
  const anna = await accounts.addPerson('Anna')
  const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
  const body = { email: 'anna@example.com', role: 'viewer' }

  const made = await accounts.call('POST', `/api/people/${anna}/invitation`, body, forged)

  expect(made.body.invitation.link).toStartWith(`${WEB}/invitation#`)
})

test('without that address the link has no host', async () => {
  await using accounts = await startAccounts()

  const { body } = await accounts.invite(await accounts.addPerson('Anna'))

  expect(body.invitation.link).toStartWith('/invitation#')
})

test.each([
  [true, null],
  [false, 'The mail server answered: 550 No such user'],
])('the link is mailed where the dashboard can send mail: %p', async (accepted, mail_problem) => {
  const sent: Message[] = []
  const mailer = {
    server: { host: 'mail.example', port: 587, tls: 'starttls' as const },
    from: 'alerts@control.example',
    send: async (message: Message) => {
      sent.push(message)
      return { accepted, answer: accepted ? '250 OK' : '550 No such user', refused: [] }
    },
  }
  await using accounts = await startAccounts({ public_url: WEB, mailer })
  const anna = await accounts.addPerson('Anna\u2028Subject: hello')

  const { body } = await accounts.invite(anna, { email: 'anna@example.com' })

  const { link, mailed } = body.invitation
  expect([mailed, body.invitation.mail_problem]).toEqual([accepted, mail_problem])
  expect(sent).toEqual([
    {
      to: ['anna@example.com'],
      subject: 'Invitation to Hosting Control',
      text: expect.stringContaining(link),
      id: expect.any(String),
    },
  ])
  expect(sent[0]?.text).toStartWith(`${EMAIL} invites you to Hosting Control, with the role oper`)
})

test('twenty wrong tokens from one address are answered with 429', async () => {
  const clock = new HeldClock()
  await using accounts = await startAccounts({ clock })
  const token = await accounts.token(await accounts.addPerson('Anna'))
  for (let times = 0; times < 30; times++) expect((await accounts.show(token)).status).toBe(200)
  for (let times = 0; times < 20; times++)
    expect((await (times % 2 ? accounts.show('no') : accounts.accept('no'))).status).toBe(404)

  const refused = [(await accounts.show(token)).status, (await accounts.accept(token)).status]

  expect(refused).toEqual([429, 429])
  clock.move(15 * 60_000)
  expect((await accounts.accept(token)).status).toBe(201)
})

test('an administrator removes nobody who has an account or an invitation', async () => {
  await using accounts = await startAccounts()
  const anna = await accounts.colleague('Anna', { role: 'admin' })
  const ben = await accounts.addPerson('Ben')
  const token = await accounts.token(ben)
  const remove = (id: number) =>
    accounts.call('DELETE', `/api/people/${id}`, undefined, anna.headers)

  const refused = [await remove(1), await remove(anna.person_id), await remove(ben)]

  expect(refused.map(({ status, body }) => [status, body.message])).toEqual(
    ['Administrator', 'Anna', 'Ben'].map((name) => [
      409,
      `${name} has an account or an invitation: an owner must remove it first`,
    ]),
  )
  expect((await accounts.show(token)).status).toBe(200)
})

test('an id that an account had belongs to no later one', async () => {
  await using accounts = await startAccounts()
  const { person_id } = await accounts.colleague('Anna')
  const { db } = accounts.dashboard
  await accounts.call('DELETE', `/api/people/${person_id}/account`)
  await db.write((queries) => queries.delete(users).where(eq(users.id, 2)))

  const token = await accounts.token(person_id)
  await accounts.accept(token)

  expect((await accounts.person(person_id)).account.user_id).toBe(3)
  expect((await accounts.logIn(`person-${person_id}@example.com`)).cookie).not.toBe('')
})

test('an invitation gives what it says on parts of the fleet, if they still exist', async () => {
  await using accounts = await startAccounts()
  for (const hostname of ['one.example', 'two.example'])
    await accounts.call('POST', '/api/servers', { hostname })
  const anna = await accounts.addPerson('Anna')
  const parts = [
    { gives: 'viewer', server_id: 1 },
    { gives: 'admin', server_id: 2 },
  ]
  const { body } = await accounts.invite(anna, { role: null, parts })
  const [, token = ''] = body.invitation.link.split('#')
  await accounts.call('DELETE', '/api/servers/1')

  expect((await accounts.accept(token)).status).toBe(201)

  const part = { tag: null, site_id: null, site: null, server: 'two.example' }
  expect((await accounts.person(anna)).account).toMatchObject({
    role: null,
    parts: [{ gives: 'admin', server_id: 2, ...part }],
  })
})

test.each([
  [{ role: null }, { role: ['Choose a role or a group, or give grants on parts of the fleet'] }],
  [
    { role: null, secrets: true, parts: [{ gives: 'viewer', server_id: 1 }] },
    { secrets: ['Needs a role; without one, give the secrets on parts of the fleet'] },
  ],
])('an invitation to %j is refused', async (input, fields) => {
  await using accounts = await startAccounts()
  await accounts.call('POST', '/api/servers', { hostname: 'one.example' })

  const { status, body } = await accounts.invite(await accounts.addPerson('Anna'), input)

  expect([status, body.fields]).toEqual([422, fields])
})
