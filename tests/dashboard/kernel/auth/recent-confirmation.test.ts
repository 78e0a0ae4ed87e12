import { expect, test } from 'bun:test'
import type { AnyRoute } from '#dashboard/kernel/http/route.ts'
import { ROUTES } from '#dashboard/routes.ts'
import {
  type Dashboard,
  ending,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'
import { movable } from '#tests/support/dashboard/trash.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { knownKey } from '#tests/support/key-pair.ts'

const TEN_MINUTES = 10 * 60_000
const place = { kind: 'local', path: '/mnt/store' }
const token = 'a-token-of-forty-characters-a-token-of-f'
const relay = { host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'hosting' }

/** Calls that enter an address for secrets or data, or who can decrypt them. */
const CALLS: [string, string, object?][] = [
  ['POST', '/api/backup-kit', { public_key: knownKey('kit').publicKey }],
  ['POST', '/api/backup-kit/confirm', { answer: 'a'.repeat(44) }],
  ['POST', '/api/backup-targets', { name: 'Other', place }],
  ['PATCH', '/api/backup-targets/1', { keeper_key: knownKey('keeper').publicKey }],
  ['PATCH', '/api/backup-targets/1', { is_default: true }],
  ['DELETE', '/api/backup-targets/1'],
  ['POST', '/api/dns-accounts', { name: 'Shops', token }],
  ['PATCH', '/api/dns-accounts/1', { name: 'Shops' }],
  ['DELETE', '/api/dns-accounts/1'],
  ['PUT', '/api/servers/1/mail', { relay: { ...relay, password: 'needle' } }],
  ['POST', '/api/keys/rotate'],
  ['PUT', '/api/servers/1/sites/1/mail', { relay: { ...relay, password: 'needle' } }],
]

async function withRecords(clock: ReturnType<typeof movable>['clock']) {
  const agent = new FakeAgent()
  const dashboard = await makeDashboard({ clock })
  const id = await dashboard.addServer(agent)
  const site = { domain: 'shop.example', php: '8.2' }
  await dashboard.call('POST', `/api/servers/${id}/sites`, site)
  await dashboard.call('POST', '/api/backup-targets', { name: 'Store', place })
  return { dashboard, ...ending(dashboard, agent) }
}

test('a session must have given its password in the last ten minutes', async () => {
  const { clock, forward } = movable()
  await using all = await withRecords(clock)
  const { dashboard } = all
  const call: Dashboard['call'] = (...given) => dashboard.call(...given)
  forward(TEN_MINUTES)

  const refused: unknown[] = []
  for (const [method, path, body] of CALLS) {
    const answer = await call(method, path, body)
    refused.push([`${method} ${path}`, answer.status, answer.body.code ?? answer.body.message])
  }

  // DNS accounts do not exist here.
  const isAccount = (path: string) => path.includes('dns-accounts/1')
  expect(refused).toEqual(
    CALLS.map(([method, path]) => [
      `${method} ${path}`,
      ...(isAccount(path)
        ? ([404, 'DNS account not found'] as const)
        : ([409, 'confirmation_needed'] as const)),
    ]),
  )
  expect((await call('GET', '/api/backup-targets')).body.targets).toHaveLength(1)
  await call('POST', '/api/auth/confirm', { password: PASSWORD })
  const changed = await call('PATCH', '/api/backup-targets/1', { name: 'Storage' })
  expect([changed.status, changed.body.target.name]).toEqual([200, 'Storage'])
})

test('a plan of a relay needs no password', async () => {
  const { clock, forward } = movable()
  await using all = await withRecords(clock)
  forward(TEN_MINUTES)
  const planned = { relay: { ...relay, password: 'needle' }, dry_run: true }

  const { status, body } = await all.dashboard.call('PUT', '/api/servers/1/mail', planned)

  expect([status, body.code]).not.toContain('confirmation_needed')
})

test('each call for secrets, accounts, targets and keys, and each that replaces or deletes data, needs it', () => {
  const needed = ROUTES.filter(({ needs_confirmation }: AnyRoute) => needs_confirmation).map(
    ({ at }) => String(at),
  )
  // Pages of owners read these, which have no secret.
  const read = ['GET /api/people/:person_id/account/logins', 'GET /api/policy/rules']
  const secret = ROUTES.filter(({ right }) => ['secrets', 'accounts'].includes(right))
    .map(({ at }) => String(at))
    .filter((at) => !read.includes(at))

  const site = '/api/servers/:server_id/sites/:site_id'
  const others = [
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
    'PUT /api/servers/:server_id/mail',
    `PUT ${site}/mail`,
    `POST ${site}/purge`,
    `POST ${site}/backups/restore`,
    `POST ${site}/database/import`,
    'DELETE /api/servers/:server_id',
    'POST /api/servers/:server_id/lost',
    'POST /api/client/sites/:site_id/login',
    'POST /api/client/sites/:site_id/restore',
    'POST /api/keys/rotate',
    'POST /api/auth/identities',
    'DELETE /api/auth/identities/:identity_id',
    'POST /api/auth/passkeys/options',
    'POST /api/auth/passkeys',
    'DELETE /api/auth/passkeys/:passkey_id',
  ]
  expect(needed.toSorted()).toEqual([...secret, ...others].toSorted())
})

test('an API token needs no confirmation', async () => {
  const { clock, forward } = movable()
  await using all = await withRecords(clock)
  const { dashboard } = all
  const call = { name: 'script', scope: 'admin', password: PASSWORD }
  const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', call)).body
  forward(TEN_MINUTES)
  const path = '/api/servers/1/sites/1/visitor-password'

  const session = await dashboard.call('POST', path)
  const headers = { cookie: '', authorization: `Bearer ${plaintext}` }
  const token = await dashboard.call('POST', path, undefined, headers)

  expect(session.body.code).toBe('confirmation_needed')
  expect(token.body.code).not.toBe('confirmation_needed')
})

test('a HEAD of a download says whether it needs a password, and nothing is downloaded', async () => {
  const { clock, forward } = movable()
  await using all = await withRecords(clock)
  const { dashboard } = all
  const head = async () =>
    (await dashboard.send('HEAD', '/api/servers/1/sites/1/database/export')).status
  const early = await head()
  forward(TEN_MINUTES)

  const late = await head()
  const { status, body } = await dashboard.call('GET', '/api/servers/1/sites/1/database/export')

  expect([early, late, status, body.code]).toEqual([200, 409, 409, 'confirmation_needed'])
  const { activities } = (await dashboard.call('GET', '/api/activity')).body
  const types = activities.map(({ type }: { type: string }) => type)
  expect(types).not.toContain('database.export')
})
