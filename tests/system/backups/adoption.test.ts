// tier: full
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { constants, privateDecrypt, publicEncrypt } from 'node:crypto'
import { kit } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { confirmKit } from '#tests/support/system/confirm-kit.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

setDefaultTimeout(8 * MINUTES)

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** Records all backups of a target as the page does it: the kit never leaves this function. */
async function adopt(world: World, target_id: number): Promise<unknown[]> {
  const call = (path: string, body: object) => world.dashboard.call('POST', world.path(path), body)
  const { repositories, dashboard_key } = (await call('/backup-search', { target_id })).body as {
    repositories: { name: string; keys: { sealed: string }[] }[]
    dashboard_key: string
  }
  const adopted: unknown[] = []
  for (const { name: repository, keys } of repositories) {
    const sealed_passwords = keys.map(({ sealed }) => {
      const bytes = Buffer.from(sealed, 'base64')
      const password = privateDecrypt({ key: kit.privateKey, ...OAEP }, bytes)
      return publicEncrypt({ key: dashboard_key, ...OAEP }, password).toString('base64')
    })
    const body = { target_id, repository, sealed_passwords }
    adopted.push((await call('/backup-adopt', body)).body)
  }
  return adopted
}

const STORE = '/mnt/store'
const DOMAIN = 'shop.example.test'
const STATES = ['first', 'second', 'third']
const ALIAS = 'alias.example.test'
const FORMER = 'former.example.test'
const NAMES = {
  ...{ www: 'redirect', aliases: [ALIAS] },
  redirects: [{ domain: FORMER, status: 302, keep_path: true }],
}

interface Listed {
  id: number
  at: string
}

unless(lab.available()).describe('a new dashboard that has only the recovery kit', () => {
  const world = new World({
    ...{ name: 'adoption', suite: 'trixie', init: 'systemd', php: '8.4', image: 'provisioned' },
  })
  let user: string
  /** When the lost dashboard recorded its backups, oldest first. */
  let made: string[]
  let target_id: number

  const call = (method: string, path: string, body?: object) =>
    world.dashboard.call(method, path, body)
  const last = async (path: string, body: object = {}) =>
    (await world.dashboard.stream('POST', path, body)).at(-1)
  const root = () => `/srv/www/${user}/public`

  async function addTarget(): Promise<number> {
    const input = { name: 'A folder', place: { kind: 'local', path: STORE } }
    const { body } = await call('POST', '/api/backup-targets', input)
    const { id } = body.target as { id: number }
    expect((await last(world.path('/backup-check'), { target_id: id }))?.event).toBe('complete')
    return id
  }

  const write = async (text: string) => {
    await world.host.put(`${root()}/state.html`, text)
    const sql = `CREATE OR REPLACE TABLE states (text VARCHAR(9)); INSERT INTO states VALUES ('${text}')`
    await world.host.must(['mariadb', user], { input: sql })
  }
  const stateOf = async (domain: string, of: string) => {
    const page = await get(world.host, `http://${domain}/state.html`)
    const row = await world.host.must(['mariadb', of, '-Ne', 'SELECT text FROM states'])
    return [page.body.trim(), row.trim()]
  }

  /** The agent has reported the site. */
  async function ofSite(): Promise<string> {
    const { body } = await call('GET', '/api/fleet/sites')
    const sites = body.sites as { id: number; domain: string }[]
    const site = sites.find(({ domain }) => domain === DOMAIN)
    return world.path(`/sites/${site?.id}/backups`)
  }
  const listed = async () => (await call('GET', await ofSite())).body.backups as Listed[]

  beforeAll(async () => {
    await world.start()
    await putRestic(world.host)
    await world.host.must(['install', '-d', '-m', '0700', STORE])
    await world.register()
    await last(world.path('/provision'), { php_versions: ['8.4'] })
    const input = { domain: DOMAIN, php: '8.4', tls: 'none' }
    const created = await call('POST', world.path('/sites'), input)
    expect((await endOf(world.dashboard, created)).event).toBe('complete')
    const site = created.body.site as { id: number }
    const known = new Database(`${world.dashboard.data_dir}/dashboard.db`, { readonly: true })
    user = (known.query('select user from sites').get() as { user: string }).user
    known.close()
    const domains = world.path(`/sites/${site.id}/domains`)
    const named = await world.dashboard.stream('PUT', domains, NAMES)
    expect(named.at(-1)?.event).toBe('complete')
    await confirmKit(world.dashboard)
    await addTarget()
    const backups = world.path(`/sites/${site.id}/backups`)
    for (const state of STATES) {
      await write(state)
      expect((await last(backups))?.event).toBe('complete')
    }
    const listed = (await call('GET', backups)).body.backups as Listed[]
    made = listed.map(({ at }) => at).reverse()
    await world.startAnotherDashboard()
    await world.register()
    await world.sync()
    await confirmKit(world.dashboard)
    target_id = await addTarget()
  }, 15 * MINUTES)
  afterAll(() => world.stop(), 5 * MINUTES)

  test('records the backups of a target with their own times', async () => {
    const since = new Date().toISOString()

    const adopted = await adopt(world, target_id)

    const counts = { backups: STATES.length, added: STATES.length }
    expect(adopted).toEqual([
      { repository: user, domain: DOMAIN, ...counts, last_at: expect.any(String) },
    ])
    const database = new Database(`${world.dashboard.data_dir}/dashboard.db`, { readonly: true })
    const rows = database.query('select at, recorded_at from backups order by id').all() as {
      at: string
      recorded_at: string
    }[]
    database.close()
    expect(rows.map(({ recorded_at }) => recorded_at)).toEqual(rows.map(({ at }) => at))
    // A backup begins before its first snapshot, and ends before the next one begins.
    const ends = [...made.slice(1), since]
    expect(rows.map(({ at }, of) => at >= String(made[of]) && at < String(ends[of]))).toEqual(
      STATES.map(() => true),
    )
  })

  test('restores a backup that is not the newest one as a new site', async () => {
    const [, second] = await listed()

    const cloned = await call('POST', world.path('/sites/clone'), {
      ...{ domain: 'again.example.test', php: '8.4', tls: 'none', user: 'again4f2c' },
      from: { kind: 'backup', backup_id: second?.id },
    })

    expect([cloned.status, cloned.body.fields]).toEqual([201, undefined])
    expect((await endOf(world.dashboard, cloned)).event).toBe('complete')
    expect(await stateOf('again.example.test', 'again4f2c')).toEqual(['second', 'second'])
  })

  test('restores the oldest backup at the site itself', async () => {
    const all = await listed()
    expect(all).toHaveLength(STATES.length)
    const backups = await ofSite()
    const parts = { files: true, database: true }
    const oldest = { backup_id: all.at(-1)?.id, parts }
    expect(await stateOf(DOMAIN, user)).toEqual(['third', 'third'])
    expect((await last(`${backups}/restore`, oldest))?.event).toBe('complete')
    expect(await stateOf(DOMAIN, user)).toEqual(['first', 'first'])
    expect((await call('POST', `${backups}/refresh`)).body).toEqual({ gone: 0, found: 0 })
  })

  test('creates the site itself again when it was deleted permanently, with all of its names', async () => {
    const [newest] = await listed()
    const site = (await ofSite()).replace(/\/backups$/, '')
    for (const [method, path, body] of [
      ['DELETE', site, { without_backup: true }],
      ['POST', `${site}/purge`, { domain: DOMAIN }],
    ] as const) {
      const { event } = await endOf(world.dashboard, await call(method, path, body))
      expect(event).toBe('complete')
    }

    const from = { kind: 'backup', backup_id: newest?.id }
    const input = { domain: DOMAIN, user: 'back4f2c', from }
    const cloned = await call('POST', world.path('/sites/clone'), input)

    expect([cloned.status, cloned.body.fields]).toEqual([201, undefined])
    expect((await endOf(world.dashboard, cloned)).event).toBe('complete')
    const { id } = cloned.body.site as { id: number }
    const shown = await call('GET', world.path(`/sites/${id}/domains`))
    expect(shown.body.domains).toMatchObject(NAMES)
    for (const name of [DOMAIN, ALIAS])
      expect(await stateOf(name, 'back4f2c')).toEqual(['third', 'third'])
    const moved = await get(world.host, `http://${FORMER}/state.html`)
    expect([moved.status, moved.headers]).toEqual([
      302,
      expect.stringContaining(`location: http://${DOMAIN}/state.html`),
    ])
    const www = await get(world.host, `http://www.${DOMAIN}/`)
    expect([www.status, www.headers]).toEqual([
      301,
      expect.stringContaining(`location: http://${DOMAIN}/`),
    ])
  })
})
