// tier: gate
import { expect, test } from 'bun:test'
import { endDueAccess } from '#dashboard/features/access/accounts/end-access.ts'
import { site_access } from '#dashboard/kernel/db/access-schema.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { startAccounts } from '#tests/support/dashboard/accounts.ts'
import { ending, until } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'

const AT = '/api/servers/1/sites/1/access'

/** A field of a public key: its length in four bytes, and its bytes. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A site to which Anna, who has an account, and Ben, who has none, have access. */
async function started() {
  const agent = new FakeAgent()
  const sent: string[][] = []
  const state = { fails: false }
  agent.works.set('site.access', async function* ({ domain, grants }) {
    const list = grants as { id: number; person: string; kind: string; expires_at: string | null }[]
    yield 'Writing the keys of people'
    if (state.fails) throw new Error('The disk is full')
    sent.push(list.map(({ person }) => person))
    const report = list.map(({ id, kind, expires_at }) => ({
      ...{ id, kind, expires_at, fingerprints: [] },
    }))
    return { domain, user: 'shop', ports: [22], host_keys: [], grants: report }
  })
  const accounts = await startAccounts()
  const { dashboard, call } = accounts
  await dashboard.addServer(agent)
  await dashboard.addSite(1)
  const anna = await accounts.colleague('Anna')
  const ben = await accounts.addPerson('Ben')
  await call('POST', `/api/people/${anna.person_id}/keys`, { key: ANNA })
  await call('POST', `/api/people/${ben}/keys`, { key: BEN })
  const set = async (...ids: number[]) => {
    const grants = ids.map((person_id) => ({ person_id }))
    const answer = await dashboard.send('PUT', AT, { grants })
    return { status: answer.status, text: await answer.text() }
  }
  await set(anna.person_id, ben)
  const setStatus = (status: 'online' | 'offline') =>
    dashboard.db.write((queries) => queries.update(servers).set({ status }))
  await setStatus('online')
  const change = (method: string, what = '') =>
    call(method, `/api/people/${anna.person_id}/account${what}`)
  const sitesOf = async (id: number) => (await accounts.person(id)).sites
  const newest = async () => {
    const { body } = await call('GET', '/api/operations?type=site.access&limit=1')
    return ended(dashboard, body.operations[0].id)
  }
  return {
    ...{ agent, accounts, dashboard, state, sent, set, change, sitesOf, setStatus, newest, call },
    ...{ anna: anna.person_id, ben },
    ...ending(dashboard, agent),
  }
}

test.each([
  ['deactivated', 'POST', '/deactivate'],
  ['removed', 'DELETE', ''],
])('the access of a person to sites ends when the account is %s', async (_, method, what) => {
  await using world = await started()
  expect(await world.sitesOf(world.anna)).toMatchObject([{ applied: false, ending: false }])

  const { body } = await world.change(method, what)

  expect(body.person.sites).toMatchObject([{ domain: 'shop.example', ending: true }])
  await until(async () => (await world.sitesOf(world.anna)).length === 0)
  expect(world.sent).toEqual([['Anna', 'Ben'], ['Ben']])
  expect(await world.sitesOf(world.ben)).toMatchObject([{ ending: false }])
  const operation = await world.newest()
  expect([operation.actor, operation.status]).toEqual(['ann@control.example', 'success'])
})

test('an access that was read before the end and is recorded after it ends, too', async () => {
  await using world = await started()
  await world.setStatus('offline')
  await world.change('POST', '/deactivate')
  // By an operation that had read the list before, and has begun after.
  await world.dashboard.db.write((queries) =>
    queries.update(site_access).set({ granted_at: '2999-01-01T00:00:00.000Z' }),
  )
  expect(await world.sitesOf(world.anna)).toMatchObject([{ ending: true }])

  await world.setStatus('online')
  await endDueAccess(world.dashboard.deps)

  await until(async () => (await world.sitesOf(world.anna)).length === 0)
  expect(world.sent).toEqual([['Anna', 'Ben'], ['Ben']])
})

test('a person has at most ten keys, also when two are added at the same time', async () => {
  await using world = await started()
  const add = async (number: number) => {
    const blob = Buffer.concat([field('ssh-ed25519'), field(Buffer.alloc(32, number))])
    const key = `ssh-ed25519 ${blob.toString('base64')}`
    return (await world.call('POST', `/api/people/${world.ben}/keys`, { key })).status
  }
  for (let number = 2; number <= 9; number++) expect(await add(number)).toBe(201)

  expect((await Promise.all([add(10), add(11)])).sort()).toEqual([201, 422])
  expect((await world.accounts.person(world.ben)).keys).toHaveLength(10)
})

test('a server that is offline ends the access later, and until then the page says so', async () => {
  await using world = await started()
  await world.setStatus('offline')

  await world.change('POST', '/deactivate')
  await endDueAccess(world.dashboard.deps)

  expect(await world.sitesOf(world.anna)).toMatchObject([{ ending: true }])
  expect((await world.call('GET', AT)).body.access.grants).toMatchObject([
    { name: 'Anna', ending: true },
    { name: 'Ben', ending: false },
  ])
  expect(world.sent).toEqual([['Anna', 'Ben']])
  await world.setStatus('online')
  await endDueAccess(world.dashboard.deps)
  await until(async () => (await world.sitesOf(world.anna)).length === 0)
  expect(world.sent).toEqual([['Anna', 'Ben'], ['Ben']])
})

test('a server that refuses is asked again a quarter of an hour later', async () => {
  await using world = await started()
  world.state.fails = true
  await world.change('POST', '/deactivate')
  expect((await world.newest()).status).toBe('failed')
  world.state.fails = false

  await endDueAccess(world.dashboard.deps)

  expect((await world.newest()).status).toBe('failed')
  expect(await world.sitesOf(world.anna)).toMatchObject([{ ending: true }])
  const { clock } = world.dashboard.deps
  const later = { ...clock, now: () => new Date(clock.now().getTime() + 16 * 60_000) }
  await endDueAccess({ ...world.dashboard.deps, clock: later })
  await until(async () => (await world.sitesOf(world.anna)).length === 0)
})

test('a deactivated person gets no access, also by a change for others or a retry', async () => {
  await using world = await started()
  world.state.fails = true
  await world.set(world.anna, world.ben)
  const failed = await world.newest()
  await world.setStatus('offline')
  await world.change('POST', '/deactivate')
  await world.setStatus('online')
  world.state.fails = false

  const named = await world.set(world.anna, world.ben)
  const retried = await world.call('POST', `/api/operations/${failed.id}/retry`, {})
  const bulk = { type: 'site.access', targets: { site_ids: [1] } }
  await world.call('POST', '/api/bulk-operations', bulk)
  await until(async () => (await world.sitesOf(world.anna)).length === 0)

  expect([named.status, named.text]).toEqual([
    422,
    expect.stringContaining('The account of Anna is deactivated: activate it first'),
  ])
  expect([retried.status, retried.body.message]).toEqual([
    409,
    'The account of Anna was deactivated or removed since: set the access again',
  ])
  expect(world.sent).toEqual([['Anna', 'Ben'], ['Ben']])
})

test('an access that was about to be given when the account was deactivated ends, too', async () => {
  await using world = await started()
  const held = Promise.withResolvers<void>()
  await world.set(world.ben)
  const { works } = world.agent
  const give = works.get('site.access')
  if (!give) throw new Error('The agent does not change the access')
  works.set('site.access', async function* (params) {
    await held.promise
    return yield* give(params)
  })
  const giving = world.set(world.anna, world.ben)
  await until(async () => {
    const { body } = await world.call('GET', '/api/operations?type=site.access&limit=1')
    return body.operations[0].status === 'running'
  })

  await world.change('POST', '/deactivate')
  held.resolve()
  await giving

  expect(await world.sitesOf(world.anna)).toMatchObject([{ ending: true }])
  await endDueAccess(world.dashboard.deps)
  await until(async () => (await world.sitesOf(world.anna)).length === 0)
  expect(world.sent.at(-1)).toEqual(['Ben'])
})

test('an activated account has no access to sites before somebody gives it', async () => {
  await using world = await started()
  await world.change('POST', '/deactivate')
  await until(async () => (await world.sitesOf(world.anna)).length === 0)

  await world.change('POST', '/activate')
  expect(await world.sitesOf(world.anna)).toEqual([])
  await world.set(world.anna, world.ben)

  expect(await world.sitesOf(world.anna)).toMatchObject([{ ending: false }])
  await endDueAccess(world.dashboard.deps)
  expect(world.sent.at(-1)).toEqual(['Anna', 'Ben'])
})
