// tier: gate
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Message } from '#dashboard/features/alerts/mailer.ts'
import { people, site_access, site_clients } from '#dashboard/kernel/db/access-schema.ts'
import { group_members, part_grants } from '#dashboard/kernel/db/auth-schema.ts'
import { backup_proofs, backups } from '#dashboard/kernel/db/backup-schema.ts'
import { site_copies, staging_access } from '#dashboard/kernel/db/copies-schema.ts'
import { site_days } from '#dashboard/kernel/db/numbers-schema.ts'
import { version_changes } from '#dashboard/kernel/db/reports-schema.ts'
import { servers, sites, users } from '#dashboard/kernel/db/schema.ts'
import { site_settings } from '#dashboard/kernel/db/settings-schema.ts'
import type { Inventory } from '#shared/kernel/inventory.ts'
import type { PartGrant, PartGrantName } from '#shared/kernel/rights.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { EMAIL, PASSWORD, until } from '#tests/support/dashboard/dashboard.ts'
import { addGroup } from '#tests/support/dashboard/groups.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(withClient)

const MINUTE_MS = 60_000
const DAY_S = 86_400
const LOGIN = 'https://shop.example/.well-known/hosting-login'
const SINCE = '2026-01-01T00:00:00.000Z'
/** What no answer to a client has: names of the records, and words of the system. */
const NEEDLES =
  /needle|127\.0\.0\.1|server|agent|system|docroot|database_|\bphp|mariadb|mysql|nginx|backup server|repository|\/srv|\/home|\/var/i

/** A dashboard that mails, with a site that was backed up, and another one. */
async function withClient() {
  const mails: Message[] = []
  const send = async (message: Message) => {
    mails.push(message)
    return { accepted: true, answer: '250 OK', refused: [] }
  }
  const server = { host: 'mail.example', port: 25, tls: 'plain' as const }
  const mailer = { server, from: 'alerts@control.example', send }
  const all = await fleet({ mailer, public_url: 'https://control.example' })
  const { dashboard, server_id, agent } = all
  const now = dashboard.deps.clock.now()
  const site_id = await addSite(dashboard, server_id, {
    ...{ domain: 'shop.example', apex: 'shop.example', user: 'needleuser', docroot: '/srv/needle' },
    ...{ db_name: 'needle_db', status_reason: 'needle', health: 'up', health_since: SINCE },
    health_reason: 'PHP of needle',
  })
  const other_id = await addSite(dashboard, server_id, { domain: 'other.example' })
  const at = `/api/servers/${server_id}/sites/${site_id}`
  await (await dashboard.send('POST', `${at}/backups`, {})).text()
  await dashboard.db.write((queries) =>
    queries
      .update(servers)
      .set({ name: 'needle-server', metrics_at: now.toISOString() })
      .where(eq(servers.id, server_id)),
  )
  const today = Math.floor(now.getTime() / 1000 / DAY_S) * DAY_S
  for (const [day, requests, php_requests, cache_hits] of [
    [today, 7, 2, 3],
    [today - 29 * DAY_S, 5, 1, 0],
    [today - 30 * DAY_S, 100, 50, 50],
  ] as const)
    await dashboard.db.write((queries) =>
      queries
        .insert(site_days)
        .values({ ...NO_NUMBERS, site_id, at: day, requests, php_requests, cache_hits }),
    )
  const [backup] = await dashboard.db.read.select().from(backups)
  if (!backup) throw new Error('The site was not backed up')
  const logins: unknown[] = []
  agent.works.set('wp.login', async function* (params) {
    logins.push(params.user_id)
    yield 'Preparing a login to shop.example'
    return { status: 'ok', domain: 'shop.example', user: 'anna', url: LOGIN }
  })
  const client = await dashboard.signInWith([], [on(site_id, 'client')])
  const call = (method: string, path = '', body?: unknown, headers: object = client) =>
    dashboard.call(method, `/api/client/sites${path}`, body, { ...headers })
  return { ...all, mails, site_id, other_id, at, today, backup, logins, client, call }
}

const NO_NUMBERS = {
  ...{ client_errors: 0, server_errors: 0, cache_hits: 0, php_requests: 0, php_ms: 0, slow: 0 },
  ...{ bytes: 0, full: 0, active: 0, memory: 0, killed: 0 },
}

const on = (site_id: number, gives: PartGrantName): PartGrant => ({
  gives,
  tag: null,
  server_id: null,
  site_id,
})

const dayOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)

test('a client sees their own site, and no other', async (all) => {
  const { dashboard, server_id, site_id, other_id, backup, today, call, client } = all
  const { at, recorded_at, bytes } = backup
  const staging_id = await addSite(dashboard, server_id, {
    domain: 'staging.shop.example',
    tls: 'letsencrypt',
    staging: true,
  })
  await dashboard.db.write((queries) =>
    queries.batch([
      queries.insert(site_copies).values({ site_id: staging_id, original_id: site_id }),
      queries
        .insert(staging_access)
        .values({ site_id: staging_id, user: 'needle', password_sealed: 'needle' }),
      queries.insert(backup_proofs).values({
        ...{ backup_id: backup.id, site_id, at, recorded_at, proven: true, findings: [], rows: 1 },
        ...{ tables: 1, files: 1, bytes, pages: [], seconds: 1 },
      }),
    ]),
  )
  const [grant] = await dashboard.db.read.select().from(part_grants)
  const site = {
    ...{ id: site_id, domain: 'shop.example', state: 'up', since: SINCE, requests: 12 },
    ...{ last_backup_at: recorded_at, last_proof_at: recorded_at },
  }

  expect(await call('GET')).toEqual({ status: 200, body: { sites: [site], more: false } })
  expect(await call('GET', `/${site_id}`)).toEqual({
    status: 200,
    body: {
      ...site,
      pages: 6,
      days: Array.from({ length: 30 }, (_, day) => ({
        day: dayOf(today - (29 - day) * DAY_S),
        requests: day === 0 ? 5 : day === 29 ? 7 : null,
        pages: day === 0 ? 1 : day === 29 ? 5 : null,
      })),
      updates: null,
      backups: [{ id: backup.id, at, bytes, proven: true }],
      staging: [
        {
          domain: 'staging.shop.example',
          url: 'https://staging.shop.example/',
          made_at: expect.any(String),
        },
      ],
      people: [{ name: 'Account 2', since: grant?.given_at, is_you: true, files: false }],
      file_accounts: [],
      request: null,
      restore: null,
      may: { restore: false, login: false },
    },
  })
  for (const id of [other_id, staging_id, 999]) {
    expect((await call('GET', `/${id}`)).status).toBe(403)
    expect((await call('POST', `/${id}/restore-request`, {})).status).toBe(403)
  }
  const parts = await dashboard.call('GET', '/api/auth/rights', undefined, client)
  expect(parts.body.parts).toEqual([
    { tag: null, server_id: null, site_id, rights: ['own.read', 'own', 'client'] },
  ])
})

test('somebody with the whole server sees its sites, but no copies and no deleted sites', async (all) => {
  const { dashboard, server_id, site_id, call } = all
  await addSite(dashboard, server_id, { domain: 'staging.example', staging: true })
  const trashed = await addSite(dashboard, server_id, { domain: 'gone.example', status: 'trashed' })
  const headers = await dashboard.signInWith([], [{ ...on(0, 'client'), server_id, site_id: null }])

  const { body } = await call('GET', '', undefined, headers)

  expect(body.sites.map(({ domain }: { domain: string }) => domain)).toEqual([
    'other.example',
    'shop.example',
  ])
  expect((await call('GET', `/${trashed}`, undefined, headers)).status).toBe(404)
  expect((await call('GET', `/${site_id}`, undefined, headers)).status).toBe(200)
})

test('the state of a site is in plain words', async ({ dashboard, site_id, call }) => {
  const states: unknown[] = []
  const shown = async (values: Partial<typeof sites.$inferInsert>) => {
    await dashboard.db.write((queries) =>
      queries.update(sites).set(values).where(eq(sites.id, site_id)),
    )
    const { state, since } = (await call('GET')).body.sites[0]
    states.push([state, since])
  }
  await shown({ health: 'degraded', health_code: 'php_busy' })
  await shown({ health: 'degraded', health_code: 'certificate_ending' })
  await shown({ health: 'degraded', health_code: 'http_maintenance' })
  await shown({ health: 'down', health_code: 'php_stopped' })
  await shown({ health: null })
  await shown({ health: 'up', health_code: '', status: 'suspended' })
  await dashboard.db.write((queries) =>
    queries.insert(site_settings).values({ site_id, settings: { maintenance: {} } as never }),
  )
  await shown({ status: 'active' })

  expect(states).toEqual([
    ['slow', SINCE],
    ['impaired', SINCE],
    ['maintenance', SINCE],
    ['down', SINCE],
    ['unknown', SINCE],
    ['maintenance', null],
    ['maintenance', null],
  ])
})

test('a request is mailed to the agency, and open until somebody dismisses it', async (all) => {
  const { dashboard, site_id, other_id, at, backup, mails, call } = all
  const note = 'The prices are gone.\nSince this morning.'
  const ask = () => call('POST', `/${site_id}/restore-request`, { backup_id: backup.id, note })

  expect(await ask()).toEqual({ status: 201, body: { mailed: true } })
  const again = await ask()
  expect([again.status, mails.length]).toEqual([409, 1])
  const day = backup.at.slice(0, 10)
  expect(mails[0]).toEqual({
    to: [EMAIL],
    subject: 'Restore requested: shop.example',
    text: `Account 2 (account-2@control.example) asks to restore the backup of ${day} of shop.example.\n\n> The prices are gone.\n> Since this morning.\n\nRestore it in the tab Backups of the site, or dismiss the request there.\n\nhttps://control.example/sites/${site_id}?tab=backups\n`,
    id: expect.any(String),
  })
  const request = { at: expect.any(String), note, backup_at: backup.at }
  expect((await call('GET', `/${site_id}`)).body.request).toEqual(request)
  const { requested } = (await dashboard.call('GET', `${at}/backups`)).body
  expect(requested).toEqual({
    ...request,
    by: 'Account 2',
    email: 'account-2@control.example',
    backup_id: backup.id,
  })
  const items = async () =>
    (await dashboard.call('GET', '/api/fleet')).body.attention.flatMap(
      ({ kind, items: all }: { kind: string; items: { name: string; reason: string }[] }) =>
        kind === 'restore_requested' ? all.map(({ name, reason }) => [name, reason]) : [],
    )
  expect(await items()).toEqual([
    [
      'shop.example',
      `Account 2 (account-2@control.example) asks to restore the backup of ${day}: restore it in the tab Backups, or dismiss the request there`,
    ],
  ])
  const other = `/api/servers/1/sites/${other_id}/backups/request`
  expect((await dashboard.call('DELETE', other)).status).toBe(404)

  expect((await dashboard.call('DELETE', `${at}/backups/request`)).status).toBe(204)

  expect(await items()).toEqual([])
  expect((await call('GET', `/${site_id}`)).body.request).toBeNull()
  const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
  const shown = activities
    .slice(0, 2)
    .map(({ type, domain, actor }: Record<string, unknown>) => [type, domain, actor])
  expect(shown).toEqual([
    ['restore.dismiss', 'shop.example', EMAIL],
    ['restore.request', 'shop.example', 'account-2@control.example'],
  ])
  expect((await ask()).status).toBe(201)
})

test('a client who may restores a backup, which ends the request', async (all) => {
  const { dashboard, site_id, other_id, backup, forward, call } = all
  const headers = await dashboard.signInWith([], [on(site_id, 'restore')])
  const restore = (body: object, as: object = headers) =>
    call('POST', `/${site_id}/restore`, { backup_id: backup.id, ...body }, as)
  await call('POST', `/${site_id}/restore-request`, {})
  const { at: backup_at, bytes } = backup

  expect((await restore({}, all.client)).status).toBe(403)
  expect(await restore({ dry_run: true })).toEqual({
    status: 200,
    body: { plan: { backup_at, bytes, database: true, undo_days: 7 } },
  })
  forward(30 * MINUTE_MS)
  expect((await restore({})).body.code).toBe('confirmation_needed')
  await dashboard.call('POST', '/api/auth/confirm', { password: PASSWORD }, headers)
  const foreign = await call('POST', `/${other_id}/restore`, { backup_id: backup.id }, headers)
  const unknown = await restore({ backup_id: backup.id + 1 })
  expect([foreign.status, unknown.status, unknown.body.fields]).toEqual([
    403,
    422,
    { backup_id: ['Is not a backup of this site'] },
  ])

  expect(await restore({})).toEqual({
    status: 200,
    body: { restore: { state: 'running', at: expect.any(String) } },
  })

  const ended = await until(async () => {
    const { body } = await call('GET', `/${site_id}`)
    return body.restore.state === 'done' && body
  })
  expect(ended.request).toBeNull()
})

test('a client logs in to WordPress as the user with their address, and as nobody else', async (all) => {
  const { dashboard, agent, site_id, logins, call } = all
  const headers = await dashboard.signInWith([], [on(site_id, 'login')])
  const own = { id: 9, login: 'anna', name: 'Anna', role: 'editor' }
  const asked: unknown[] = []
  let found: object[] = []
  agent.answers.set('/sites/wordpress-users', async (request) => {
    asked.push(await request.json())
    return Response.json({ users: found, more: false })
  })
  const login = (as: object = headers) => call('POST', `/${site_id}/login`, undefined, as)
  const refused = {
    status: 409,
    body: {
      error: 'Conflict',
      message:
        'The WordPress of this site has no user with your e-mail address: ask your agency to add one',
    },
  }

  // An agent that does not know the address returns the administrators.
  found = [{ ...own, role: 'administrator' }]
  expect(await login()).toEqual(refused)
  found = [{ ...own, email: 'admin@shop.example' }]
  expect(await login()).toEqual(refused)
  found = []
  expect(await login()).toEqual(refused)
  expect([(await login(all.client)).status, logins]).toEqual([403, []])

  found = [{ ...own, email: 'Account-3@control.example' }]
  const { status, body } = await login()

  expect([status, body.url, body.user, logins]).toEqual([200, LOGIN, 'anna', [9]])
  expect(asked.at(-1)).toEqual({ domain: 'shop.example', email: 'account-3@control.example' })
})

test('a client does not change the address that decides who they are in WordPress', async (all) => {
  const body = { email: 'admin@shop.example', password: PASSWORD }

  const changed = await all.dashboard.call('PATCH', '/api/auth/me', body, all.client)

  expect([changed.status, changed.body.message]).toEqual([
    409,
    'Your agency decides about this address: ask it for an invitation to another one',
  ])
  const named = await all.dashboard.call('PATCH', '/api/auth/me', { name: 'Anna' }, all.client)
  expect(named.status).toBe(200)
})

test('a client sees other clients of the site, and neither staff nor clients of others', async (all) => {
  const { dashboard, server_id, site_id, other_id, call } = all
  await dashboard.signInWith([], [on(site_id, 'viewer'), on(site_id, 'client')])
  await dashboard.signInWith(['admin'])
  await dashboard.signInWith([], [on(other_id, 'client')])
  await dashboard.signInWith([], [{ ...on(0, 'restore'), server_id, site_id: null }])
  await dashboard.signInWith([], [on(site_id, 'client')])
  await dashboard.db.write((queries) =>
    queries.update(users).set({ deactivated_at: SINCE }).where(eq(users.id, 7)),
  )
  await dashboard.signInWith([])
  await addGroup(dashboard, { name: 'Shop', parts: [on(site_id, 'client')], members: [8] })
  await dashboard.signInWith([], [on(site_id, 'client')])
  await addGroup(dashboard, { name: 'Staff', role: 'viewer', members: [9] })

  const { people } = (await call('GET', `/${site_id}`)).body

  expect(people.map(({ name, is_you }: Record<string, unknown>) => [name, is_you])).toEqual([
    ['Account 2', true],
    ['Account 6', false],
    ['Account 8', false],
  ])
  const [joined] = await dashboard.db.read.select().from(group_members)
  expect(people[2].since).toBe(joined?.added_at)
})

test('a client sees who of theirs opens the files, and no colleague of the agency', async (all) => {
  const { dashboard, site_id, other_id, call } = all
  const { db } = dashboard
  await dashboard.signInWith(['operator'])
  await dashboard.signInWith([], [on(site_id, 'client')])
  const [past, future] = ['2020-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z']
  const person = (id: number, name: string, user_id: number | null) => ({
    ...{ id, name, user_id, created_at: SINCE },
  })
  const opens = (person_id: number, expires_at: string | null, at = site_id) => ({
    ...{ site_id: at, person_id, kind: 'sftp' as const, expires_at },
  })
  const account = (token: string, label: string, expires_at: string | null, at = site_id) => ({
    ...{ site_id: at, token, label, expires_at, password_hash: 'needle' },
  })
  await db.write((queries) =>
    queries.batch([
      queries
        .insert(people)
        .values([
          person(1, 'Anna', 2),
          person(2, 'Operator', 3),
          person(3, 'Freelancer', null),
          person(4, 'Ben', 4),
        ]),
      queries
        .insert(site_access)
        .values([
          opens(1, null),
          opens(2, null),
          opens(3, future),
          opens(4, past),
          opens(4, null, other_id),
        ]),
      queries
        .insert(site_clients)
        .values([
          account('a', 'Print shop', future),
          account('b', 'Former agency', past),
          account('c', 'Of another site', null, other_id),
        ]),
    ]),
  )

  const { people: shown, file_accounts } = (await call('GET', `/${site_id}`)).body

  expect(shown.map(({ name, files }: Record<string, unknown>) => [name, files])).toEqual([
    ['Account 2', true],
    ['Account 4', false],
  ])
  expect(file_accounts).toEqual([{ label: 'Print shop', expires_at: future }])
})

/** A scan of a WordPress with an update of each kind, which WordPress was asked for. */
const SCANNED: Inventory = {
  wp_version: '7.0.1',
  core_update: '7.0.2',
  plugins: [
    { slug: 'shop', name: 'Shop', version: '1.0', active: true, update: '1.1' },
    { slug: 'form', name: 'Form', version: '2.0', active: true, update: null },
  ],
  themes: [{ slug: 'plain', name: '', version: '3.0', active: true, update: '4.0' }],
  updates: { plugins: 1, themes: 1, core: true },
}

test('a client sees the updates that were made, and those that wait', async (all) => {
  const { dashboard, site_id, other_id, today, call } = all
  const { db } = dashboard
  const at = (days: number) => new Date((today - days * DAY_S) * 1000).toISOString()
  const change = (days: number, from: string, to: string, of = site_id) => ({
    ...{ site_id: of, at: at(days), kind: 'plugin' as const, name: 'Shop', from, to },
  })
  await db.write((queries) =>
    queries.insert(version_changes).values([
      change(40, '0.1', '0.2'),
      change(20, '0.2', '0.9'),
      change(10, '0.9', '1.0'),
      // A restore has brought the former version back.
      change(9, '1.0', '0.9'),
      change(5, '0.1', '0.2', other_id),
    ]),
  )
  const updates = async (values: Partial<typeof sites.$inferInsert>) => {
    await db.write((queries) => queries.update(sites).set(values).where(eq(sites.id, site_id)))
    return (await call('GET', `/${site_id}`)).body.updates
  }
  const read_at = at(1)
  const scanned = { framework: 'wordpress', wp_version: '7.0.1', last_scan: read_at } as const

  const none = await updates({ ...scanned, inventory: null })
  const found = await updates({ inventory: SCANNED })
  const unknown = await updates({
    inventory: { ...SCANNED, updates: { ...SCANNED.updates, themes: null } },
  })
  const other = await updates({ framework: 'unknown' })

  const { site_id: _, ...first } = change(20, '0.2', '0.9')
  const { site_id: __, ...second } = change(10, '0.9', '1.0')
  const all_of = { version: '7.0.1', read_at, made: [second, first] }
  expect([none, found, unknown, other]).toEqual([
    null,
    {
      ...all_of,
      pending: [
        { kind: 'core', name: 'WordPress', from: '7.0.1', to: '7.0.2' },
        { kind: 'plugin', name: 'Shop', from: '1.0', to: '1.1' },
        { kind: 'theme', name: 'plain', from: '3.0', to: '4.0' },
      ],
    },
    { ...all_of, pending: null },
    null,
  ])
})

test('a token of a client reads their sites, and does no more than the client', async (all) => {
  const { dashboard, site_id, other_id, client, call } = all
  const made = await dashboard.call(
    'POST',
    '/api/auth/tokens',
    { name: 'script', password: PASSWORD, scope: 'admin' },
    client,
  )
  const token = { cookie: '', authorization: `Bearer ${made.body.plaintext}` }
  const status = async (method: string, path: string) =>
    (await call(method, path, undefined, token)).status

  expect([
    await status('GET', ''),
    await status('GET', `/${site_id}`),
    await status('GET', `/${other_id}`),
    await status('POST', `/${site_id}/restore-request`),
    await status('POST', `/${site_id}/restore`),
    await status('POST', `/${site_id}/login`),
    (await dashboard.send('GET', '/api/fleet/sites', undefined, token)).status,
  ]).toEqual([200, 200, 403, 403, 403, 403, 403])
})

/** Records an access, a scan and a copy with what no client sees. */
async function fillWithNeedles({
  dashboard,
  site_id,
  server_id,
}: Awaited<ReturnType<typeof withClient>>): Promise<void> {
  const staging_id = await addSite(dashboard, server_id, {
    ...{ domain: 'staging.shop.example', staging: true, user: 'needle', docroot: '/srv/needle' },
  })
  await dashboard.db.write((queries) =>
    queries.batch([
      queries.insert(site_copies).values({ site_id: staging_id, original_id: site_id }),
      queries
        .insert(staging_access)
        .values({ site_id: staging_id, user: 'needle', password_sealed: 'needle' }),
      queries.insert(people).values({ id: 1, name: 'Needle', created_at: SINCE }),
      queries.insert(site_access).values({ site_id, person_id: 1, kind: 'shell' }),
      queries.insert(site_clients).values({
        ...{ site_id, token: 'needle', label: 'Print shop', password_hash: 'needle' },
      }),
      queries
        .update(sites)
        .set({
          ...{ framework: 'wordpress', wp_version: '7.0.1', last_scan: SINCE },
          inventory: { ...SCANNED, unknown_because: 'config_no_php' },
        })
        .where(eq(sites.id, site_id)),
    ]),
  )
}

test('no answer to a client names servers, files, accounts of the system or programs', async (all) => {
  const { dashboard, agent, server_id, site_id, backup, call } = all
  const headers = await dashboard.signInWith([], [on(site_id, 'restore'), on(site_id, 'login')])
  const answers: unknown[] = []
  const ask = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await call(method, path, body, headers)
    answers.push(answer)
    return status
  }
  await fillWithNeedles(all)
  agent.answers.set('/sites/wordpress-users', () =>
    Response.json({ error: 'Conflict', message: 'PHP of /srv/needle' }, { status: 409 }),
  )
  const restore = { backup_id: backup.id }
  const statuses = [
    await ask('GET', ''),
    await ask('GET', `/${site_id}`),
    await ask('POST', `/${site_id}/restore`, { ...restore, dry_run: true }),
    await ask('POST', `/${site_id}/restore-request`, restore),
    await ask('POST', `/${site_id}/restore-request`, restore),
    await ask('POST', `/${site_id}/login`),
  ]
  await dashboard.db.write((queries) =>
    queries
      .update(sites)
      .set({ status: 'failed', health: 'down', health_code: 'php_stopped' })
      .where(eq(sites.id, site_id)),
  )
  statuses.push(await ask('POST', `/${site_id}/restore`, restore), await ask('GET', `/${site_id}`))
  await dashboard.db.write((queries) =>
    queries.update(sites).set({ status: 'active' }).where(eq(sites.id, site_id)),
  )
  await dashboard.db.write((queries) =>
    queries
      .update(servers)
      .set({ status: 'offline', last_error: 'connect ECONNREFUSED 127.0.0.1 needle' })
      .where(eq(servers.id, server_id)),
  )
  await agent.stop()
  statuses.push(await ask('POST', `/${site_id}/restore`, restore), await ask('GET', `/${site_id}`))

  expect(statuses).toEqual([200, 200, 200, 201, 409, 409, 404, 404, 409, 200])
  expect(answers.map((answer) => JSON.stringify(answer).match(NEEDLES)?.[0])).toEqual(
    answers.map(() => undefined),
  )
})

test('a client reads the report of a month, of their own site alone', async (all) => {
  const { site_id, other_id, call } = all

  const { status, body } = await call('GET', `/${site_id}/report`)
  const other = await call('GET', `/${other_id}/report`)

  expect([status, body.report.domain, other.status]).toEqual([200, 'shop.example', 403])
})
