// tier: gate
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { storeLogins } from '#dashboard/features/access/logins.queries.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'
import type { LoginRefusal, SiteLogin } from '#shared/access/site-access.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA, ANNA_FINGERPRINT, BEN_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const AT = '2026-01-01T12:00:00.000Z'
const SHELL = '2026-01-01T14:00:00.000Z'
const BY_PASSWORD = '2026-01-01T15:00:00.000Z'
const LATER = '2026-01-01T13:00:00.000Z'
const ENDED = '2026-01-01T14:05:00.000Z'
const ADDRESS = '203.0.113.7'

const login = (values: Partial<SiteLogin> = {}): SiteLogin => ({
  domain: 'shop.example',
  address: ADDRESS,
  kind: 'sftp',
  at: AT,
  ended_at: null,
  fingerprint: ANNA_FINGERPRINT,
  client: null,
  seq: null,
  ...values,
})

/** A dashboard with a site on one server, and Anna, who has a key and the first account. */
async function world() {
  const agent = new FakeAgent()
  const dashboard = await makeDashboard()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id, { domain: 'shop.example', php: '8.2', tls: 'none' })
  const { body } = await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.call('POST', `/api/people/${body.person.id}/keys`, { key: ANNA })
  await dashboard.db.write((queries) => queries.run('update people set user_id = 1'))
  const recorded = async (types = /^(site\..*log|server\.logins)/) => {
    const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
    return (activities as Record<string, unknown>[])
      .filter(({ type }) => types.test(String(type)))
      .reverse()
      .map(({ type, status, domain, created_at, actor, address, via, detail }) => ({
        ...{ type, status, domain, created_at, actor, address, via, detail },
      }))
  }
  const server = { id, hostname: 'web-1.example' }
  return {
    agent,
    dashboard,
    id,
    recorded,
    store: (
      logins: SiteLogin[],
      refusals: LoginRefusal[] = [],
      newest: number | null = null,
      list = 'first',
      from = id,
    ) =>
      storeLogins(
        dashboard.db,
        { ...server, id: from },
        { logins, refusals, list: newest === null ? null : { id: list, newest } },
        '2026-01-02T00:00:00.000Z',
      ),
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

const ANNA_KEY = `Anna, key ${ANNA_FINGERPRINT}`

test('logins become activities once, and the page names the person', async () => {
  await using all = await world()
  const { agent, dashboard, id } = all
  const shell = { at: SHELL, kind: 'shell' as const }
  const logins = [
    login(),
    login({ at: LATER, fingerprint: BEN_FINGERPRINT }),
    login({ at: LATER, fingerprint: BEN_FINGERPRINT }),
    login(shell),
    login({ at: BY_PASSWORD, fingerprint: '', client: 'abcd2345' }),
    login({ domain: 'other.example' }),
  ]
  agent.answers.set('/logins', () => Response.json({ logins }))
  const sync = async () => (await dashboard.send('POST', `/api/servers/${id}/sync`, {})).text()

  await sync()
  logins.splice(3, 1, login({ ...shell, ended_at: ENDED }))
  await sync()
  await sync()

  const { access } = (await dashboard.call('GET', `/api/servers/${id}/sites/1/access`)).body
  const shown = (at: string, values: object) => ({
    ...{ at, ended_at: null, address: ADDRESS, fingerprint: ANNA_FINGERPRINT },
    ...{ person: 'Anna', client: null, kind: 'sftp', ...values },
  })
  expect(access.logins).toEqual([
    shown(BY_PASSWORD, { fingerprint: '', person: null, client: 'abcd2345' }),
    shown(SHELL, { ended_at: ENDED, kind: 'shell' }),
    shown(LATER, { fingerprint: BEN_FINGERPRINT, person: null }),
    shown(AT, {}),
  ])
  const entry = (type: string, created_at: string, values: object = {}) => ({
    ...{ type, status: 'success', domain: 'shop.example', created_at, address: ADDRESS },
    ...{ actor: 'ann@control.example', via: 'agent', detail: ANNA_KEY, ...values },
  })
  expect(await all.recorded()).toEqual([
    entry('site.sftp_login', AT),
    entry('site.sftp_login', LATER, {
      actor: null,
      detail: `unknown person, key ${BEN_FINGERPRINT}`,
    }),
    entry('site.shell_login', SHELL),
    entry('site.client_login', BY_PASSWORD, {
      actor: null,
      detail: 'client account abcd2345, password',
    }),
    entry('site.logout', ENDED, { detail: `${ANNA_KEY}, since ${SHELL}` }),
  ])
  const named = await dashboard.call('GET', `/api/fleet/activity?address=${ADDRESS}&via=agent`)
  expect(named.body.total).toBe(5)
  const own = '/api/fleet/activity?user=ann@control.example&type=site.logout'
  expect((await dashboard.call('GET', own)).body.total).toBe(1)
  const { activities } = (await dashboard.call('GET', '/api/activity?type=site.shell_login')).body
  expect(activities).toEqual([
    {
      id: expect.any(Number),
      type: 'site.shell_login',
      domain: 'shop.example',
      status: 'success',
      created_at: SHELL,
    },
  ])
})

test('two dashboards that store the same report record it once', async () => {
  await using all = await world()
  const report = [login({ seq: 1, ended_at: ENDED }), login({ at: LATER, seq: 2 })]

  await Promise.all([all.store(report, [], 2), all.store(report, [], 2), all.store(report, [], 2)])

  expect((await all.recorded()).map(({ type }) => type)).toEqual([
    'site.sftp_login',
    'site.sftp_login',
    'site.logout',
  ])
})

test('refused attempts are one entry for a site, an address and an hour', async () => {
  await using all = await world()
  const refusal = { domain: 'shop.example', at: AT, address: ADDRESS, attempts: 12, seq: 1 }
  const others = { ...refusal, address: null, attempts: 1, seq: 2 }
  const foreign = { ...refusal, domain: 'other.example', seq: 3 }

  await all.store([], [refusal, others, foreign], 3)
  await all.store([], [refusal, others, foreign], 3)
  // The agent has lost its list, and has read the journal again.
  await all.store(
    [],
    [
      { ...others, seq: 1 },
      { ...refusal, seq: 2 },
    ],
    2,
    'second',
  )

  const entry = {
    ...{ type: 'site.login_refused', status: 'failed', domain: 'shop.example' },
    ...{ created_at: LATER, actor: null, via: 'agent' },
  }
  expect(await all.recorded(/refused/)).toEqual([
    { ...entry, address: ADDRESS, detail: `12 attempts between ${AT} and ${LATER}` },
    {
      ...entry,
      address: null,
      detail: `1 attempt from other or unknown addresses between ${AT} and ${LATER}`,
    },
  ])
})

test('what an agent could not keep until it was asked is recorded as missing', async () => {
  await using all = await world()

  await all.store([login({ seq: 1 })], [], 1)
  // Away for days: three were displaced, and the fourth is the end of a refused hour.
  const refusal = { domain: 'shop.example', at: LATER, address: null, attempts: 2, seq: 5 }
  await all.store([login({ seq: 1 }), login({ at: BY_PASSWORD, seq: 6 })], [refusal], 6)
  await all.store([login({ at: BY_PASSWORD, seq: 6 })], [], 6)
  await all.store([], [], 1, 'second')

  const missing = await all.recorded(/missing/)
  expect(missing).toEqual(
    [
      '3 logins or hours with refused attempts at sites of this server',
      'the server has lost its list: logins since the last sync may be missing',
    ].map((detail) => ({
      ...{ type: 'server.logins_missing', status: 'failed', domain: 'web-1.example' },
      ...{ created_at: '2026-01-02T00:00:00.000Z', actor: null, address: null, via: 'agent' },
      detail,
    })),
  )
})

test('a server that a site has left still reports the logins from before, and no later ones', async () => {
  await using all = await world()
  const { dashboard } = all
  await using otherAgent = new FakeAgent()
  await using thirdAgent = new FakeAgent()
  const other = await dashboard.addServer(otherAgent)
  const third = await dashboard.addServer(thirdAgent)
  const moved = {
    type: 'site.move' as const,
    ...{ server_id: all.id, site_id: 1, domain: 'shop.example', params: {} },
    ...{ created_at: AT, deadline_at: SHELL },
  }
  await dashboard.db.write((queries) =>
    queries.batch([
      queries.insert(operations).values([
        { ...moved, id: 'op_1', status: 'success', finished_at: SHELL },
        { ...moved, id: 'op_2', status: 'failed', finished_at: BY_PASSWORD, server_id: third },
      ]),
      queries.update(sites).set({ server_id: other }).where(eq(sites.id, 1)),
    ]),
  )
  const before = login({ at: LATER, ended_at: ENDED, seq: 1 })
  const refusal = { domain: 'shop.example', at: AT, address: ADDRESS, attempts: 2, seq: 3 }
  const report = [before, login({ at: BY_PASSWORD, seq: 2 })]

  await all.store(report, [refusal], 3)
  // The copy in the trash of the server has the same domain.
  await dashboard.db.write((queries) =>
    queries.insert(sites).values({
      ...{ server_id: all.id, domain: 'shop.example', apex: 'shop.example', user: 'shop' },
      ...{ php: '8.2', tier: 'small', tls: 'none', status: 'trashed', managed: false },
      created_at: SHELL,
    }),
  )
  await all.store([before], [refusal], 3)
  await all.store([login({ at: LATER, seq: 1 })], [], 1, 'third', third)

  const recorded = await all.recorded()
  expect(recorded.map(({ type, created_at }) => [type, created_at])).toEqual([
    ['site.sftp_login', LATER],
    ['site.login_refused', LATER],
    ['site.logout', ENDED],
  ])
  const at = `/api/servers/${other}/sites/1/access`
  const { access } = (await dashboard.call('GET', at)).body
  expect(access.logins.map(({ at, person }: Record<string, unknown>) => [at, person])).toEqual([
    [LATER, 'Anna'],
  ])
})

test('a server with a wrong clock dates no entry in the future', async () => {
  await using all = await world()

  await all.store([login({ at: '2036-01-01T12:00:00.000Z' })])

  expect((await all.recorded()).map(({ created_at }) => created_at)).toEqual([
    '2026-01-02T00:00:00.000Z',
  ])
})
