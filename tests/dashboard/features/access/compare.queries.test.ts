import { expect, test } from 'bun:test'
import { site_logins } from '#dashboard/kernel/db/access-schema.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ANNA, ANNA_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const GRANT = { id: 1, kind: 'sftp', expires_at: null, fingerprints: [ANNA_FINGERPRINT] }

/** A site to which Anna has access; `report` is what its agent answers to a sync. */
async function started() {
  const agent = new FakeAgent()
  agent.works.set('site.access', async function* ({ domain }) {
    yield 'Writing the keys of people'
    return { domain, user: 'shop', ports: [22], host_keys: [], grants: [GRANT] }
  })
  const dashboard = await makeDashboard()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id, { domain: 'shop.example', php: '8.2', tls: 'none' })
  await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.call('POST', '/api/people/1/keys', { key: ANNA })
  const at = `/api/servers/${id}/sites/1/access`
  await (await dashboard.send('PUT', at, { grants: [{ person_id: 1 }] })).text()
  const logins = () => dashboard.db.read.select().from(site_logins)
  return {
    dashboard,
    logins,
    async applied(report: () => Response | Promise<Response>) {
      agent.answers.set('/access', report)
      await (await dashboard.send('POST', `/api/servers/${id}/sync`, {})).text()
      const { grants } = (await dashboard.call('GET', at)).body.access
      return grants.map(({ applied }: { applied: boolean }) => applied)
    },
    ...ending(dashboard, agent),
  }
}

const sites =
  (...grants: object[]) =>
  () =>
    Response.json({ sites: [{ domain: 'shop.example', grants }] })

test('a sync finds keys that somebody changed on the server, and their return', async () => {
  await using world = await started()

  expect(await world.applied(sites(GRANT))).toEqual([true])
  expect(await world.applied(sites({ ...GRANT, fingerprints: [] }))).toEqual([false])
  expect(await world.applied(sites(GRANT))).toEqual([true])
  expect(await world.applied(() => Response.json({ sites: [] }))).toEqual([false])
})

test('an agent that does not report it, or not completely, changes nothing', async () => {
  await using world = await started()

  expect(await world.applied(() => new Response('{}', { status: 404 }))).toEqual([true])
  expect(await world.applied(sites({ ...GRANT, kind: 'root' }))).toEqual([true])
})

test('a server that a site has left meanwhile says nothing about its access', async () => {
  await using world = await started()
  const [before] = await world.logins()
  const left = async () => {
    const { db } = world.dashboard
    await db.write((queries) => queries.update(site_logins).set({ server_id: 2 }))
    return Response.json({ sites: [] })
  }

  await world.applied(left)

  expect(await world.logins()).toEqual([{ ...Object(before), server_id: 2 }])
})
