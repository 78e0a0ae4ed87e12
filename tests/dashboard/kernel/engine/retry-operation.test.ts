import { describe, expect } from 'bun:test'
import { type Dashboard, agentTest as test } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended } from '#tests/support/dashboard/operations.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const retry = (dashboard: Dashboard, id: string) =>
  dashboard.send('POST', `/api/operations/${id}/retry`)
const refused = (message: string) => ({ error: 'Conflict', message })

/** A creation that has failed. */
async function failed(dashboard: Dashboard, agent: FakeAgent): Promise<string> {
  const make = agent.works.get('site.create')
  agent.works.set('site.create', async function* () {
    yield 'Creating the user'
    throw new Refused({ error: 'Internal error', message: 'The disk is full' })
  })
  const id = await createSite(dashboard, await dashboard.addServer(agent))
  await ended(dashboard, id)
  if (make) agent.works.set('site.create', make)
  return id
}

describe('retrying an operation', () => {
  test('runs it again, and the site is provisioning again', async ({ agent, dashboard }) => {
    const id = await failed(dashboard, agent)
    const before = await dashboard.db.read.query.operations.findMany()

    const response = await retry(dashboard, id)

    const next = response.headers.get('operation-id') ?? ''
    const { body } = await dashboard.call('GET', '/api/activity?type=site.create')
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({
      operation: { id: next, type: 'site.create', site_id: 1, retry_of: id, cancel: null },
    })
    expect(await ended(dashboard, next)).toMatchObject({ status: 'success' })
    const site = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(site.body.site).toMatchObject({ status: 'active', status_reason: '' })
    const after = await dashboard.db.read.query.operations.findMany()
    expect(after.find((row) => row.id === next)?.params).toEqual(before[0]?.params as never)
    expect(body.total).toBe(2)
  })

  test('returns its plan first, without starting', async ({ agent, dashboard }) => {
    const id = await failed(dashboard, agent)
    const [before] = await dashboard.db.read.query.operations.findMany()
    agent.plan = { steps: [{ name: 'user', title: 'Creating the user', effects: [] }] }

    const path = `/api/operations/${id}/retry`
    const answer = await dashboard.call('POST', path, { dry_run: true })

    expect(answer).toEqual({ status: 200, body: { plan: agent.plan } })
    expect(agent.planned).toEqual([{ command: 'site.create', params: before?.params }])
    expect(await dashboard.db.read.query.operations.findMany()).toEqual([before] as never)
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(body.site.status).toBe('failed')
    expect((await dashboard.call('POST', path, { dry_run: 1 })).status).toBe(422)
  })

  test('is for failed operations only, and once at a time', async ({ agent, dashboard }) => {
    const id = await failed(dashboard, agent)
    await agent.stop()
    const next = (await retry(dashboard, id)).headers.get('operation-id') ?? ''

    const under_way = await dashboard.call('POST', `/api/operations/${next}/retry`)
    const again = await dashboard.call('POST', `/api/operations/${id}/retry`)

    agent.listen()
    await ended(dashboard, next)
    expect(under_way).toEqual({ status: 409, body: refused('The operation is running') })
    expect(again).toEqual({ status: 409, body: refused('The site is there already') })
    expect(await dashboard.call('POST', `/api/operations/${next}/retry`)).toEqual({
      status: 409,
      body: refused('The operation succeeded'),
    })
  })

  test('is 409 while another operation of the site is running', async ({ agent, dashboard }) => {
    agent.works.set('site.update', async function* () {
      yield 'Changing'
      throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    })
    await ended(dashboard, await createSite(dashboard, await dashboard.addServer(agent)))
    const update = () => dashboard.send('PATCH', '/api/servers/1/sites/1', { tier: 'large' })
    const id = (await update()).headers.get('operation-id') ?? ''
    await ended(dashboard, id)
    await agent.stop()
    await update()

    expect(await dashboard.call('POST', `/api/operations/${id}/retry`)).toEqual({
      status: 409,
      body: refused('Another operation is running: Change shop.example'),
    })
  })

  test('is 404 for an unknown operation and for a deleted site', async ({ agent, dashboard }) => {
    const id = await failed(dashboard, agent)
    await dashboard.db.write((queries) => queries.run('delete from sites'))

    const gone = await dashboard.call('POST', `/api/operations/${id}/retry`)

    expect(gone).toEqual({ status: 404, body: { error: 'Not found', message: 'Site not found' } })
    expect((await retry(dashboard, 'none')).status).toBe(404)
  })
})

describe('the list of operations', () => {
  test('filters by state, and has pages without gaps', async ({ dashboard }) => {
    const server = await dashboard.addServer({ port: 1 })
    const made: string[] = []
    for (const domain of ['a.example', 'b.example', 'c.example']) {
      const response = await dashboard.send('POST', `/api/servers/${server}/sites`, { domain })
      made.push(response.headers.get('operation-id') ?? '')
    }
    await dashboard.db.write((queries) =>
      queries.run("update operations set created_at = '2026-01-01T00:00:00.000Z'"),
    )
    await dashboard.call('POST', `/api/operations/${made[0]}/cancel`)
    await ended(dashboard, made[0] ?? '')
    const ids = async (query: string): Promise<string[]> => {
      const { body } = await dashboard.call('GET', `/api/operations?${query}`)
      return body.operations.map(({ id }: { id: string }) => id)
    }
    const all = await ids('limit=3')

    expect(all.toSorted()).toEqual(made.toSorted())
    expect(await ids(`limit=2&before=${all[0]}`)).toEqual(all.slice(1))
    expect(await ids('status=cancelled,failed')).toEqual([made[0]] as string[])
    expect(await ids('active=false')).toEqual([made[0]] as string[])
    expect((await ids('active=true')).toSorted()).toEqual(made.slice(1).toSorted())
    expect(await ids('bulk_id=none')).toEqual([])
  })

  test.each([
    'status=nothing',
    'status=failed,',
    'status=',
    'active=yes',
    'bulk_id=%20',
    'before=x y',
  ])('%s is 422', async ({ dashboard }, query) => {
    const { status, body } = await dashboard.call('GET', `/api/operations?${query}`)

    expect({ status, fields: Object.keys(body.fields) }).toEqual({
      status: 422,
      fields: [query.split('=')[0] ?? ''],
    })
  })
})
