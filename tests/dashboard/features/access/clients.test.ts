// tier: gate
import { expect } from 'bun:test'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { PASSWORD, until } from '#tests/support/dashboard/dashboard.ts'
import { testWith } from '#tests/support/fixture.ts'
import { ANNA, ANNA_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const test = testWith(withShop)

const domain = 'shop.example'
const HOST_KEYS = [{ type: 'ssh-ed25519', fingerprint: 'SHA256:abc' }]
const OFF =
  'Client accounts are turned off: turn on the setting client_accounts first, or add a person with a key'

interface Sent {
  grants: { id: number; kind: string; expires_at: string | null }[]
  clients: { token: string; label: string; expires_at: string | null; password_hash: string }[]
}

/** A site whose agent performs its commands. */
async function withShop({ on = true, without = false } = {}) {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const given: Sent[] = []
  all.agent.works.set('site.access', async function* (params) {
    const { grants, clients } = params as unknown as Sent
    given.push({ grants, clients })
    yield 'Setting the passwords of client accounts'
    return {
      ...{ domain, user: 'shop', ports: [22], host_keys: HOST_KEYS },
      grants: grants.map(({ id, kind, expires_at }) => ({
        ...{ id, kind, expires_at, fingerprints: [ANNA_FINGERPRINT] },
      })),
      ...(!without && {
        clients: clients.map(({ token, expires_at }) => ({
          ...{ token, login: `shop.${token}`, expires_at },
        })),
      }),
    }
  })
  if (on) await all.dashboard.call('PUT', '/api/settings/client_accounts', { value: true })
  const at = `/api/servers/${all.server_id}/sites/${site_id}/access`
  const call = (below: string, body: object) =>
    all.dashboard.call('POST', `${at}/clients${below}`, body)
  const show = async () => (await all.dashboard.call('GET', at)).body.access
  return { ...all, at, given, call, show }
}

test('the caller gets the password once, and the server only its hash', async (all) => {
  const { status, body } = await all.call('', { label: 'Print shop' })

  expect([status, body]).toEqual([
    200,
    {
      ...{ token: expect.stringMatching(/^[a-z2-7]{8}$/), label: 'Print shop', expires_at: null },
      ...{ login: `shop.${body.token}`, password: expect.stringMatching(/^[\w-]{24}$/) },
      ...{ host: expect.any(String), ports: [22], host_keys: HOST_KEYS },
    },
  ])
  const [{ clients } = { clients: [] }] = all.given
  expect(clients).toEqual([
    {
      ...{ token: body.token, label: 'Print shop', expires_at: null },
      password_hash: expect.stringMatching(/^\$2b\$10\$[./A-Za-z0-9]{53}$/),
    },
  ])
  expect(await Bun.password.verify(body.password, clients[0]?.password_hash ?? '')).toBe(true)
  expect((await all.show()).clients).toEqual([
    {
      ...{ token: body.token, label: 'Print shop', login: body.login },
      ...{ expires_at: null, applied: true },
    },
  ])
  const operation = (await all.dashboard.call('GET', '/api/operations')).body.operations[0]
  const paths = ['/api/operations', '/api/activity', `/api/operations/${operation.id}`, all.at]
  const shown = await Promise.all(paths.map((path) => all.dashboard.call('GET', path)))
  const texts = JSON.stringify([shown, all.dashboard.log])
  expect(texts).not.toContain(body.password)
  expect(texts).not.toContain(clients[0]?.password_hash ?? '')
  expect(shown[1]?.body.activities[0]).toMatchObject({ type: 'site.access', domain })
})

test('an account is off by default, and needs the password of the last ten minutes', async () => {
  await using all = await withShop({ on: false })
  const off = await all.call('', { label: 'Print shop' })
  expect([off.status, off.body.message, all.given]).toEqual([409, OFF, []])
  await all.dashboard.call('PUT', '/api/settings/client_accounts', { value: true })
  all.forward(10 * 60_000)

  const refused = await all.call('', { label: 'Print shop' })
  await all.dashboard.call('POST', '/api/auth/confirm', { password: PASSWORD })
  const { status, body } = await all.call('', { label: 'Print shop' })
  all.forward(10 * 60_000)
  const reset = await all.call('/password', { token: body.token })

  expect([refused.status, refused.body.code, status]).toEqual([409, 'confirmation_needed', 200])
  expect([reset.status, reset.body.code]).toEqual([409, 'confirmation_needed'])
})

test('a reset gives one account another password and end, and leaves the others', async (all) => {
  const one = (await all.call('', { label: 'Photos' })).body
  const two = (await all.call('', { label: 'Print shop' })).body
  const expires_at = '2027-01-31T18:00:00Z'

  const { status, body } = await all.call('/password', { token: two.token, expires_at })

  expect([status, body.token, body.login, body.expires_at]).toEqual([
    ...[200, two.token, two.login, expires_at],
  ])
  expect(body.password).not.toBe(two.password)
  const [before, after] = all.given.slice(-2).map(({ clients }) => clients)
  const of = (clients: Sent['clients'] = [], token: string) =>
    clients.find((client) => client.token === token)
  expect(of(after, one.token)).toEqual(of(before, one.token) as never)
  expect(of(after, two.token)?.password_hash).not.toBe(
    of(before, two.token)?.password_hash as never,
  )
  expect((await all.call('/password', { token: 'zzzzzzzz' })).status).toBe(404)
})

test('an account ends, alone or with all of its site, also while they are turned off', async (all) => {
  const one = (await all.call('', { label: 'Photos' })).body
  const two = (await all.call('', { label: 'Print shop' })).body
  await all.dashboard.call('PUT', '/api/settings/client_accounts', { value: false })

  const ended = await all.call('/end', { token: one.token })

  expect([ended.status, ended.body]).toEqual([
    200,
    { status: 'ok', message: 'Removed the client account Photos' },
  ])
  expect((await all.show()).clients).toMatchObject([{ token: two.token }])
  expect((await all.call('/end', { token: one.token })).status).toBe(404)
  const bulk = { type: 'site.access', targets: { site_ids: [1] }, params: { end_clients: true } }
  await all.dashboard.call('POST', '/api/bulk-operations', bulk)
  await until(async () => (await all.show()).clients.length === 0)
  expect(all.given.at(-1)?.clients).toEqual([])
})

test('a change of the people keeps the accounts, and the reverse', async (all) => {
  await all.dashboard.call('POST', '/api/people', { name: 'Anna' })
  await all.dashboard.call('POST', '/api/people/1/keys', { key: ANNA })
  const { token } = (await all.call('', { label: 'Print shop' })).body

  const grants = [{ person_id: 1 }]
  await (await all.dashboard.send('PUT', all.at, { grants })).text()
  expect(all.given.at(-1)).toMatchObject({ grants: [{ id: 1 }], clients: [{ token }] })
  await all.call('/end', { token })

  expect(all.given.at(-1)).toMatchObject({ grants: [{ id: 1 }], clients: [] })
})

test('an account that the agent did not create is not recorded', async () => {
  await using all = await withShop({ without: true })

  const { status, body } = await all.call('', { label: 'Print shop' })

  expect([status, body.message]).toEqual([
    409,
    'The agent of this server did not create the account',
  ])
  expect((await all.show()).clients).toEqual([])
})

test.each([
  [{ label: '' }, 'label'],
  [{ label: 'a\nb' }, 'label'],
  [{ label: 'x', expires_at: 'tomorrow' }, 'expires_at'],
  [{}, 'label'],
])('refuses %j with an error on %s', async (all, body, field) => {
  const refused = await all.call('', body)

  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([422, [field]])
})

test('a dry run shows the plan and makes nothing', async (all) => {
  all.agent.plan = { steps: [{ name: 'record', title: 'Recording the access', effects: [] }] }

  const { status, body } = await all.call('', { label: 'Print shop', dry_run: true })

  expect([status, body.plan.steps.length, body.password]).toEqual([200, 1, undefined])
  expect([all.given, (await all.show()).clients]).toEqual([[], []])
})
