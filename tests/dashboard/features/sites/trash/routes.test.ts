import { describe, expect } from 'bun:test'
import { agentTest as test, until } from '#tests/support/dashboard/dashboard.ts'
import {
  becomes,
  conflict,
  DAY_MS,
  domain,
  site,
  trashed,
  trashOf,
} from '#tests/support/dashboard/trash.ts'
import { Refused } from '#tests/support/fake-operation.ts'

describe('a site in the trash', () => {
  test('is shown with its remaining time, and is on no list of live sites', async ({
    agent,
    dashboard,
  }) => {
    await trashed(dashboard, agent)

    const [entry] = await trashOf(dashboard)

    expect(entry).toEqual({
      id: 1,
      domain,
      server_id: 1,
      server: '127.0.0.1',
      status: 'trashed',
      status_reason: '',
      trashed_at: expect.any(String),
      purge_at: expect.any(String),
      size: 4096,
    })
    expect(Date.parse(entry.purge_at) - Date.parse(entry.trashed_at)).toBe(14 * DAY_MS)
    const listed = await dashboard.call('GET', '/api/servers/1/sites')
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    const fleet = await dashboard.call('GET', '/api/fleet')
    expect(listed.body).toEqual({ sites: [] })
    expect(body.site).toMatchObject({ status: 'trashed', purge_at: entry.purge_at })
    expect(fleet.body.servers[0].sites_count).toBe(0)
    expect(fleet.body.counts.sites).toEqual({ trashed: 1 })
  })

  test('keeps its name, and says where it is', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)
    const { body } = await dashboard.call('POST', '/api/servers', { hostname: 'b.example' })

    const path = `/api/servers/${body.server.id}/sites`
    const again = await dashboard.call('POST', path, { domain: 'www.shop.example' })

    const message = 'shop.example is in the trash of 127.0.0.1: restore it or delete it permanently'
    expect(again.body).toEqual({ error: 'Validation failed', fields: { domain: [message] } })
  })

  test('can only be restored or purged', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)
    const asked = agent.asked.length

    const calls = [
      await dashboard.call('DELETE', site),
      await dashboard.call('PATCH', site, { tier: 'large' }),
      await dashboard.call('POST', `${site}/tls`, { tls: 'none' }),
      await dashboard.call('POST', `${site}/cache-purge`),
      await dashboard.call('POST', `${site}/db-password`),
      await dashboard.call('POST', `${site}/admin-password`),
      await dashboard.call('POST', '/api/servers/1/wp-scan', { site_id: 1 }),
    ]

    const refused = conflict('shop.example is in the trash: restore it or delete it permanently')
    expect(calls).toEqual(calls.map(() => refused))
    expect(agent.asked.slice(asked).filter((call) => call.startsWith('POST'))).toEqual([])
  })

  test('is restored with one call', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)

    const answer = await dashboard.call('POST', `${site}/restore`)

    expect(answer).toEqual({
      status: 202,
      body: { site: { id: 1, domain, status: 'provisioning' } },
    })
    await becomes(dashboard, 'active')
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(body.site).toMatchObject({ trashed_at: null, purge_at: null })
    expect(await trashOf(dashboard)).toEqual([])
    const log = await dashboard.call('GET', '/api/activity?type=site.restore')
    expect(log.body.activities).toMatchObject([{ domain, status: 'success' }])
  })

  test('is restored with the accepted changes', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)
    const accept = ['service_started']
    const asked: unknown[] = []
    const restore = agent.works.get('site.restore')
    if (!restore) throw new Error('The agent knows no trash')
    agent.works.set('site.restore', (params) => {
      asked.push(params)
      return restore(params)
    })

    const planned = await dashboard.call('POST', `${site}/restore?dry_run=true`, { accept })
    await dashboard.call('POST', `${site}/restore`, { accept })

    expect(planned.body).toEqual({ plan: { steps: [] } })
    await becomes(dashboard, 'active')
    expect(asked).toEqual([{ domain, accept }])
  })

  test('stays there when it cannot be restored, and says why', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)
    const [before] = await trashOf(dashboard)
    agent.works.set('site.restore', async function* () {
      yield 'Importing'
      throw new Refused({ error: 'Conflict', message: 'PHP 8.2 is gone' })
    })

    await dashboard.call('POST', `${site}/restore`)

    const after = await until(async () => {
      const [entry] = await trashOf(dashboard)
      return entry.status === 'trashed' && entry
    })
    expect(after).toEqual({ ...before, status_reason: 'PHP 8.2 is gone' })
  })

  test('is purged when its domain is given again, and then its name is free', async ({
    agent,
    dashboard,
  }) => {
    await trashed(dashboard, agent)
    const wrong = { status: 422, body: expect.objectContaining({ fields: expect.anything() }) }

    for (const body of [{}, { domain: 'www.shop.example' }, { domain: 1 }])
      expect(await dashboard.call('POST', `${site}/purge`, body)).toEqual(wrong)
    const answer = await dashboard.call('POST', `${site}/purge`, { domain: 'SHOP.example' })

    expect(answer).toEqual({ status: 202, body: { site: { id: 1, domain, status: 'deleting' } } })
    await becomes(dashboard, undefined)
    const log = await dashboard.call('GET', '/api/activity?type=site.purge')
    expect(log.body.activities).toMatchObject([{ domain, status: 'success' }])
    const again = await dashboard.call('POST', '/api/servers/1/sites', { domain })
    expect(again.status).toBe(201)
  })

  test('that the agent does not know any more can be purged', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)
    agent.answers.set('/exec', () => Response.json({ error: 'Not found' }, { status: 404 }))

    await dashboard.call('POST', `${site}/purge`, { domain })

    await becomes(dashboard, undefined)
    const { body } = await dashboard.call('GET', '/api/operations?type=site.purge')
    expect(body.operations[0]).toMatchObject({
      ...{ status: 'success', warnings: [{ code: 'nothing_to_delete' }] },
    })
  })

  test('is removed with its server, without a call of the agent', async ({ agent, dashboard }) => {
    await trashed(dashboard, agent)
    dashboard.deps.scheduler.remove(1)
    const asked = agent.asked.length

    expect((await dashboard.call('DELETE', '/api/servers/1')).status).toBe(204)

    expect(await trashOf(dashboard)).toEqual([])
    expect(agent.asked.slice(asked)).toEqual([])
  })
})

test('a site that is not in the trash is neither restored nor purged', async ({
  agent,
  dashboard,
}) => {
  await dashboard.addServer(agent)
  await dashboard.call('POST', '/api/servers/1/sites', { domain })
  await becomes(dashboard, 'active')

  const refused = conflict('shop.example is not in the trash')
  expect(await dashboard.call('POST', `${site}/restore`)).toEqual(refused)
  expect(await dashboard.call('POST', `${site}/purge`, { domain })).toEqual(refused)
})
