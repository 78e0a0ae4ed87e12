import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type Dashboard,
  EMAIL,
  makeDashboard,
  PASSWORD,
} from '#tests/support/dashboard/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await makeDashboard()
  await dashboard.call('POST', '/api/servers', { hostname: 'a.example' })
  await dashboard.call('POST', '/api/servers', { hostname: 'b.example' })
})
afterAll(() => dashboard[Symbol.asyncDispose]())

const newest = async (of: Dashboard, domain: string) =>
  (await of.call('GET', `/api/fleet/activity?domain=${domain}`)).body.activities[0]

describe('the activity of the fleet', () => {
  test('shows user and target if they still exist', async () => {
    const { body: made } = await dashboard.call('POST', '/api/servers/1/sites', {
      domain: 'shop.example',
      tls: 'none',
    })
    await dashboard.call('POST', '/api/servers', { hostname: 'gone.example' })
    await dashboard.call('DELETE', '/api/servers/3')

    const { body } = await dashboard.call('GET', '/api/fleet/activity?limit=3')

    const { body: listed } = await dashboard.call('GET', '/api/operations?limit=1')
    const actor = listed.operations[0].actor
    const nowhere = { server_id: null, server: null, operation_id: null, bulk_id: null }
    expect(actor).toContain('@')
    expect(body.total).toBe(6)
    expect(body.activities).toMatchObject([
      { type: 'server.delete', domain: 'gone.example', actor, site_id: null, ...nowhere },
      { type: 'server.create', domain: 'gone.example', actor, site_id: null, ...nowhere },
      {
        type: 'site.create',
        domain: 'shop.example',
        actor,
        site_id: made.site.id,
        server_id: 1,
        server: 'a.example',
        operation_id: listed.operations[0].id,
        bulk_id: null,
      },
    ])
  })
})

test('tells a script from the person whose token it has', async () => {
  await using own = await makeDashboard()
  const { body } = await own.call('POST', '/api/auth/tokens', {
    name: 'deploy',
    password: PASSWORD,
    scope: 'admin',
  })
  const script = { cookie: '', authorization: `Bearer ${body.plaintext}` }
  const as = (method: string, path: string, sent?: object, headers = {}) =>
    own.send(method, path, sent, headers)
  await as('POST', '/api/servers', { hostname: 'script.example' }, script)
  await as('POST', '/api/servers', { hostname: 'person.example' })
  const { server_id } = await newest(own, 'script.example')
  const path = `/api/servers/${server_id}/sites`
  await as('POST', path, { domain: 'by-script.example', tls: 'none' }, script)

  const { actor, token, address } = await newest(own, 'by-script.example')
  expect({ actor, token, address }).toEqual({
    actor: EMAIL,
    token: 'deploy',
    address: null,
  })
  expect((await newest(own, 'script.example')).token).toBe('deploy')
  expect(await newest(own, 'person.example')).toMatchObject({ actor: EMAIL, token: null })
  await as('DELETE', `/api/servers/${server_id}`, undefined, script)
  expect(await newest(own, 'script.example')).toMatchObject({
    type: 'server.delete',
    token: 'deploy',
  })
})
