// tier: gate
import { expect, test } from 'bun:test'
import { ending, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { becomes } from '#tests/support/dashboard/trash.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'

const SOON = '2027-01-31T18:00:00Z'
const LATER = '2027-02-28T18:00:00Z'
const AT = '/api/servers/1/sites/1/access'

/** A site to which Anna has SFTP access until a day, and a token of the scope `operate`. */
async function started() {
  const agent = new FakeAgent()
  agent.works.set('site.access', async function* ({ domain, grants }) {
    yield 'Writing the keys of people'
    const list = grants as { id: number; kind: string; expires_at: string | null }[]
    const report = list.map(({ id, kind, expires_at }) => ({
      ...{ id, kind, expires_at, fingerprints: [] },
    }))
    return { domain, user: 'shop', ports: [22], host_keys: [], grants: report }
  })
  const dashboard = await makeDashboard()
  await dashboard.addServer(agent)
  const added = { domain: 'shop.example', php: '8.2', tls: 'none' }
  await dashboard.call('POST', '/api/servers/1/sites', added)
  await becomes(dashboard, 'active')
  for (const name of ['Anna', 'Ben']) await dashboard.call('POST', '/api/people', { name })
  await dashboard.call('POST', '/api/people/1/keys', { key: ANNA })
  await dashboard.call('PUT', '/api/settings/site_shell', { value: true })
  const body = { name: 'deploy', password: PASSWORD, scope: 'operate' }
  const { plaintext } = (await dashboard.call('POST', '/api/auth/tokens', body)).body
  const headers = { cookie: '', authorization: `Bearer ${plaintext}` }
  const own = async (grants: object[]) => (await dashboard.send('PUT', AT, { grants })).text()
  const asToken = async (grants: object[], more = {}) => {
    const response = await dashboard.send('PUT', AT, { grants, ...more }, headers)
    await response.text()
    return response.status
  }
  await own([{ person_id: 1, expires_at: SOON }])
  return {
    ...{ dashboard, headers, own, asToken },
    ...ending(dashboard, agent),
  }
}

const ANNA_SOON = { person_id: 1, expires_at: SOON }

test.each([
  ['another person', [ANNA_SOON, { person_id: 2, expires_at: SOON }]],
  ['a shell', [{ ...ANNA_SOON, kind: 'shell' }]],
  ['a later end', [{ ...ANNA_SOON, expires_at: LATER }]],
  ['no end', [{ person_id: 1 }]],
])('a token of the scope operate cannot give %s', async (_, grants) => {
  await using world = await started()

  expect([await world.asToken(grants), await world.asToken(grants, { dry_run: true })]).toEqual([
    403, 403,
  ])
  const { access } = (await world.dashboard.call('GET', AT)).body
  expect(access.grants).toMatchObject([{ person_id: 1, kind: 'sftp', expires_at: SOON }])
})

test('it can leave, shorten and end an access', async () => {
  await using world = await started()

  const left = await world.asToken([ANNA_SOON])
  const shorter = await world.asToken([{ ...ANNA_SOON, expires_at: '2027-01-02T00:00:00Z' }])
  const ended = await world.asToken([])

  expect([left, shorter, ended]).toEqual([200, 200, 200])
  expect((await world.dashboard.call('GET', AT)).body.access.grants).toEqual([])
})

test('it cannot repeat a change that gave access', async () => {
  await using world = await started()
  const { operations } = (await world.dashboard.call('GET', '/api/operations?type=site.access'))
    .body
  const at = `/api/operations/${operations[0].id}/retry`

  const refused = await world.dashboard.call('POST', at, {}, world.headers)

  expect([refused.status, refused.body.message]).toEqual([
    403,
    'This needs an API token of the scope admin; this one has operate',
  ])
})
