import { expect, test } from 'bun:test'
import { events, type MovingServers, movingServers } from '#tests/support/dashboard/moves.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { ANNA, ANNA_FINGERPRINT } from '#tests/support/ssh-keys.ts'

/** Both agents set the access; returns the calls of each, by its name. */
function setsAccess(all: MovingServers): [string, unknown][] {
  const asked: [string, unknown][] = []
  for (const name of ['one', 'two'] as const)
    all[name].agent.works.set('site.access', async function* (params) {
      asked.push([name, params.grants])
      yield 'Writing the keys of people'
      const { id, kind, expires_at } = Object((params.grants as object[])[0])
      const grants =
        id === undefined ? [] : [{ id, kind, expires_at, fingerprints: [ANNA_FINGERPRINT] }]
      return { domain: 'shop.example', user: 'shop', ports: [22], host_keys: [], grants }
    })
  return asked
}

/** Anna has access to the site, on its first server. */
async function withAnna(all: MovingServers): Promise<void> {
  const { dashboard, first, shop } = all
  await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.call('POST', '/api/people/1/keys', { key: ANNA })
  const grants = [{ person_id: 1 }]
  await (
    await dashboard.send('PUT', `/api/servers/${first}/sites/${shop}/access`, { grants })
  ).text()
}

const shown = async ({ dashboard, second, shop }: MovingServers) =>
  (await dashboard.call('GET', `/api/servers/${second}/sites/${shop}/access`)).body.access

test('a move copies the client accounts with their passwords', async () => {
  await using all = await movingServers()
  const asked: [string, unknown][] = []
  for (const name of ['one', 'two'] as const)
    all[name].agent.works.set('site.access', async function* ({ clients }) {
      asked.push([name, clients])
      yield 'Setting the passwords of client accounts'
      const made = (clients as { token: string; expires_at: null }[]).map(
        ({ token, expires_at }) => ({ token, login: `shop.${token}`, expires_at }),
      )
      const report = { grants: [], clients: made }
      return { domain: 'shop.example', user: 'shop', ports: [22], host_keys: [], ...report }
    })
  const { dashboard, first, shop, second } = all
  await dashboard.call('PUT', '/api/settings/client_accounts', { value: true })
  const at = `/api/servers/${first}/sites/${shop}/access/clients`
  const { token, login } = (await dashboard.call('POST', at, { label: 'Print shop' })).body

  const text = await events(all, 'move', { server_id: second })

  expect(text).toContain('event: complete')
  expect(asked.map(([name]) => name)).toEqual(['one', 'two'])
  expect(asked[1]?.[1]).toEqual(asked[0]?.[1] as never)
  expect((await shown(all)).clients).toEqual([
    { token, label: 'Print shop', login, expires_at: null, applied: true },
  ])
})

const GRANT = { id: 1, person: 'Anna', kind: 'sftp', expires_at: null, keys: [ANNA] }

test('a move opens the access on the new server, and the page shows it', async () => {
  await using all = await movingServers()
  const asked = setsAccess(all)
  await withAnna(all)

  const text = await events(all, 'move', { server_id: all.second })

  expect(text).toContain('event: complete')
  expect(asked).toEqual([
    ['one', [GRANT]],
    ['two', [GRANT]],
  ])
  expect(await shown(all)).toMatchObject({
    grants: [{ name: 'Anna', applied: true }],
    login: { ports: [22] },
  })
})

test('a server that refuses the access does not end the move, and the page shows it', async () => {
  await using all = await movingServers()
  setsAccess(all)
  await withAnna(all)
  all.two.agent.works.set('site.access', async function* () {
    yield 'Trying'
    throw new Refused({ error: 'Conflict', message: 'openssh-server is not installed' })
  })

  const text = await events(all, 'move', { server_id: all.second })

  expect(text).toContain('before the access is set again: openssh-server is not installed')
  expect(text).toContain('event: complete')
  expect(await shown(all)).toMatchObject({
    grants: [{ name: 'Anna', applied: false }],
    login: null,
  })
})
