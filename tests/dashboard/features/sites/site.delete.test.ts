import { describe, expect } from 'bun:test'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { server_agents } from '#dashboard/kernel/db/trust-schema.ts'
import { type Dashboard, agentTest as test, until } from '#tests/support/dashboard/dashboard.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const accepted = {
  status: 202,
  body: { site: { id: 1, domain: 'shop.example', status: 'deleting' } },
}

async function siteOn(dashboard: Dashboard, agent: FakeAgent): Promise<string> {
  const server = await dashboard.addServer(agent)
  await dashboard.call('POST', `/api/servers/${server}/sites`, { domain: 'shop.example' })
  await until(async () => (await siteStatus(dashboard)) === 'active')
  return `/api/servers/${server}/sites/1`
}

async function siteStatus(dashboard: Dashboard): Promise<string | undefined> {
  const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
  return body.site?.status
}

const isGone = (dashboard: Dashboard) =>
  until(async () => (await siteStatus(dashboard)) === undefined)

const WARNING = {
  code: 'nothing_to_delete',
  message:
    'The agent of the server does not know shop.example: nothing was deleted there, and only the record was removed',
}

/** How the last operation of a type ended. */
async function ended(dashboard: Dashboard, type: string) {
  const { body } = await dashboard.call('GET', `/api/operations?type=${type}`)
  const { status, warnings } = body.operations[0]
  return { status, warnings }
}

describe('deleting a site', () => {
  test('moves it to the trash after the agent', async ({ agent, dashboard }) => {
    const path = await siteOn(dashboard, agent)

    expect(await dashboard.call('DELETE', path)).toEqual(accepted)

    await until(async () => (await siteStatus(dashboard)) === 'trashed')
    const { body } = await dashboard.call('GET', '/api/activity?type=site.delete')
    expect(body.activities).toMatchObject([{ domain: 'shop.example', status: 'success' }])
    expect(await ended(dashboard, 'site.delete')).toEqual({ status: 'success', warnings: [] })
  })

  test('removes the record of a site that the agent does not know, with a warning', async ({
    agent,
    dashboard,
  }) => {
    const path = await siteOn(dashboard, agent)
    agent.answers.set('/exec', () =>
      Response.json({ error: 'Not found', message: 'Site not found' }, { status: 404 }),
    )

    expect(await dashboard.call('DELETE', path)).toEqual(accepted)

    await isGone(dashboard)
    expect(await ended(dashboard, 'site.delete')).toEqual({
      status: 'success',
      warnings: [WARNING],
    })
  })

  test('accepts a site that is already in the trash of the agent', async ({ agent, dashboard }) => {
    const path = await siteOn(dashboard, agent)
    const deleted_at = '2026-01-01T00:00:00.000Z'
    agent.trash = [
      {
        ...{ domain: 'shop.example', user: 'shop', size: 8192, deleted_at, restorable: true },
        ...{ php: '8.2', tier: 'small', tls: 'none' },
      },
    ]
    agent.answers.set('/exec', () =>
      Response.json({ error: 'Not found', message: 'In the trash' }, { status: 404 }),
    )

    await dashboard.call('DELETE', path)

    await until(async () => (await siteStatus(dashboard)) === 'trashed')
    const { body } = await dashboard.call('GET', '/api/trash')
    expect(body.trash).toMatchObject([{ domain: 'shop.example', size: 8192 }])
  })

  test('removes it when an agent of another protocol does not know it', async ({
    agent,
    dashboard,
  }) => {
    const path = await siteOn(dashboard, agent)
    const { protocol: _, ...metrics } = agent.metrics
    agent.metrics = metrics
    await dashboard.db.write((queries) => queries.update(servers).set({ metrics }))
    agent.answers.set('/exec', () => Response.json({ error: 'Not found' }, { status: 404 }))

    await dashboard.call('DELETE', path)

    await isGone(dashboard)
    expect(await ended(dashboard, 'site.delete')).toEqual({
      status: 'success',
      warnings: [WARNING],
    })
  })

  test('restores its previous state when the agent fails, and says why', async ({
    agent,
    dashboard,
  }) => {
    const path = await siteOn(dashboard, agent)
    agent.works.set('site.delete', async function* () {
      yield 'Deleting'
      throw new Refused({ error: 'Internal error', message: 'The database is busy' })
    })

    await dashboard.call('DELETE', path)

    const site = await until(async () => {
      const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
      return body.site.status === 'active' && body.site
    })
    expect(site.status_reason).toBe('The database is busy')
  })

  test('removes the record at once when the server never answered', async ({ dashboard }) => {
    await dashboard.call('POST', '/api/servers', { hostname: 'never.example' })
    await dashboard.call('POST', '/api/servers/1/sites', { domain: 'shop.example' })

    const response = await dashboard.send('DELETE', '/api/servers/1/sites/1')

    const id = response.headers.get('operation-id')
    const { body } = await dashboard.call('GET', `/api/operations/${id}`)
    expect(response.status).toBe(202)
    expect(await siteStatus(dashboard)).toBeUndefined()
    expect(body.operation.status).toBe('success')
  })

  test('keeps the record when the agent is enrolled: only its answer may be lost', async ({
    dashboard,
  }) => {
    const server_id = await dashboard.addServer({ port: 1 })
    const { kid } = await dashboard.deps.keys.current()
    const agent = { server_id, certificate: '', public_key: '', kid, enrolled_at: '' }
    await dashboard.db.write((queries) => queries.insert(server_agents).values(agent))
    await dashboard.call('POST', '/api/servers/1/sites', { domain: 'shop.example' })

    const answer = await dashboard.call('DELETE', '/api/servers/1/sites/1')

    const message = 'Another operation is running: Create shop.example'
    expect(answer).toEqual({ status: 409, body: { error: 'Conflict', message } })
    expect(await siteStatus(dashboard)).toBe('provisioning')
  })

  test('of another server is 404', async ({ dashboard }) => {
    await dashboard.call('POST', '/api/servers', { hostname: 'a.example' })
    await dashboard.call('POST', '/api/servers', { hostname: 'b.example' })
    await dashboard.call('POST', '/api/servers/1/sites', { domain: 'shop.example' })

    for (const method of ['GET', 'DELETE', 'PATCH'])
      expect(await dashboard.call(method, '/api/servers/2/sites/1')).toEqual({
        status: 404,
        body: { error: 'Not found', message: 'Site not found' },
      })
  })
})
