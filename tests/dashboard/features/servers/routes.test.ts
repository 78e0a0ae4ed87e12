import { describe, expect } from 'bun:test'
import { ServerDetail, ServerListed } from '#shared/servers/api/servers.ts'
import { type Dashboard, agentTest as test, until } from '#tests/support/dashboard/dashboard.ts'

const failed = (fields: object) => ({ status: 422, body: { error: 'Validation failed', fields } })

async function activities(dashboard: Dashboard) {
  const { body } = await dashboard.call('GET', '/api/activity')
  return body.activities.map(({ type }: { type: string }) => type)
}

describe('a new server', () => {
  test.each([
    [{}, { hostname: ['Hostname is required'] }],
    [{ hostname: '' }, { hostname: ['Hostname is required'] }],
    [{ hostname: 'a', port: '22' }, { port: ['Must be a number'] }],
    [{ hostname: 'a', port: 70_000 }, { port: ['Must be between 1 and 65535'] }],
    [{ hostname: 'a', tags: ['x', 'x'] }, { tags: ['Must not have duplicates'] }],
    [{ hostname: 'a', tags: 'x' }, { tags: ['Must be a list of strings'] }],
    [JSON.parse('{"__proto__":{"hostname":"a"}}'), { hostname: ['Hostname is required'] }],
  ])('of %j fails on its fields', async ({ dashboard }, input, fields) => {
    expect(await dashboard.call('POST', '/api/servers', input)).toEqual(failed(fields))
  })
})

describe('a server', () => {
  test('shows the last reading of its agent, with exactly the fields of the contract', async ({
    agent,
    dashboard,
  }) => {
    const id = await dashboard.addServer(agent)
    await (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()

    const { body } = await dashboard.call('GET', `/api/servers/${id}`)
    const list = await dashboard.call('GET', '/api/servers')

    expect(ServerDetail.parse(body.server)).toMatchObject({
      os: 'Debian GNU/Linux 12',
      version: '1.2.3',
      metrics: { cpu: 7, ram: { used: 512, total: 2048, unit: 'MB' } },
    })
    expect(ServerListed.parse(list.body.servers[0]).last_sync).toBeString()
  })

  test('has defaults, and is changed in the fields that are named', async ({ dashboard }) => {
    const shown = async () => (await dashboard.call('GET', '/api/servers')).body.servers[0]
    await dashboard.call('POST', '/api/servers', { hostname: ' A.example ', id: 99, os: 'x' })
    const named = { id: 1, name: 'a.example', hostname: 'a.example' }
    expect(await shown()).toMatchObject({ ...named, port: 8443, user: 'root', tags: [], os: '' })

    const change = { hostname: 'B.example', port: 1, user: 'admin', tags: ['eu', ' blue '], id: 7 }
    const first = await dashboard.call('PATCH', '/api/servers/1', { name: ' two ' })
    const { status, body } = await dashboard.call('PATCH', '/api/servers/1', change)
    await dashboard.call('PATCH', '/api/servers/1', {})

    const tags = ['eu', 'blue']
    expect(first.body).toEqual({ server: { id: 1, name: 'two', tags: [] } })
    expect({ status, body }).toEqual({
      status: 200,
      body: { server: { id: 1, name: 'two', tags } },
    })
    expect(await shown()).toMatchObject({
      name: 'two',
      ...change,
      hostname: 'b.example',
      tags,
      id: 1,
    })
    expect((await activities(dashboard)).slice(-3)).toEqual([
      ...['server.update', 'server.create', 'auth.login'],
    ])
  })

  test('is deleted with its sites, but not its activity, and its id is not used again', async ({
    dashboard,
  }) => {
    await dashboard.call('POST', '/api/servers', { hostname: 'a.example' })
    await dashboard.call('POST', '/api/servers/1/sites', { domain: 'shop.example' })

    const { status } = await dashboard.call('DELETE', '/api/servers/1')

    const next = await dashboard.call('POST', '/api/servers', { hostname: 'b.example' })
    const again = await dashboard.call('POST', '/api/servers/2/sites', { domain: 'shop.example' })
    expect(status).toBe(204)
    expect((await dashboard.call('GET', '/api/servers/1')).status).toBe(404)
    expect(next.body.server.id).toBe(2)
    expect(again.status).toBe(201)
    expect(await activities(dashboard)).toContain('server.delete')
  })

  test('is not deleted while an operation of it is running', async ({ agent, dashboard }) => {
    const held = Promise.withResolvers<void>()
    agent.works.set('site.create', async function* () {
      yield 'Working'
      await held.promise
      return { status: 'ok', domain: 'shop.example' }
    })
    const id = await dashboard.addServer(agent)
    await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'shop.example' })
    await until(
      async () =>
        (await dashboard.call('GET', '/api/operations?status=running')).body.operations[0],
    )

    const { status, body } = await dashboard.call('DELETE', `/api/servers/${id}`)
    held.resolve()

    expect(status).toBe(409)
    expect(body).toEqual({ error: 'Conflict', message: 'An operation of the server is running' })
  })
})
