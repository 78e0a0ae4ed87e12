// tier: gate
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { cookieName } from '#dashboard/kernel/auth/cookie.ts'
import { makeFirstUser } from '#dashboard/kernel/auth/first-user.ts'
import { findGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import { grants } from '#dashboard/kernel/db/auth-schema.ts'
import { writeAll } from '#dashboard/kernel/db/client.ts'
import { users } from '#dashboard/kernel/db/schema.ts'
import { type AnyRoute, routesWith } from '#dashboard/kernel/http/route.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Grant, Right } from '#shared/kernel/rights.ts'
import { PING } from '#shared/kernel/sse.ts'
import { TOKEN_SCOPES, type TokenScope } from '#shared/kernel/values.ts'
import { OPERATION_NAMES, OPERATION_TYPES, retryRightOf } from '#shared/operation-types.ts'
import { type Accounts, NEW_PASSWORD, startAccounts } from '#tests/support/dashboard/accounts.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'
import { RECORDS } from '#tests/support/dashboard/kept.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { domain, site, trashed } from '#tests/support/dashboard/trash.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const SESSION_ONLY = 'API tokens cannot do this: log in with the password of the account'
const refusal = (message: string) => ({ error: 'Forbidden', message })
const forbidden = (message: string) => ({ status: 403, body: refusal(message) })
const needsRole = (role: string) => `This needs the role ${role}: ask an owner of this dashboard`

const OF_ADMIN = ['client', 'read', 'restore', 'operate', 'login', 'secrets', 'admin'] as const

/** What each account may do, and the scope that its token needs for it. */
const MAY: Record<string, { grants: readonly Grant[]; rights: readonly Right[] }> = {
  nobody: { grants: [], rights: ['own.read', 'own'] },
  viewer: { grants: ['viewer'], rights: ['own.read', 'own', 'client', 'read'] },
  operator: {
    grants: ['operator'],
    rights: ['own.read', 'own', 'client', 'read', 'restore', 'operate'],
  },
  'operator with secrets': {
    grants: ['operator', 'secrets'],
    rights: ['own.read', 'own', 'client', 'read', 'restore', 'operate', 'login', 'secrets'],
  },
  admin: { grants: ['admin'], rights: ['own.read', 'own', ...OF_ADMIN] },
  owner: { grants: ['owner'], rights: ['own.read', 'own', ...OF_ADMIN, 'accounts'] },
}
const LOWEST: Partial<Record<Right, string>> = {
  client: 'This needs the role viewer, or the grant client: ask an owner of this dashboard',
  read: needsRole('viewer'),
  restore: 'This needs the role operator, or the grant restore: ask an owner of this dashboard',
  login: 'This needs the role admin, or the grant login: ask an owner of this dashboard',
  operate: needsRole('operator'),
  secrets: 'This needs the role admin, or the grant secrets: ask an owner of this dashboard',
  admin: needsRole('admin'),
  accounts: needsRole('owner'),
}
const SCOPES: Record<TokenScope, readonly Right[]> = {
  read: ['own.read', 'client', 'read'],
  operate: ['own.read', 'client', 'read', 'restore', 'operate'],
  admin: ['own.read', 'own', ...OF_ADMIN, 'accounts'],
}
const scopeOf = (right: Right): string =>
  TOKEN_SCOPES.find((scope) => SCOPES[scope].includes(right)) ?? ''

/** The refusal of a call by an account with a session or a token; undefined when it may make it. */
function refusalOf(
  { right, needs_session }: Pick<AnyRoute, 'right' | 'needs_session'>,
  rights: readonly Right[],
  scope: TokenScope | undefined,
) {
  if (right === 'open') return undefined
  if (needs_session && scope) return refusal(SESSION_ONLY)
  if (!rights.includes(right)) return refusal(LOWEST[right] ?? '')
  if (scope === undefined || SCOPES[scope].includes(right)) return undefined
  return refusal(`This needs an API token of the scope ${scopeOf(right)}; this one has ${scope}`)
}

const routes = ROUTES.map(({ at, right }): [string, Right | 'open'] => [at, right])
/** The calls of a credential that ends with them are left for the tests of logins. */
const ENDS = ['POST /api/auth/logout', 'POST /api/auth/logout-everywhere']
const walked: readonly AnyRoute[] = ROUTES.filter(
  ({ at }) => !(at.endsWith('/events') || ENDS.includes(at)),
)

const CREDENTIALS = [undefined, ...TOKEN_SCOPES]
/** Kept answers are the only difference between records: one account shows it on a server. */
const WALKS = RECORDS.flatMap(([where], place) =>
  Object.entries(MAY)
    .filter(([account]) => place === 0 || account === 'operator')
    .flatMap(([account, { grants, rights }]) =>
      CREDENTIALS.map((scope) => ({
        ...{ where, account, grants, rights, scope },
        credential: scope === undefined ? 'a session' : `a token of the scope ${scope}`,
      })),
    ),
)

/** The dashboards that the walks share: each of them has an account of its own. */
const dashboards = new Map<string, Dashboard>()
beforeAll(async () => {
  for (const [where, open] of RECORDS) dashboards.set(where, await makeDashboard({ open }))
})
afterAll(() => Promise.all([...dashboards.values()].map((each) => each[Symbol.asyncDispose]())))

describe('each call is made as far as its right allows', () => {
  test.each(WALKS)('by $account with $credential, with the records $where', async (walk) => {
    const { where, grants, rights, scope } = walk
    const dashboard = dashboards.get(where)
    if (!dashboard) throw new Error(`No dashboard has its records ${where}`)
    const headers = await credentialOf(dashboard, grants, scope)
    const seen: unknown[] = []
    for (const route of walked) {
      const [method = '', path = ''] = route.at.split(' ')
      // Ids that do not exist: a call that is allowed finds nothing to change.
      const asked = path.replace(/:\w+/g, '999')

      // The second answer may be a kept one.
      if (route.cached_ms !== undefined)
        await (await dashboard.send(method, asked, undefined, headers)).text()
      const response = await dashboard.send(method, asked, undefined, headers)
      const body = await response.text()
      const isRefused = [401, 403].includes(response.status)
      seen.push([route.at, isRefused ? JSON.parse(body) : undefined])
    }

    expect(seen).toEqual(walked.map((route) => [route.at, refusalOf(route, rights, scope)]))
  })
})

async function credentialOf(
  dashboard: Dashboard,
  grants: readonly Grant[],
  scope: TokenScope | undefined,
): Promise<Record<string, string>> {
  const session = await dashboard.signInWith(grants)
  if (scope === undefined) return session
  const body = { name: scope, password: PASSWORD, scope }
  const made = await dashboard.call('POST', '/api/auth/tokens', body, session)
  return { cookie: '', authorization: `Bearer ${made.body.plaintext}` }
}

/** The headers of credentials that have ended, each of somebody who had every right. */
async function endedCredentials(
  accounts: Accounts,
  clock: HeldClock,
): Promise<Record<(typeof ENDED)[number], Record<string, string>>> {
  const { dashboard } = accounts
  const expired = await dashboard.signInWith(['owner'])
  const expired_token = await dashboard.tokenWith({ grants: ['owner'], parts: [] })
  clock.move(8 * 24 * 3600_000)
  await dashboard.signIn()
  const tokenOf = async (session: { cookie: string }) => {
    const body = { name: 'script', password: NEW_PASSWORD, scope: 'admin' }
    const { body: made } = await dashboard.call('POST', '/api/auth/tokens', body, session)
    return { cookie: '', authorization: `Bearer ${made.plaintext}` }
  }
  const credentialsOf = async (name: string) => {
    const { person_id, headers } = await accounts.colleague(name, { role: 'owner' })
    return { path: `/api/people/${person_id}`, session: headers, token: await tokenOf(headers) }
  }
  const deactivated = await credentialsOf('Anna')
  const removed = await credentialsOf('Ben')
  const closed = await credentialsOf('Cleo')
  const all = {
    'an expired session': expired,
    'an expired token': expired_token,
    'a session of a deactivated account': deactivated.session,
    'a token of a deactivated account': deactivated.token,
    'a session of a deleted person': removed.session,
    'a token of a deleted person': removed.token,
    'a session after its logout': closed.session,
    'a deleted token': closed.token,
    'a changed session': { cookie: `${cookieName('session', dashboard.deps)}=${dashboard.token}x` },
    'a changed token': { cookie: '', authorization: `${closed.token.authorization}x` },
  }
  const admitted = async (headers: Record<string, string>) =>
    (await dashboard.call('GET', '/api/auth/me', undefined, headers)).status
  const before = [deactivated, removed, closed].flatMap(({ session, token }) => [session, token])
  expect(await Promise.all(before.map(admitted))).toEqual(Array(6).fill(200))
  const [token] = (await dashboard.call('GET', '/api/auth/tokens', undefined, closed.session)).body
    .tokens
  const ends = [
    await dashboard.call('POST', `${deactivated.path}/account/deactivate`),
    await dashboard.call('DELETE', `${removed.path}/account`),
    await dashboard.call('DELETE', removed.path),
    await dashboard.call('DELETE', `/api/auth/tokens/${token.id}`, undefined, closed.session),
    await dashboard.call('POST', '/api/auth/logout', undefined, closed.session),
  ]
  expect(ends.map(({ status }) => status)).toEqual([200, 200, 204, 204, 204])
  return all
}

const ENDED = [
  'an expired session',
  'an expired token',
  'a session of a deactivated account',
  'a token of a deactivated account',
  'a session of a deleted person',
  'a token of a deleted person',
  'a session after its logout',
  'a deleted token',
  'a changed session',
  'a changed token',
] as const

describe('credentials that have ended', () => {
  let accounts: Accounts
  let credentials: Awaited<ReturnType<typeof endedCredentials>>
  beforeAll(async () => {
    const clock = new HeldClock()
    accounts = await startAccounts({ clock })
    credentials = await endedCredentials(accounts, clock)
  })
  afterAll(() => accounts[Symbol.asyncDispose]())

  test.each(ENDED)('are 401 for each call, also for streams and downloads: %s', async (name) => {
    const closed = ROUTES.filter(({ right }) => right !== 'open')
    const answers: unknown[] = []
    for (const { at } of closed) {
      const [method = '', path = ''] = at.split(' ')
      const asked = path.replace(/:\w+/g, '1')
      const { status, body } = await accounts.call(method, asked, undefined, credentials[name])
      answers.push([at, status, body])
    }

    const refused = { error: 'Unauthorized' }
    expect(answers).toEqual(closed.map(({ at }) => [at, 401, refused]))
  })
})

test('each export and download needs its right on the object that its path names', () => {
  const files = ROUTES.filter(({ answers }: AnyRoute) =>
    Object.values(answers).some((answer) => 'file' in answer),
  )

  expect(
    files.map(({ at, right, where, needs_confirmation }: AnyRoute) =>
      [at, right, where ?? 'on the path', needs_confirmation ? 'confirmed' : ''].join(', '),
    ),
  ).toEqual([
    'GET /api/servers/:server_id/sites/:site_id/database/export, secrets, on the path, confirmed',
    'GET /api/servers/:server_id/sites/:site_id/logs/download, operate, on the path, ',
    'GET /api/servers/:server_id/sites/:site_id/backups/:backup_id/download, secrets, on the path, confirmed',
    'GET /api/activity/export, read, on the path, ',
    'GET /api/fleet/branding/logo, client, anywhere, ',
    'GET /agent/:file, open, on the path, ',
  ])
})

test('a route without a right does not compile', () => {
  const route = routesWith<unknown>()
  const complete = {
    at: 'GET /api/example',
    summary: 'Show an example',
    right: 'read',
    answers: { 204: { about: 'Nothing.' } },
    run: () => undefined,
  } as const
  const { right, ...open } = complete

  expect(route(complete).right).toBe(right)
  // @ts-expect-error: no right
  expect(route(open)).toEqual(open)
  // @ts-expect-error: a right that does not exist
  expect(route({ ...complete, right: 'write' })).not.toEqual(open)
})

/**
 * A backup has the passwords of its site, a log the addresses of its visitors, the rights the
 * addresses of colleagues, the logins the addresses from which they come; the list of service
 * accounts has those of programs, and that of groups says who may do what.
 */
const DOWNLOADS = [
  'GET /api/policy/rules',
  'GET /api/service-accounts',
  'GET /api/groups',
  'GET /api/people/:person_id/account/logins',
  'GET /api/servers/:server_id/rights',
  'GET /api/servers/:server_id/sites/:site_id/rights',
  'GET /api/servers/:server_id/sites/:site_id/backups/:backup_id/download',
  'GET /api/servers/:server_id/sites/:site_id/database/export',
  'GET /api/servers/:server_id/sites/:site_id/logs/download',
]

test('a read-only token makes GET calls except those that show a password or rights, and downloads', () => {
  const all = routes.map(([route]) => route).filter((route) => route.startsWith('GET /api'))
  const readable = ROUTES.filter(
    ({ at, right, needs_session }: AnyRoute) =>
      (['own.read', 'client', 'read'].includes(right) && !needs_session) ||
      (right === 'open' && all.includes(at)),
  )

  expect([...readable.map(({ at }) => at), ...DOWNLOADS].toSorted()).toEqual(all.toSorted())
  expect(all.filter((route) => route.includes('password'))).toEqual([])
})

test('no token creates tokens, changes the password, a second factor or accounts, ends sessions, rotates keys, or enters an address', () => {
  const closed = ROUTES.filter(({ needs_session }: AnyRoute) => needs_session)

  expect(closed.map(({ at }) => at)).toEqual([
    'PATCH /api/auth/me',
    'DELETE /api/auth/sessions/:session_id',
    'POST /api/auth/logout',
    'POST /api/auth/logout-everywhere',
    'POST /api/auth/confirm',
    'POST /api/auth/password',
    'POST /api/auth/tokens',
    'POST /api/auth/totp',
    'POST /api/auth/totp/confirm',
    'POST /api/auth/totp/recovery-codes',
    'POST /api/auth/totp/disable',
    'POST /api/auth/confirm/options',
    'POST /api/auth/passkeys/options',
    'POST /api/auth/passkeys',
    'PATCH /api/auth/passkeys/:passkey_id',
    'DELETE /api/auth/passkeys/:passkey_id',
    'PUT /api/auth/second-factor',
    'POST /api/auth/identities',
    'DELETE /api/auth/identities/:identity_id',
    'POST /api/identity-providers',
    'PATCH /api/identity-providers/:provider_key',
    'DELETE /api/identity-providers/:provider_key',
    'POST /api/identity-providers/:provider_key/test',
    'PUT /api/servers/:server_id/mail',
    'PUT /api/servers/:server_id/sites/:site_id/mail',
    'POST /api/servers/:server_id/sites/:site_id/database/users',
    'POST /api/servers/:server_id/sites/:site_id/database/tool',
    'POST /api/servers/:server_id/sites/:site_id/wordpress-login',
    'POST /api/servers/:server_id/sites/:site_id/access/clients',
    'POST /api/servers/:server_id/sites/:site_id/access/clients/password',
    'POST /api/people/:person_id/invitation',
    'DELETE /api/people/:person_id/invitation',
    'PATCH /api/people/:person_id/account',
    'POST /api/people/:person_id/account/deactivate',
    'POST /api/people/:person_id/account/activate',
    'DELETE /api/people/:person_id/account',
    'POST /api/service-accounts',
    'PATCH /api/service-accounts/:account_id',
    'POST /api/service-accounts/:account_id/deactivate',
    'POST /api/service-accounts/:account_id/activate',
    'DELETE /api/service-accounts/:account_id',
    'POST /api/service-accounts/:account_id/tokens',
    'DELETE /api/service-accounts/:account_id/tokens/:token_id',
    'POST /api/groups',
    'PATCH /api/groups/:group_id',
    'DELETE /api/groups/:group_id',
    'POST /api/policy/rules',
    'DELETE /api/policy/rules/:rule_id',
    'POST /api/client/sites/:site_id/restore-request',
    'POST /api/client/sites/:site_id/login',
    'POST /api/backup-kit',
    'POST /api/backup-kit/confirm',
    'POST /api/backup-targets',
    'PATCH /api/backup-targets/:target_id',
    'DELETE /api/backup-targets/:target_id',
    'PUT /api/fleet/dashboard-backup/target',
    'DELETE /api/fleet/dashboard-backup/target',
    'POST /api/dns-accounts',
    'PATCH /api/dns-accounts/:account_id',
    'DELETE /api/dns-accounts/:account_id',
    'POST /api/keys/rotate',
  ])
})

test('HEAD needs the right of GET', async () => {
  await using dashboard = await makeDashboard()
  const send = async (grants: readonly Grant[]) => {
    const headers = await dashboard.signInWith(grants)
    return (await dashboard.send('HEAD', '/api/servers', undefined, headers)).status
  }

  expect([await send(['viewer']), await send([])]).toEqual([200, 403])
})

test('401 comes before 403, and 403 before a malformed body', async () => {
  await using dashboard = await makeDashboard()
  const call = async (authorization: string | undefined) => {
    const headers = { cookie: '', 'content-type': 'application/json' }
    const all = authorization === undefined ? headers : { ...headers, authorization }
    return (await dashboard.call('POST', '/api/servers', '{', all)).status
  }
  const read = await credentialOf(dashboard, ['admin'], 'read')
  const admin = await credentialOf(dashboard, ['admin'], 'admin')

  expect(await call(`${read.authorization}x`)).toBe(401)
  expect(await call(read.authorization)).toBe(403)
  expect(await call(admin.authorization)).toBe(400)
})

test('a grant that the dashboard did not write gives nothing', async () => {
  await using dashboard = await makeDashboard()
  const viewer = await dashboard.signInWith(['viewer'])
  const add = (gives: Grant, mark: string) =>
    dashboard.db.write((queries) =>
      queries.insert(grants).values({ user_id: 2, gives, given_at: 'x', mark }),
    )
  const [first] = await dashboard.db.read.select().from(grants).where(eq(grants.user_id, 1))
  await add('owner', first?.mark ?? '')
  await add('admin', '')

  const { status } = await dashboard.call('PUT', '/api/settings/sync_interval', {}, viewer)
  expect(status).toBe(403)
})

test('a stream ends when the grants of its account change', async () => {
  await using dashboard = await makeDashboard()
  const viewer = await dashboard.signInWith(['operator', 'secrets'])
  const stream = await dashboard.send('GET', '/api/fleet/events', undefined, viewer)
  const ended = stream.text()
  await dashboard.db.write((queries) =>
    queries.delete(grants).where(and(eq(grants.user_id, 2), eq(grants.gives, 'secrets'))),
  )
  dashboard.deps.bus.notify(SESSIONS_NEWS)

  expect(await ended).toStartWith(PING)
})

test('a start makes nobody an owner, whatever somebody has deleted from the database', async () => {
  await using dashboard = await makeDashboard()
  const { deps, db } = dashboard
  await dashboard.signInWith(['viewer'])
  await writeAll(db, (queries) => [
    queries.delete(grants),
    queries.delete(users).where(eq(users.id, 1)),
  ])

  await makeFirstUser(deps, { ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD })

  expect(await findGrants(deps, 2)).toEqual({ grants: [], parts: [] })
})

test('retrying a failed purge requires the right to purge', async () => {
  await using agent = new FakeAgent()
  await using own = await makeDashboard()
  const create = async (scope: TokenScope) => {
    const body = { name: scope, password: PASSWORD, scope }
    const made = await own.call('POST', '/api/auth/tokens', body)
    return { cookie: '', authorization: `Bearer ${made.body.plaintext}` }
  }
  // biome-ignore lint/correctness/useYield: it fails before its first line
  agent.works.set('site.purge', async function* () {
    throw conflict('Not now')
  })
  await trashed(own, agent)
  const purge = await own.send('POST', `${site}/purge`, { domain })
  const id = purge.headers.get('operation-id') ?? ''
  await purge.text()
  await ended(own, id)
  const retry = async (scope: TokenScope) =>
    own.call('POST', `/api/operations/${id}/retry`, undefined, await create(scope))

  expect(await retry('operate')).toEqual(
    forbidden('This needs an API token of the scope admin; this one has operate'),
  )
  expect((await retry('admin')).status).toBe(202)
})

const DOCUMENT = '.github/docs/rights.md'
const ORDER: readonly string[] = [
  'client',
  'restore',
  'operate',
  'login',
  'secrets',
  'admin',
  'accounts',
  'own',
]
/** The rows of the document, of all tables. */
const text = await Bun.file(DOCUMENT).text()
const rows = text.split('\n').filter((line) => line.startsWith('| `'))
const rowOf = ([name, ...cells]: readonly string[]) => `| \`${name}\` | ${cells.join(' | ')} |`

test('the document has the right of every call that needs more than to read', () => {
  const calls = ROUTES.filter(({ right }) => ORDER.includes(right))
    .map(
      ({ at, right, needs_session }: AnyRoute) =>
        [at, right, needs_session ? 'no' : scopeOf(right as Right)] as const,
    )
    .sort(([one, a], [other, b]) => ORDER.indexOf(a) - ORDER.indexOf(b) || one.localeCompare(other))

  expect(rows.filter((row) => row.includes('/api/'))).toEqual(calls.map(rowOf))
})

test('the document has the rights to start and to retry each type of operation', () => {
  const types = OPERATION_NAMES.map((type) => [
    type,
    OPERATION_TYPES[type].right,
    retryRightOf(type),
  ]).sort()

  expect(rows.filter((row) => /^\| `[a-z-]+\.[a-z-]+`/.test(row))).toEqual(types.map(rowOf))
})

test('the document has the rights of each role', () => {
  const cells = Object.entries(MAY)
    .filter(([account]) => !['nobody', 'operator with secrets'].includes(account))
    .map(([account, { rights }]) => [
      account,
      rights.filter((right) => !right.startsWith('own')).join(', '),
    ])

  expect(rows.filter((row) => /^\| `[a-z]+` \|/.test(row))).toEqual(cells.map(rowOf))
})
