// tier: core
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Running } from '#tests/support/children.ts'
import { Client, eventsOf } from '#tests/support/client.ts'
import {
  backupAgent,
  kit,
  opened,
  PASSWORD,
  place,
  SECRET,
  sealed,
} from '#tests/support/dashboard/backups.ts'
import { created, found } from '#tests/support/found-sites.ts'
import { ADMIN, dashboardFolder, startDashboard, sweep } from '#tests/support/processes.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

setDefaultTimeout(60_000)

const LIES = ['hosting-dashboard', 'root']
const VICTIMS = 'password-of-the-victim'

let folder = ''
let dashboard: Running
let client: Client
const [stolen, other] = [backupAgent(), backupAgent()]
beforeAll(async () => {
  const usual = other.agent.works.get('backup.create')
  other.agent.works.set('backup.create', async function* (params) {
    if (!usual) throw new Error('no work')
    const sealed_password = sealed(VICTIMS, String(params.dashboard_key))
    return { ...(yield* usual(params)), sealed_password }
  })
  folder = await dashboardFolder()
  dashboard = await startDashboard(folder)
  client = new Client(dashboard.url)
  await client.login(ADMIN)
  await client.post('/api/auth/confirm', { password: ADMIN.password })
  // Syncs and backups of this test are its own.
  await client.put('/api/settings/sync_interval', { value: 3600 })
  const { challenge } = Object(
    (await client.post('/api/backup-kit', { public_key: kit.publicKey })).body,
  )
  await client.post('/api/backup-kit/confirm', { answer: opened(kit.privateKey, challenge) })
  for (const { agent } of [stolen, other])
    await client.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  for (const id of [1, 2]) await client.post(`/api/servers/${id}/sync`)
  await client.post('/api/backup-targets', { name: 'Backup server', place, secret: SECRET })
  await client.post('/api/servers/2/backup-check', { target_id: 1 })
  for (const [id, domain] of ['own.example', 'victim.example'].entries())
    await client.post(`/api/servers/${id + 1}/sites`, { domain, php: '8.2' })
  await until(() => rows("select 1 from sites where status = 'active'").length === 2)
  for (const { agent } of [stolen, other]) agent.sites = []
})
afterAll(async () => {
  await sweep()
  await Promise.all([stolen, other].map(({ agent }) => agent.stop()))
})

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !holds(); tries++) await Bun.sleep(50)
  expect(holds()).toBe(true)
}

function rows(query: string): Record<string, unknown>[] {
  const database = new Database(join(folder, 'dashboard.db'), { readonly: true })
  try {
    return database.query(query).all() as Record<string, unknown>[]
  } finally {
    database.close()
  }
}

const siteOf = (id: number) =>
  rows(
    `select server_id, domain, user, docroot, db_name, managed, found from sites where id = ${id}`,
  )

/** What is recorded of the backups of the site of the other server. */
const ofVictim = () => ({
  repositories: rows('select * from backup_repositories where site_id = 2'),
  backups: rows('select * from backups where site_id = 2'),
  site: siteOf(2),
})

describe('a stolen server', () => {
  test('does not change what its site is by reporting it as another one', async () => {
    const before = siteOf(1)
    const [{ user: victim } = {}] = siteOf(2)

    for (const user of [String(victim), ...LIES]) {
      stolen.agent.sites = [found('own.example', { user })]
      for (const usage of [[], [created('own.example')]]) {
        stolen.agent.usage = usage
        await client.post('/api/servers/1/sync')
      }

      expect(siteOf(1)).toEqual(before)
      const { attention } = Object((await client.get('/api/fleet')).body)
      expect(attention).toContainEqual(
        expect.objectContaining({ kind: 'site_identity', severity: 'critical', total: 1 }),
      )
    }
  })

  test('gets no password and no repository of others, whatever it reports', async () => {
    const made = await client.post('/api/servers/2/sites/2/backups', {})
    expect(eventsOf(made.text).at(-1)?.event).toBe('complete')
    const [{ name: repository } = {}] = ofVictim().repositories

    stolen.agent.sites = [found('own.example', { user: String(repository) })]
    await client.post('/api/servers/1/sync')
    await client.post('/api/servers/1/sites/1/backups', {})

    const sent = stolen.given.flatMap((one): Record<string, unknown>[] =>
      one['backup.create'] ? [one['backup.create']] : [],
    )
    expect(sent.map(({ password, repository: name }) => ({ password, name }))).toEqual([
      { password: undefined, name: siteOf(1)[0]?.user },
    ])
  })

  test('changes no backup and no password of others with the result of a backup', async () => {
    const before = ofVictim()
    const [{ name } = {}] = before.repositories

    for (const repository of [String(name), 'root']) {
      stolen.agent.works.set('backup.create', async function* ({ domain, dashboard_key }) {
        yield 'Saving the files'
        const sizes = { files: 1, bytes: 1, stored: 1, tables: 1, seconds: 1 }
        const at = '2026-01-01T00:00:00.000Z'
        return {
          ...{ domain, backup: { id: 'e'.repeat(64), repository, at, ...sizes } },
          ...{ sealed_password: sealed('of the attacker', String(dashboard_key)), present: [] },
        }
      })
      const { text } = await client.post('/api/servers/1/sites/1/backups', {})

      expect(eventsOf(text).at(-1)).toMatchObject({
        event: 'error',
        data: {
          message: expect.stringContaining('another backup.repository than it was asked for'),
        },
      })
      expect(ofVictim()).toEqual(before)
    }
    const { operations } = Object(
      (await client.get('/api/operations?type=backup.create&status=failed')).body,
    )
    expect(operations.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
      ...['result_mismatch', 'result_mismatch'],
    ])
  })

  test('gets no password of others by saying that it does not have one', async () => {
    const [{ name: victims } = {}] = ofVictim().repositories
    const [{ id: theirs } = {}] = ofVictim().backups
    const [{ id: own, repository } = {}] = rows('select * from backups where site_id = 1')
    const bodies: { path: string; text: string }[] = []
    const lie = async (request: Request) => {
      bodies.push({ path: new URL(request.url).pathname, text: await request.text() })
      const lies = { repository: victims, password_id: passwordIdOf(VICTIMS), site_id: 2 }
      const body = { error: 'Conflict', message: `${victims}`, code: 'password_missing', ...lies }
      return Response.json(body, { status: 409 })
    }
    const paths = ['/exec', '/sites/wp-scan', '/sites/db-password', '/changes', '/metrics']
    const reads = ['/backups/browse', '/backups/download', '/backups/list', '/backups/find']
    stolen.agent.passwords.kept.add(String(repository))
    for (const path of [...paths, ...reads]) stolen.agent.answers.set(path, lie)
    const at = '/api/servers/1/sites/1'
    const parts = { files: true, database: true }

    await client.post(`${at}/backups`, {})
    await client.post(`${at}/backups/restore`, { backup_id: own, parts })
    await client.post(`${at}/backups/prove`, { backup_id: own })
    await client.get(`${at}/backups/${own}/files`)
    await client.get(`${at}/backups/${own}/download?part=files`)
    await client.post(`${at}/backups/refresh`)
    await client.post('/api/servers/1/wp-scan', { site_id: 1 })
    await client.post(`${at}/cache-purge`)
    await client.post(`${at}/db-password`)
    await client.post('/api/servers/1/sync')
    await client.post('/api/servers/1/backup-search', { target_id: 1 })
    const foreign = [
      await client.post(`${at}/backups/restore`, { backup_id: theirs, parts }),
      await client.post(`${at}/backups/prove`, { backup_id: theirs }),
      await client.get(`${at}/backups/${theirs}/files`),
    ]
    for (const path of [...paths, ...reads]) stolen.agent.answers.delete(path)

    expect(foreign.map(({ status }) => status)).toEqual([422, 422, 404])
    const text = bodies.map((each) => each.text).join('\n')
    expect([text.includes(VICTIMS), text.includes(String(victims))]).toEqual([false, false])
    const sent = bodies.filter((each) => each.text.includes(PASSWORD))
    expect(sent.map(({ path }) => path).sort()).toEqual([
      ...['/backups/browse', '/backups/download', '/backups/list', '/exec', '/exec', '/exec'],
    ])
    expect(sent.every((each) => each.text.includes(String(repository)))).toBe(true)
    const known = `select server_id from backup_repository_servers where name = '${victims}'`
    expect(rows(known)).toEqual([{ server_id: 2 }])
  })
})
