// tier: core
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  runRecords,
  startDashboard,
  sweep,
} from '#tests/support/processes.ts'
import { unauthorized } from '#tests/support/rows.ts'

const closed = { status: 401, answer: unauthorized }
const LATER = '2099-01-01T00:00:00.000Z'
const OTHER = { email: 'bob@control.example', password: ADMIN.password }

/** Somebody who can write to the database, and has neither a password nor a secret of DATA_DIR. */
describe('whoever can write to the database', () => {
  setDefaultTimeout(60_000)
  let folder = ''
  let dashboard: Running
  beforeAll(async () => {
    folder = await dashboardFolder([OTHER.email])
    dashboard = await startDashboard(folder)
  })
  afterAll(async () => {
    await dashboard?.kill()
    await sweep()
  })

  function write(sql: string, values: (string | number)[] = []): void {
    const database = new Database(`${folder}/dashboard.db`)
    database.run('pragma busy_timeout = 5000')
    database.run(sql, values)
    database.close()
  }
  const columnsOf = (table: string, where: string) => {
    const database = new Database(`${folder}/dashboard.db`, { readonly: true })
    const row = database.query(`select * from ${table} where ${where}`).get()
    database.close()
    return row as Record<string, string | number>
  }
  const insert = (table: string, row: Record<string, string | number>) => {
    const names = Object.keys(row)
    write(`insert into ${table} (${names}) values (${names.map(() => '?')})`, Object.values(row))
  }
  const signedIn = async (as = ADMIN) => {
    const client = new Client(dashboard.url)
    expect((await client.login(as)).status).toBe(200)
    return client
  }
  const bearer = (token: string, path = '/api/servers') =>
    new Client(dashboard.url).send({ path, headers: { authorization: `Bearer ${token}` } })
  const create = async (scope: string) => {
    const client = await signedIn()
    const made = await client.post('/api/auth/tokens', {
      ...{ name: 'script', scope, password: ADMIN.password },
    })
    return made.body as { token: { id: number }; plaintext: string }
  }
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

  test('has no access with an API token of their own', async () => {
    const own = `hc_${'x'.repeat(43)}`
    const row = { user_id: 1, name: 'x', hash: sha256(own), scope: 'admin', created_at: LATER }
    insert('api_tokens', { ...row, expires_at: LATER })

    expect(await bearer(own)).toAnswer(closed)
  })

  test('has no access with the mark of another token', async () => {
    const { token } = await create('admin')
    const { mark } = columnsOf('api_tokens', `id = ${token.id}`)
    const own = `hc_${'y'.repeat(43)}`
    const { id: _, ...row } = columnsOf('api_tokens', `id = ${token.id}`)
    insert('api_tokens', { ...row, hash: sha256(own), mark: mark ?? '' })

    expect(await bearer(own)).toAnswer(closed)
  })

  test.each([
    ['scope', "scope = 'admin'"],
    ['expiry', `expires_at = '${LATER}'`],
    ['user', 'user_id = 2'],
    ['mark', "mark = ''"],
  ])('ends a token by a change of its %s', async (_, change) => {
    const { token, plaintext } = await create('read')
    expect((await bearer(plaintext)).status).toBe(200)

    write(`update api_tokens set ${change} where id = ${token.id}`)

    expect(await bearer(plaintext)).toAnswer(closed)
  })

  test.each([
    ['expiry', `expires_at = '${LATER}'`],
    ['last password', `confirmed_at = '${LATER}'`],
    ['user', 'user_id = 2'],
    ['mark', "mark = ''"],
  ])('ends a session by a change of its %s', async (_, change) => {
    const client = await signedIn()
    expect((await client.get('/api/auth/me')).status).toBe(200)
    const { jti } = JSON.parse(
      Buffer.from((client.cookie ?? '').split('.')[1] ?? '', 'base64url').toString(),
    )

    write(`update sessions set ${change} where jti = ?`, [jti])

    expect(await client.get('/api/auth/me')).toAnswer(closed)
    expect(await client.get('/api/servers')).toAnswer(closed)
  })

  test('revokes: a deleted session and token admit nobody, and others stay', async () => {
    const client = await signedIn()
    const { token, plaintext } = await create('read')
    const other = await signedIn()
    const { jti } = JSON.parse(
      Buffer.from((client.cookie ?? '').split('.')[1] ?? '', 'base64url').toString(),
    )

    write('delete from sessions where jti = ?', [jti])
    write(`delete from api_tokens where id = ${token.id}`)

    expect(await client.get('/api/auth/me')).toAnswer(closed)
    expect(await bearer(plaintext)).toAnswer(closed)
    expect((await other.get('/api/auth/me')).status).toBe(200)
  })

  test('cannot log in with a password of their own, which is a critical item', async () => {
    const client = await signedIn()
    const theirs = await Bun.password.hash('a password of theirs', {
      ...{ algorithm: 'argon2id', memoryCost: 8, timeCost: 1 },
    })
    const sessions = await signedIn(OTHER)

    write('update users set password_hash = ? where id = 2', [theirs])
    insert('users', {
      ...{ email: 'eve@example.com', name: 'Eve', password_hash: theirs, created_at: LATER },
    })

    const login = (email: string, password: string) =>
      new Client(dashboard.url).login({ email, password })
    const refused = {
      status: 401,
      answer: { error: 'Unauthorized', message: 'Invalid email or password' },
    }
    expect(await login(OTHER.email, 'a password of theirs')).toAnswer(refused)
    expect(await login(OTHER.email, OTHER.password)).toAnswer(refused)
    expect(await login('eve@example.com', 'a password of theirs')).toAnswer(refused)
    expect(await sessions.get('/api/auth/me')).toAnswer(closed)
    const { attention } = Object((await client.get('/api/fleet')).body)
    const [changed] = attention
    expect(changed).toMatchObject({ kind: 'records_changed', severity: 'critical' })
    expect(changed.items[0].reason).toStartWith(
      'The records of 2 users were changed outside of the dashboard and are not accepted',
    )
    expect(dashboard.output.err).toContain('A row of users was changed outside of the dashboard')
    const { code, out } = await runRecords(folder, ['check'])
    expect([code, out.split('\n').filter((line) => /^found: user \d+:/.test(line))]).toEqual([
      1,
      [2, 3].map(
        (id) =>
          `found: user ${id}: the row was changed outside of the dashboard and is not accepted`,
      ),
    ])
    expect(out).toContain('found: API token x of user 1: the row was changed outside')
    expect(out).toContain('found: session of user 1 from ')
  })

  test('gains nothing when they empty all marks and start the dashboard again', async () => {
    const client = await signedIn()
    write("update users set mark = ''")
    write("update sessions set mark = ''")

    await dashboard.kill()
    dashboard = await startDashboard(folder)

    expect((await new Client(dashboard.url).login(ADMIN)).status).toBe(401)
    expect(await new Client(dashboard.url, client.cookie).get('/api/auth/me')).toAnswer(closed)
  })
})
