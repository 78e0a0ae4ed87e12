import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Right } from '#dashboard/kernel/http/rights.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { TOKEN_SCOPES, type TokenScope } from '#shared/kernel/values.ts'
import { OPERATION_NAMES, OPERATION_TYPES, retryRightOf } from '#shared/operation-types.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { RECORDS } from '#tests/support/dashboard/kept.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { domain, site, trashed } from '#tests/support/dashboard/trash.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const tokens = new Map<TokenScope, string>()
let dashboard: Dashboard

/** For the tests of a block, with a token of each scope. */
function useDashboard(open?: (file: string) => Promise<Database>) {
  beforeAll(async () => {
    dashboard = await makeDashboard(open ? { open } : {})
    for (const scope of TOKEN_SCOPES) {
      const body = { name: scope, password: PASSWORD, scope }
      const made = await dashboard.call('POST', '/api/auth/tokens', body)
      tokens.set(scope, made.body.plaintext)
    }
  })
  afterAll(() => dashboard[Symbol.asyncDispose]())
}

const headers = (scope: TokenScope) => ({
  cookie: '',
  authorization: `Bearer ${tokens.get(scope)}`,
})

const forbidden = (message: string) => ({ status: 403, body: { error: 'Forbidden', message } })

/** The refusal for a token of the scope; undefined when it may make the call. */
function refusalOf(right: Right, scope: TokenScope) {
  if (right === 'session')
    return forbidden('API tokens cannot do this: log in with the password of the account')
  const grants: Record<TokenScope, readonly Right[]> = {
    read: ['open', 'read'],
    operate: ['open', 'read', 'operate'],
    admin: ['open', 'read', 'operate', 'admin'],
  }
  if (grants[scope].includes(right)) return undefined
  return forbidden(`This needs an API token of the scope ${right}; this one has ${scope}`)
}

const routes = ROUTES.map(({ at, right }): [string, Right] => [at, right])
const answered = routes.filter(([route]) => !route.endsWith('/events'))

const WALKS = RECORDS.flatMap(([where, open]) =>
  TOKEN_SCOPES.map((scope) => ({ where, open, scope })),
)

describe.each(WALKS)('a token of the scope $scope, with the records $where,', ({ open, scope }) => {
  useDashboard(open)
  test.each(answered)('makes the call %s as far as its right, %s, allows', async (route, right) => {
    const [method = '', path = ''] = route.split(' ')
    // Ids that do not exist: a call that is allowed finds nothing to change.
    const asked = path.replace(/:\w+/g, '999')

    // The second answer may be a kept one.
    await dashboard.send(method, asked, undefined, headers(scope))
    const response = await dashboard.send(method, asked, undefined, headers(scope))

    const refusal = refusalOf(right, scope)
    if (refusal) expect({ status: response.status, body: await response.json() }).toEqual(refusal)
    else expect([401, 403]).not.toContain(response.status)
  })
})

/** A backup has the passwords of its site, and a log the addresses of its visitors. */
const DOWNLOADS = [
  'GET /api/servers/:server_id/sites/:site_id/backups/:backup_id/download',
  'GET /api/servers/:server_id/sites/:site_id/database/export',
  'GET /api/servers/:server_id/sites/:site_id/logs/download',
]

test('a read-only token makes GET calls except those that show a password, and downloads', () => {
  const all = routes.map(([route]) => route).filter((route) => route.startsWith('GET /api'))
  const readable = routes.filter(
    ([route, right]) => right === 'read' || (right === 'open' && all.includes(route)),
  )

  expect([...readable.map(([route]) => route), ...DOWNLOADS].toSorted()).toEqual(all.toSorted())
  expect(all.filter((route) => route.includes('password'))).toEqual([])
})

test('no token creates tokens, changes the password, ends sessions, rotates keys, or enters an address', () => {
  const closed = routes.filter(([, right]) => right === 'session')

  expect(closed.map(([route]) => route)).toEqual([
    'POST /api/auth/logout',
    'POST /api/auth/logout-everywhere',
    'POST /api/auth/confirm',
    'POST /api/auth/password',
    'POST /api/auth/tokens',
    'PUT /api/servers/:server_id/mail',
    'PUT /api/servers/:server_id/sites/:site_id/mail',
    'POST /api/servers/:server_id/sites/:site_id/database/users',
    'POST /api/servers/:server_id/sites/:site_id/database/tool',
    'POST /api/servers/:server_id/sites/:site_id/wordpress-login',
    'POST /api/servers/:server_id/sites/:site_id/access/clients',
    'POST /api/servers/:server_id/sites/:site_id/access/clients/password',
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

describe('a token', () => {
  useDashboard()

  test('HEAD needs the right of GET', async () => {
    const { status } = await dashboard.send('HEAD', '/api/servers', undefined, headers('read'))

    expect(status).toBe(200)
  })

  test('401 comes before 403, and 403 before a malformed body', async () => {
    const call = (plaintext: string) =>
      dashboard.call('POST', '/api/servers', '{', {
        cookie: '',
        'content-type': 'application/json',
        authorization: `Bearer ${plaintext}`,
      })

    expect((await call(`${tokens.get('read')}x`)).status).toBe(401)
    expect((await call(tokens.get('read') ?? '')).status).toBe(403)
    expect((await call(tokens.get('admin') ?? '')).status).toBe(400)
  })
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
const ORDER = ['operate', 'admin', 'session']
/** The rows of the document, of both tables. */
const text = await Bun.file(DOCUMENT).text()
const rows = text.split('\n').filter((line) => line.startsWith('| `'))
const rowOf = ([name, ...rights]: readonly string[]) => `| \`${name}\` | ${rights.join(' | ')} |`

test('the document has the right of every call that needs more than to read', () => {
  const calls = ROUTES.filter(({ right }) => ORDER.includes(right))
    .map(({ at, right }) => [at, right] as const)
    .sort(([one, a], [other, b]) => ORDER.indexOf(a) - ORDER.indexOf(b) || one.localeCompare(other))

  expect(rows.filter((row) => row.includes('/api/'))).toEqual(calls.map(rowOf))
})

test('the document has the rights to start and to retry each type of operation', () => {
  const types = OPERATION_NAMES.map((type) => [
    type,
    OPERATION_TYPES[type].right,
    retryRightOf(type),
  ]).sort()

  expect(rows.filter((row) => !row.includes('/api/'))).toEqual(types.map(rowOf))
})
