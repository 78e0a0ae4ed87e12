import { expect, test } from 'bun:test'
import { kit, opened, place, SECRET } from '#tests/support/dashboard/backups.ts'
import { hasStatus, pools, sitesOn, start } from '#tests/support/dashboard/bulk.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'

const LOCAL = { kind: 'local', path: '/mnt/none' }
const OWN = '/api/fleet/dashboard-backup'
const NEW = { current_password: PASSWORD, password: 'another long password' }

type Change = [method: string, path: string, body: object | undefined, type: string]

/** Each in the state that those before it leave. */
const CHANGES: readonly Change[] = [
  ['POST', '/api/auth/tokens', { name: 'a', password: PASSWORD }, 'auth.token_create'],
  ['DELETE', '/api/auth/tokens/1', undefined, 'auth.token_delete'],
  ['POST', '/api/servers', { hostname: 'a.example' }, 'server.create'],
  ['PATCH', '/api/servers/1', { name: 'A' }, 'server.update'],
  ['DELETE', '/api/servers/1/enrolment', undefined, 'server.revoke'],
  ['DELETE', '/api/servers/1', undefined, 'server.delete'],
  ['POST', '/api/people', { name: 'Anna' }, 'person.create'],
  ['POST', '/api/people/1/keys', { key: ANNA }, 'person.key_add'],
  ['DELETE', '/api/people/1/keys/1', undefined, 'person.key_delete'],
  ['DELETE', '/api/people/1', undefined, 'person.delete'],
  ['POST', '/api/backup-targets', { name: 'a', place, secret: SECRET }, 'backup.target_create'],
  ['PATCH', '/api/backup-targets/1', { name: 'b' }, 'backup.target_update'],
  ['DELETE', '/api/backup-targets/1', undefined, 'backup.target_delete'],
  ['PUT', `${OWN}/target`, { place: LOCAL }, 'backup.dashboard_target'],
  ['DELETE', `${OWN}/target`, undefined, 'backup.dashboard_target_delete'],
  ['DELETE', '/api/fleet/restored', undefined, 'records.confirm'],
  ['PUT', '/api/settings/sync_interval', { value: 3600 }, 'settings.update'],
  ['POST', '/api/keys/rotate', undefined, 'key.rotate'],
  ['POST', '/api/auth/password', NEW, 'auth.password'],
]

/** The types of the entries that the work adds, oldest first. */
async function added(dashboard: Dashboard, work: () => Promise<unknown>): Promise<string[]> {
  const list = async () => (await dashboard.call('GET', '/api/activity?limit=500')).body
  const before: number = (await list()).total
  await work()
  const { activities, total } = await list()
  const types: string[] = activities.map(({ type }: { type: string }) => type)
  return types.slice(0, total - before).reverse()
}

test('each change of the settings of the dashboard is one entry', async () => {
  await using dashboard = await makeDashboard()
  for (const [method, path, body, type] of CHANGES) {
    const statuses: number[] = []
    const types = await added(dashboard, async () => {
      statuses.push((await dashboard.call(method, path, body)).status)
    })
    expect([method, path, statuses[0], types]).toEqual([method, path, expect.any(Number), [type]])
    expect(statuses[0]).toBeLessThan(300)
  }
})

test('each change by a script has the name of its token', async () => {
  await using dashboard = await makeDashboard()
  const { body: made } = await dashboard.call('POST', '/api/auth/tokens', {
    name: 'deploy',
    password: PASSWORD,
    scope: 'admin',
  })
  const script = { cookie: '', authorization: `Bearer ${made.plaintext}` }
  const refused: string[] = []
  for (const [method, path, body, type] of CHANGES) {
    // A token ends no token.
    if (type.startsWith('auth.')) continue
    const { status } = await dashboard.send(method, path, body, script)
    if (status >= 300) refused.push(type)
    else {
      const newest = await dashboard.call('GET', '/api/fleet/activity?limit=1')
      const [entry] = newest.body.activities
      expect([type, entry.type, entry.token]).toEqual([type, type, 'deploy'])
    }
  }
  // A session with a password of the last minutes may.
  expect(refused).toEqual([
    'backup.target_create',
    'backup.target_update',
    'backup.target_delete',
    'backup.dashboard_target',
    'backup.dashboard_target_delete',
    'key.rotate',
  ])
})

test('the creation of a recovery kit and its confirmation are entries of their own', async () => {
  await using dashboard = await makeDashboard()
  const made = { challenge: '' }
  const create = async () => {
    const body = { public_key: kit.publicKey }
    made.challenge = (await dashboard.call('POST', '/api/backup-kit', body)).body.challenge
  }
  const confirm = () => {
    const answer = opened(kit.privateKey, made.challenge)
    return dashboard.call('POST', '/api/backup-kit/confirm', { answer })
  }

  expect(await added(dashboard, create)).toEqual(['backup.kit_create'])
  expect(await added(dashboard, confirm)).toEqual(['backup.kit_confirm'])
})

test('the end of a session, and of all of them, are entries of their own', async () => {
  await using dashboard = await makeDashboard()
  const ending = (path: string) => async () => {
    await dashboard.call('POST', path)
    await dashboard.signIn()
  }

  expect(await added(dashboard, ending('/api/auth/logout'))).toEqual(['auth.logout', 'auth.login'])
  expect(await added(dashboard, ending('/api/auth/logout-everywhere'))).toEqual([
    'auth.logout_everywhere',
    'auth.login',
  ])
})

test('the rules of backups are one entry', async () => {
  await using dashboard = await makeDashboard()
  const { version } = (await dashboard.call('GET', '/api/backup-rules')).body

  const change = () => dashboard.call('PUT', '/api/backup-rules', { rules: [], version })

  expect(await added(dashboard, change)).toEqual(['backup.rules'])
})

test('a bulk operation that is resumed, and one that is cancelled, are entries of their own', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  pools(agent)
  await sitesOn(dashboard, agent, 'bad.example', 'b.example', 'slow.example')
  const id = await start(dashboard, {
    ...{ targets: { site_ids: [1, 2, 3] }, parallel: 1, pause_after: 1 },
  })
  await hasStatus(dashboard, id, 'paused')
  const post = (what: string) => dashboard.call('POST', `/api/bulk-operations/${id}/${what}`)

  expect(await added(dashboard, () => post('resume'))).toContain('bulk.resume')
  expect(await added(dashboard, () => post('cancel'))).toContain('bulk.cancel')
})
