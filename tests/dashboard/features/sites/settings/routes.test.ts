import { expect } from 'bun:test'
import { ending, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(started)

const PHP_LIMITS = {
  memory_limit: { usual: 128, most: 256 },
  upload: { usual: 32, most: 256 },
  execution_time: { usual: 60, most: 300 },
  input_vars: { usual: 2000, most: 10_000 },
}
const UNSET = {
  ...{ maintenance: null, basic_auth: null, php_settings: null, page_cache: null },
  trusted_cdn: null,
  page_purge: false,
  csp: 'basic',
  hsts: 'on',
}

/** A site whose agent stores the params, and reports them as its settings. */
async function started() {
  const agent = new FakeAgent()
  const sent: Record<string, unknown>[] = []
  const settings: Record<string, unknown> = { ...UNSET, xmlrpc: 'on' }
  agent.works.set('site.configure', async function* ({ domain, ...change }) {
    sent.push(change)
    const { basic_auth: access } = Object(change)
    const basic_auth = access && { user: access.user }
    Object.assign(settings, change, access !== undefined && { basic_auth })
    yield 'Applying'
    return { status: 'ok', domain, ...settings }
  })
  agent.works.set('site.update', async function* ({ domain, xmlrpc }) {
    yield 'Applying'
    return { status: 'ok', domain, php: '8.2', tier: 'small', xmlrpc }
  })
  const dashboard = await makeDashboard()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id, { domain: 'shop.example', php: '8.2', tls: 'none' })
  const at = `/api/servers/${id}/sites/1`
  return {
    ...{ dashboard, sent, at },
    show: async () => (await dashboard.call('GET', `${at}/settings`)).body.settings,
    configure: async (body: object) => {
      const answer = await dashboard.send('PATCH', `${at}/settings`, body)
      return { status: answer.status, text: await answer.text() }
    },
    ...ending(dashboard, agent),
  }
}

test('settings are the defaults until one is set, and then those of the agent', async (world) => {
  expect(await world.show()).toEqual({ ...UNSET, xmlrpc: 'on', php_limits: PHP_LIMITS })
  const maintenance = { allow: ['203.0.113.7'], message: '' }

  await world.configure({ maintenance: { allow: ['203.0.113.7'] } })
  await world.configure({ xmlrpc: 'jetpack' })

  expect(world.sent).toEqual([{ maintenance }, { xmlrpc: 'jetpack' }])
  const expected = { ...UNSET, maintenance, xmlrpc: 'jetpack', php_limits: PHP_LIMITS }
  expect(await world.show()).toEqual(expected)
})

test('a password is generated, shown on request, and not part of any answer', async (world) => {
  const { dashboard, at } = world
  expect((await dashboard.call('POST', `${at}/visitor-password`)).status).toBe(409)

  const { text } = await world.configure({ basic_auth: { user: 'client' } })

  const { body } = await dashboard.call('POST', `${at}/visitor-password`)
  expect(body).toEqual({ user: 'client', password: expect.stringMatching(/^[\w-]{22,}$/) })
  expect(world.sent).toEqual([
    { basic_auth: { user: 'client', password_hash: expect.stringMatching(/^\{SSHA\}/) } },
  ])
  const shown = JSON.stringify(await world.show())
  const operations = JSON.stringify((await dashboard.call('GET', '/api/fleet/sites/1')).body)
  for (const answer of [text, shown, operations]) expect(answer).not.toContain(body.password)
  const { activities } = (await dashboard.call('GET', '/api/activity')).body
  expect(activities[0].type).toBe('site.visitor_password')

  await world.configure({ basic_auth: null })
  expect((await dashboard.call('POST', `${at}/visitor-password`)).status).toBe(409)
})

test('what a tier does not allow is refused before anything is sent', async (world) => {
  const { status, text } = await world.configure({ php_settings: { memory_limit: 512 } })

  expect([status, JSON.parse(text).fields, world.sent]).toEqual([
    422,
    { php_settings: ['memory_limit must be at most 256 on the tier small'] },
    [],
  ])
})

test.each([
  { body: {}, field: 'body' },
  { body: { xmlrpc: 'sometimes' }, field: 'xmlrpc' },
  { body: { php_settings: { values: { open_basedir: '/' } } }, field: 'php_settings' },
  { body: { page_cache: { paths: ['members'] } }, field: 'page_cache' },
])('refuses $body: an error on $field', async (world, { body, field }) => {
  const { status, text } = await world.configure(body)

  expect([status, Object.keys(JSON.parse(text).fields)]).toEqual([422, [field]])
})

test('a change of the site itself opens or closes xmlrpc.php for everybody', async (world) => {
  await world.configure({ xmlrpc: 'jetpack' })

  await world.dashboard.call('PATCH', world.at, { xmlrpc: true })

  await until(async () => (await world.show()).xmlrpc === 'on')
})
