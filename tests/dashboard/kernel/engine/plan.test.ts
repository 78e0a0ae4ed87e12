// tier: gate
import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plan } from '#shared/kernel/plan.ts'
import { type Dashboard, EMAIL, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const plan: Plan = {
  steps: [
    {
      name: 'pages',
      title: 'Emptying the page cache',
      effects: [{ action: 'remove', kind: 'pages', name: '/var/cache/hosting/shop' }],
    },
  ],
}
const planned = { status: 200, body: { plan } }
const dry_run = true
const domain = 'shop.example'

/** All records, to see that nothing was added. */
async function records(dashboard: Dashboard): Promise<unknown[]> {
  const paths = [
    '/api/operations',
    '/api/activity?limit=500',
    '/api/fleet/sites',
    '/api/servers',
    '/api/trash',
  ]
  const answers = await Promise.all(paths.map((path) => dashboard.call('GET', path)))
  return answers.map(({ body }) => body)
}

async function statusOf(dashboard: Dashboard): Promise<string> {
  const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
  return body.site.status
}

const settled = (dashboard: Dashboard) =>
  until(async () => {
    const { body } = await dashboard.call('GET', '/api/activity')
    return body.activities[0].status === 'success'
  })

async function withSite(agent: FakeAgent) {
  agent.plan = plan
  const builds_dir = await mkdtemp(join(tmpdir(), 'builds-'))
  await Bun.write(join(builds_dir, 'hosting-agent-linux-arm64-musl'), 'program')
  agent.answers.set('/build', () =>
    Response.json({ version: '0.0.1', machine: 'linux-arm64-musl' }),
  )
  const dashboard = await makeDashboard({ builds_dir, public_url: 'https://c.example' })
  const server = await dashboard.addServer(agent)
  const body = { domain, user: 'shop', tls: 'none' }
  await dashboard.call('POST', `/api/servers/${server}/sites`, body)
  await until(async () => (await statusOf(dashboard)) === 'active')
  await settled(dashboard)
  return {
    dashboard,
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
      await rm(builds_dir, { recursive: true, force: true })
    },
  }
}

const pool = { user: 'shop', php_version: '8.4', tier: 'large' }

describe('dry_run', () => {
  test.each([
    ['PATCH', '/sites/1', { tier: 'large' }, 'site.update', { domain, tier: 'large' }],
    [
      'PATCH',
      '/sites/1',
      { database_routines: true },
      'site.update',
      { domain, database_routines: true },
    ],
    ['PATCH', '/sites/1', { xmlrpc: false }, 'site.update', { domain, xmlrpc: false }],
    ['DELETE', '/sites/1', {}, 'site.delete', { domain }],
    ['POST', '/sites/1/tls', { tls: 'none' }, 'tls.issue', { domain, tls: 'none', email: EMAIL }],
    ['POST', '/sites/1/cache-purge', {}, 'cache.purge', { domain }],
    ['POST', '/pool-apply', pool, 'pool.apply', pool],
    [
      'POST',
      '/provision',
      { php_versions: ['8.4'] },
      'server.provision',
      { php_versions: ['8.4'] },
    ],
    ['POST', '/services/restart', { service: 'nginx' }, 'service.restart', { service: 'nginx' }],
    ['POST', '/isolation-check', {}, 'isolation.check', {}],
    ['POST', '/update', {}, 'server.update', { scope: 'security', restart_database: false }],
    [
      'POST',
      '/upgrade',
      {},
      'agent.upgrade',
      { url: expect.any(String), sha256: expect.any(String) },
    ],
  ] as const)(
    '%s %s returns the plan and writes nothing',
    async (method, path, body, command, params) => {
      await using agent = new FakeAgent()
      await using home = await withSite(agent)
      const { dashboard } = home
      const before = await records(dashboard)

      const answer = await dashboard.call(method, `/api/servers/1${path}`, { ...body, dry_run })

      expect(answer).toEqual(planned)
      expect(agent.planned).toEqual([{ command, params }])
      expect(await records(dashboard)).toEqual(before)
      const bad = await dashboard.call(method, `/api/servers/1${path}`, { ...body, dry_run: 'yes' })
      expect([bad.status, bad.body.fields]).toEqual([422, { dry_run: ['Must be true or false'] }])
      expect(await records(dashboard)).toEqual(before)
    },
  )

  test('describes a new site completely, and the same call creates exactly that', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    const before = await records(dashboard)
    const asked = { domain: 'WWW.Other.Example.', tier: 'large', dry_run }

    const { status, body } = await dashboard.call('POST', '/api/servers/1/sites', asked)

    const site = {
      domain: 'www.other.example',
      php: expect.stringMatching(/^\d\.\d$/),
      tier: 'large',
      tls: 'letsencrypt',
      email: EMAIL,
      user: expect.stringMatching(/^other[a-z0-9]{6}$/),
    }
    expect([status, body]).toEqual([200, { site, plan, also_on: [] }])
    expect(agent.planned).toEqual([{ command: 'site.create', params: body.site }])
    expect(await records(dashboard)).toEqual(before)
    const given: unknown[] = []
    agent.works.set('site.create', async function* (params) {
      given.push(params)
      yield 'Creating'
      return { status: 'ok', domain: params.domain }
    })
    const made = await dashboard.call('POST', '/api/servers/1/sites', body.site)
    expect(made).toEqual({
      status: 201,
      body: { site: { id: 2, domain: 'www.other.example', status: 'provisioning' } },
    })
    await until(() => given.length > 0)
    expect(given).toEqual([body.site])
  })

  test('is accepted in the query of a call without a body', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    const site = '/api/servers/1/sites/1'

    expect(await dashboard.call('DELETE', `${site}?dry_run=true`)).toEqual(planned)

    const bad = await dashboard.call('DELETE', `${site}?dry_run=1`)
    expect([bad.status, bad.body.fields]).toEqual([422, { dry_run: ['Must be true or false'] }])
    expect((await dashboard.call('GET', site)).status).toBe(200)
    expect((await dashboard.call('DELETE', `${site}?dry_run=false`)).status).toBe(202)
  })

  test('refuses what the call would refuse', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    const ask = async (method: string, path: string, body: object) => {
      const answer = await dashboard.call(method, `/api${path}`, { ...body, dry_run })
      return [answer.status, answer.body.fields ?? answer.body.message]
    }
    const taken = { domain: ['The domain is already taken'] }

    expect(await ask('POST', '/servers/1/sites', { domain })).toEqual([422, taken])
    expect(await ask('POST', '/servers/1/sites', { domain: `www.${domain}` })).toEqual([422, taken])
    expect(await ask('POST', '/servers/1/sites', { domain: 'b.example', user: 'shop' })).toEqual([
      422,
      { user: ['Another site of the server has this user'] },
    ])
    expect(await ask('POST', '/servers/1/sites', {})).toEqual([
      422,
      { domain: ['Domain is required'] },
    ])
    expect(await ask('POST', '/servers/9/sites', { domain })).toEqual([404, 'Server not found'])
    expect(await ask('DELETE', '/servers/1/sites/9', {})).toEqual([404, 'Site not found'])
    expect(await ask('PATCH', '/servers/1/sites/1', {})).toMatchObject([422, {}])
    expect(agent.planned).toEqual([])
    const missing = { error: 'Not found', message: 'PHP 8.4 pool of unknown not found' }
    agent.answers.set('/exec', () => Response.json(missing, { status: 404 }))
    expect(await ask('POST', '/servers/1/pool-apply', { ...pool, user: 'unknown' })).toEqual([
      404,
      missing.message,
    ])
    dashboard.token = ''
    expect((await ask('DELETE', '/servers/1/sites/1', {}))[0]).toBe(401)
  })

  test.each([
    ['restore', {}, 'site.restore', { domain }],
    ['purge', { domain }, 'site.purge', { domain, confirm: domain, trashed_days: 0 }],
  ])('%s of a site in the trash returns the plan', async (way, body, command, params) => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    const site = '/api/servers/1/sites/1'
    const ask = () => dashboard.call('POST', `${site}/${way}`, { ...body, dry_run })
    const live = { error: 'Conflict', message: `${domain} is not in the trash` }
    expect(await ask()).toEqual({ status: 409, body: live })
    await dashboard.call('DELETE', site)
    await until(async () => (await statusOf(dashboard)) === 'trashed')
    await settled(dashboard)
    const before = await records(dashboard)

    expect(await ask()).toEqual(planned)

    expect(agent.planned).toEqual([{ command, params }])
    expect(await records(dashboard)).toEqual(before)
    const deletion = await dashboard.call('DELETE', `${site}?dry_run=true`)
    expect(deletion.status).toBe(409)
  })

  test('is refused while another operation of the site is running', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    agent.works.set('site.update', async function* () {
      yield 'Moving'
      await new Promise(() => undefined)
      return {}
    })
    await dashboard.call('PATCH', '/api/servers/1/sites/1', { tier: 'large' })

    const answer = await dashboard.call('DELETE', '/api/servers/1/sites/1', { dry_run })

    expect([answer.status, answer.body.message]).toEqual([
      409,
      'Another operation is running: Change shop.example',
    ])
  })

  test('returns the refusal of the agent, and 503 when it is offline', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    const ask = () =>
      dashboard.call('POST', '/api/servers/1/sites', { domain: 'b.example', dry_run })
    const message = 'Only 400 MB are free on this server, and a site needs 500 MB'
    agent.answers.set('/exec', () => Response.json({ error: 'Conflict', message }, { status: 409 }))
    expect(await ask()).toEqual({ status: 409, body: { error: 'Conflict', message } })

    await agent.stop()

    expect(await ask()).toMatchObject({ status: 503, body: { error: 'Agent offline' } })
  })

  test('is empty for a deletion that no server knows', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    const nothing = { status: 200, body: { plan: { steps: [] } } }
    agent.answers.set('/exec', () =>
      Response.json({ error: 'Not found', message: 'Site not found' }, { status: 404 }),
    )

    expect(await dashboard.call('DELETE', '/api/servers/1/sites/1?dry_run=true')).toEqual(nothing)
  })

  const effect = { action: 'create', kind: 'file', name: '/x' }
  const step = { name: 'a', title: 'A', effects: [effect] }
  test.each([
    ['no plan', {}],
    ['a plan of another shape', { plan: [] }],
    ['another action', { plan: { steps: [{ ...step, effects: [{ ...effect, action: 'x' }] }] } }],
    ['text of several lines', { plan: { steps: [{ ...step, title: 'a\nb' }] } }],
    ['too many steps', { plan: { steps: Array(201).fill(step) } }],
    ['a name without an end', { plan: { steps: [{ ...step, name: 'x'.repeat(65) }] } }],
    ['more than it may', { plan, more: 'x'.repeat(3 << 20) }],
  ])('refuses from an agent %s', async (_, answer) => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    agent.answers.set('/exec', () => Response.json(answer))

    const { status } = await dashboard.call('DELETE', '/api/servers/1/sites/1', { dry_run })

    expect(status).toBe(503)
  })

  test('drops fields that no plan has', async () => {
    await using agent = new FakeAgent()
    await using home = await withSite(agent)
    const { dashboard } = home
    agent.answers.set('/exec', () => Response.json({ plan: { ...plan, x: 1 }, x: 1 }))

    const answer = await dashboard.call('DELETE', '/api/servers/1/sites/1', { dry_run })

    expect(answer).toEqual(planned)
  })
})
