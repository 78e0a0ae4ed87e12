// tier: gate
import { expect, test } from 'bun:test'
import { ending, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA, ANNA_FINGERPRINT, BEN, BEN_FINGERPRINT, RSA_1024 } from '#tests/support/ssh-keys.ts'

const FINGERPRINTS: Record<string, string> = { [ANNA]: ANNA_FINGERPRINT, [BEN]: BEN_FINGERPRINT }
const HOST_KEYS = [{ type: 'ssh-ed25519', fingerprint: 'SHA256:abc' }]
const UNTIL = '2027-01-31T18:00:00Z'

interface Sent {
  grants: { id: number; kind: string; expires_at: string | null; keys: string[] }[]
}

/** A site whose agent performs its commands. */
async function started() {
  const agent = new FakeAgent()
  const sent: Sent[] = []
  agent.works.set('site.access', async function* ({ domain, ...params }) {
    const { grants } = params as unknown as Sent
    sent.push({ grants })
    yield 'Writing the keys of people'
    const report = grants.map(({ id, kind, expires_at, keys }) => ({
      ...{ id, kind, expires_at },
      fingerprints: keys.map((key) => FINGERPRINTS[key] ?? ''),
    }))
    return { domain, user: 'shop', ports: [22], host_keys: HOST_KEYS, grants: report }
  })
  const dashboard = await makeDashboard()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id, { domain: 'shop.example', php: '8.2', tls: 'none' })
  const at = `/api/servers/${id}/sites/1/access`
  const add = async (name: string, ...keys: string[]): Promise<number> => {
    const { body } = await dashboard.call('POST', '/api/people', { name })
    for (const key of keys)
      await dashboard.call('POST', `/api/people/${body.person.id}/keys`, { key })
    return body.person.id
  }
  return {
    ...{ dashboard, sent, at, add },
    set: async (grants: object[]) => (await dashboard.send('PUT', at, { grants })).text(),
    show: async () => (await dashboard.call('GET', at)).body.access,
    people: async () => (await dashboard.call('GET', '/api/people')).body.people,
    ...ending(dashboard, agent),
  }
}

test('people get access with their keys, and the page shows how to connect', async () => {
  await using world = await started()
  const anna = await world.add('Anna', `${ANNA} anna@home`)
  const ben = await world.add('Ben', BEN)
  const settings = { site_shell: false, client_accounts: false }
  expect(await world.show()).toEqual({ grants: [], clients: [], login: null, logins: [], settings })

  const text = await world.set([{ person_id: anna }, { person_id: ben, expires_at: UNTIL }])

  expect(text).toContain('event: complete')
  expect(world.sent).toEqual([
    {
      grants: [
        { id: anna, person: 'Anna', kind: 'sftp', expires_at: null, keys: [ANNA] },
        { id: ben, person: 'Ben', kind: 'sftp', expires_at: UNTIL, keys: [BEN] },
      ] as never,
    },
  ])
  const row = { kind: 'sftp', keys: 1, applied: true, ending: false }
  expect(await world.show()).toEqual({
    grants: [
      { person_id: anna, name: 'Anna', expires_at: null, ...row },
      { person_id: ben, name: 'Ben', expires_at: UNTIL, ...row },
    ],
    login: {
      host: expect.any(String),
      ports: [22],
      user: 'shop',
      shell_user: null,
      host_keys: HOST_KEYS,
    },
    clients: [],
    logins: [],
    settings,
  })
  expect((await world.people())[0]).toMatchObject({
    name: 'Anna',
    keys: [{ type: 'ssh-ed25519', fingerprint: ANNA_FINGERPRINT, comment: 'anna@home' }],
    sites: [{ domain: 'shop.example', applied: true }],
  })
})

test('a new or removed key counts as not applied until the access is set again', async () => {
  await using world = await started()
  const anna = await world.add('Anna', ANNA)
  await world.set([{ person_id: anna }])
  const [{ keys }] = await world.people()

  await world.dashboard.call('DELETE', `/api/people/${anna}/keys/${keys[0].id}`)
  expect((await world.show()).grants).toMatchObject([{ keys: 0, applied: false }])
  await world.dashboard.call('POST', `/api/people/${anna}/keys`, { key: BEN })
  const bulk = { type: 'site.access', targets: { site_ids: [1] } }
  const { status } = await world.dashboard.call('POST', '/api/bulk-operations', bulk)

  expect(status).toBe(202)
  await until(async () => (await world.show()).grants[0].applied)
  expect(world.sent.at(-1)?.grants[0]?.keys).toEqual([BEN])
})

test('one bulk call removes a person from all sites, and then the person can be deleted', async () => {
  await using world = await started()
  const anna = await world.add('Anna', ANNA)
  const ben = await world.add('Ben', BEN)
  await world.set([{ person_id: anna }, { person_id: ben }])
  const refused = await world.dashboard.call('DELETE', `/api/people/${anna}`)
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Anna has access to 1 site: remove it first',
  ])

  const bulk = { type: 'site.access', targets: { site_ids: [1] }, params: { revoke: anna } }
  await world.dashboard.call('POST', '/api/bulk-operations', bulk)
  await until(async () => (await world.show()).grants.length === 1)

  expect((await world.show()).grants).toMatchObject([{ person_id: ben }])
  expect((await world.dashboard.call('DELETE', `/api/people/${anna}`)).status).toBe(204)
  const { activities } = (await world.dashboard.call('GET', '/api/activity')).body
  const types = activities.map(({ type }: { type: string }) => type)
  expect(types).toEqual(
    expect.arrayContaining(['person.create', 'person.key_add', 'site.access', 'person.delete']),
  )
})

test('a key belongs to one person, and a name too', async () => {
  await using world = await started()
  const anna = await world.add('Anna', ANNA)
  const ben = await world.add('Ben')
  const add = (key: string) => world.dashboard.call('POST', `/api/people/${ben}/keys`, { key })

  expect((await add(`${ANNA} mine`)).body.fields).toEqual({
    key: ['The key already belongs to a person'],
  })
  expect((await add(RSA_1024)).body.fields).toEqual({
    key: ['An RSA key must have at least 2048 bits'],
  })
  expect((await add(`command="id" ${BEN}`)).status).toBe(422)
  const again = await world.dashboard.call('POST', '/api/people', { name: ' Anna ' })
  expect(again.body.fields).toEqual({ name: ['The name is already taken'] })
  const of = `/api/people/${ben}/keys/${(await world.people())[0].keys[0].id}`
  expect((await world.dashboard.call('DELETE', of)).status).toBe(404)
  expect((await world.people())[0]).toMatchObject({ id: anna, keys: [{}] })
})

test.each([
  { grants: [{ person_id: 7 }], field: 'grants' },
  { grants: [{ person_id: 1 }, { person_id: 1 }], field: 'grants' },
  { grants: [{ person_id: 1, kind: 'root' }], field: 'grants' },
  { grants: [{ person_id: 1, expires_at: 'tomorrow' }], field: 'grants' },
  { grants: undefined, field: 'grants' },
])('refuses $grants: an error on $field', async ({ grants, field }) => {
  await using world = await started()
  await world.add('Anna', ANNA)

  const { status, body } = await world.dashboard.call('PUT', world.at, { grants })

  expect([status, Object.keys(body.fields)]).toEqual([422, [field]])
  expect(world.sent).toEqual([])
})

test('a shell needs the setting, and an existing one is kept', async () => {
  await using world = await started()
  const anna = await world.add('Anna', ANNA)
  const ben = await world.add('Ben', BEN)
  const grants = [{ person_id: anna, kind: 'shell' }]
  const refused = await world.dashboard.call('PUT', world.at, { grants })
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Shells are turned off: turn on the setting site_shell first, or grant SFTP only',
  ])
  expect(world.sent).toEqual([])
  const turn = (value: boolean) =>
    world.dashboard.call('PUT', '/api/settings/site_shell', { value })

  await turn(true)
  await world.set(grants)
  await turn(false)

  expect(world.sent.at(-1)?.grants).toMatchObject([{ id: anna, kind: 'shell', keys: [ANNA] }])
  expect((await world.show()).grants).toMatchObject([{ person_id: anna, kind: 'shell' }])
  await world.set([...grants, { person_id: ben }])
  expect(world.sent.at(-1)?.grants).toMatchObject([{ kind: 'shell' }, { kind: 'sftp' }])
  const until = (expires_at: string | null) =>
    world.dashboard.call('PUT', world.at, { grants: [{ ...grants[0], expires_at }] })
  await world.set([{ ...grants[0], expires_at: '2020-01-31T18:00:00Z' }, { person_id: ben }])
  for (const later of [null, '2099-01-31T18:00:00Z']) expect((await until(later)).status).toBe(409)
  const more = { grants: [...grants, { person_id: ben, kind: 'shell' }] }
  expect((await world.dashboard.call('PUT', world.at, more)).status).toBe(409)
})
