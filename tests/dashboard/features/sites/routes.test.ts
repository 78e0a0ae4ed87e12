import { afterAll, describe, expect, test as plainTest } from 'bun:test'
import { listSiteRows } from '#dashboard/features/servers/sync/queries.ts'
import { planSync } from '#dashboard/features/servers/sync/sync-plan.ts'
import { ROUTES } from '#dashboard/routes.ts'
import {
  type Dashboard,
  makeDashboard,
  agentTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { created, found } from '#tests/support/found-sites.ts'

const refused = {
  status: 409,
  body: {
    error: 'Conflict',
    message: 'plain.example was found, not created by Hosting Control',
    code: 'site_not_managed',
  },
}

const inventory = {
  wp_version: '6.9.1',
  plugins: [{ slug: 'seo', name: 'SEO', version: '1.0', active: true, update: '1.1' }],
  themes: [],
  core_update: null,
  updates: { plugins: 1, themes: null, core: false },
}

/** A server with a found site, a created one, and an agent that would do all that it is asked. */
async function mixed(dashboard: Dashboard, agent: FakeAgent) {
  agent.sites = [found('plain.example', { user: 'plain' })]
  agent.works.set('wp.scan', async function* () {
    yield 'Reading'
    return inventory
  })
  agent.works.set('pool.apply', async function* ({ tier }) {
    yield 'Applying'
    return { status: 'ok', tier }
  })
  agent.answers.set('/sites/db-password', () => Response.json({ password: 'of plain' }))
  const id = await dashboard.addServer(agent)
  await sync(dashboard, id)
  await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'made.example' })
  await until(async () => (await siteOf(dashboard, 2)).status === 'active')
  return `/api/servers/${id}`
}

const sync = async (dashboard: Dashboard, id = 1) =>
  (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()

const siteOf = async (dashboard: Dashboard, id: number) =>
  (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site

async function siteOn(dashboard: Dashboard, agent: FakeAgent) {
  agent.works.set('pool.apply', async function* ({ tier }) {
    yield 'Applying'
    return { status: 'ok', tier }
  })
  agent.works.set('wp.scan', async function* () {
    yield 'Reading'
    return inventory
  })
  agent.works.set('cache.purge', async function* ({ domain }) {
    yield 'Purging'
    return { status: 'ok', domain }
  })
  const id = await dashboard.addServer(agent)
  await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'shop.example' })
  const site = await until(async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    return body.site.status === 'active' && body.site
  })
  return { server: `/api/servers/${id}`, user: site.user }
}

const offline = {
  error: 'Agent offline',
  message: expect.stringContaining('refused the connection'),
}

describe('applying a pool', () => {
  test('answers after completion, and the site has the tier', async ({ agent, dashboard }) => {
    const { server, user } = await siteOn(dashboard, agent)
    const body = { user, php_version: '8.2', tier: 'medium' }

    const answer = await dashboard.call('POST', `${server}/pool-apply`, body)

    const list = await dashboard.call('GET', `${server}/sites`)
    expect(answer).toEqual({
      status: 200,
      body: { status: 'ok', message: `Applied tier medium to the PHP 8.2 pool of ${user}` },
    })
    expect(list.body.sites[0].tier).toBe('medium')
  })

  test('refuses an unknown tier on tier', async ({ agent, dashboard }) => {
    const { server, user } = await siteOn(dashboard, agent)
    const pool = { user, php_version: '8.2', tier: 'huge' }

    expect((await dashboard.call('POST', `${server}/pool-apply`, pool)).body).toEqual({
      error: 'Validation failed',
      fields: { tier: ['Must be small, medium or large'] },
    })
  })

  test('asks the agent about a user that the records do not have', async ({ agent, dashboard }) => {
    const { server } = await siteOn(dashboard, agent)
    const pool = { user: 'newer', php_version: '8.2', tier: 'large' }

    const applied = await dashboard.call('POST', `${server}/pool-apply`, pool)
    const missing = { error: 'Not found', message: 'PHP 8.2 pool of newer not found' }
    agent.answers.set('/exec', () => Response.json(missing, { status: 404 }))
    const unknown = await dashboard.call('POST', `${server}/pool-apply`, pool)

    const message = 'Applied tier large to the PHP 8.2 pool of newer'
    expect(applied).toEqual({ status: 200, body: { status: 'ok', message } })
    expect(unknown).toEqual({ status: 404, body: missing })
    expect(agent.began.filter((line) => line.startsWith('pool.apply'))).toEqual([
      `pool.apply ${JSON.stringify(pool)}`,
    ])
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(body.site.tier).toBe('small')
  })

  test('is 503 when the agent is offline, and nothing waits for it', async ({
    agent,
    dashboard,
  }) => {
    const { server, user } = await siteOn(dashboard, agent)
    await agent.stop()
    const body = { user, php_version: '8.2', tier: 'medium' }

    const answer = await dashboard.call('POST', `${server}/pool-apply`, body)

    const left = await dashboard.call('GET', '/api/operations?type=pool.apply')
    expect(answer).toEqual({ status: 503, body: offline })
    expect(left.body.operations).toMatchObject([{ status: 'failed' }])
  })

  test('returns the message of the agent', async ({ agent, dashboard }) => {
    const { server, user } = await siteOn(dashboard, agent)
    const refusal = { error: 'Not found', message: 'PHP 7.4 pool not found' }
    agent.answers.set('/exec', () => Response.json(refusal, { status: 404 }))
    const body = { user, php_version: '7.4', tier: 'medium' }

    const answer = await dashboard.call('POST', `${server}/pool-apply`, body)

    expect(answer).toEqual({ status: 404, body: refusal })
  })
})

describe('a WordPress scan', () => {
  test('streams, counts the plugins, and is stored', async ({ agent, dashboard }) => {
    const { server } = await siteOn(dashboard, agent)

    const response = await dashboard.send('POST', `${server}/wp-scan`, { site_id: 1 })

    const text = (await response.text()).replaceAll(': ping\n\n', '')
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(text).toBe(
      'id: 1\nevent: log\ndata: {"message":"Reading"}\n\n' +
        'id: 2\nevent: complete\ndata: {"wp_version":"6.9.1","plugins":1}\n\n',
    )
    expect(body.site).toMatchObject({ wp_version: '6.9.1', inventory, updates: inventory.updates })
  })

  test('joins the running one', async ({ agent, dashboard }) => {
    const { server } = await siteOn(dashboard, agent)
    const held = Promise.withResolvers<void>()
    agent.works.set('wp.scan', async function* () {
      yield 'Reading'
      await held.promise
      return inventory
    })
    const scan = () => dashboard.send('POST', `${server}/wp-scan`, { site_id: 1 })

    const [one, two] = await Promise.all([scan(), scan()])
    held.resolve()

    expect(one.headers.get('operation-id')).toBe(two.headers.get('operation-id'))
    expect(await one.text()).toBe(await two.text())
  })

  test('is for an operator of the site, too', async ({ agent, dashboard }) => {
    const { server } = await siteOn(dashboard, agent)
    agent.works.set('wp.scan', async function* () {
      yield 'Reading'
      return inventory
    })
    const part = { gives: 'operator', tag: null, server_id: null, site_id: 1 } as const
    const headers = await dashboard.signInWith([], [part])

    const scan = await dashboard.send('POST', `${server}/sites/1/scan`, undefined, headers)

    expect([scan.status, (await scan.text()).split('\n').at(-3)]).toEqual([
      200,
      'data: {"wp_version":"6.9.1","plugins":1}',
    ])
    const ofServer = await dashboard.call('POST', `${server}/wp-scan`, { site_id: 1 }, headers)
    expect(ofServer.status).toBe(403)
  })

  test('of a missing site is 404, of an offline agent 503', async ({ agent, dashboard }) => {
    const { server } = await siteOn(dashboard, agent)
    await agent.stop()
    const scan = (site_id: unknown) => dashboard.call('POST', `${server}/wp-scan`, { site_id })

    expect((await scan(7)).status).toBe(404)
    expect((await scan('1')).status).toBe(422)
    expect(await scan(1)).toEqual({ status: 503, body: offline })
  })
})

describe('a password', () => {
  test('is returned and recorded only as read', async ({ agent, dashboard }) => {
    const { server } = await siteOn(dashboard, agent)
    agent.answers.set('/sites/db-password', () => Response.json({ password: 'marker-4711' }))
    const path = `${server}/sites/1/db-password`

    const response = await dashboard.send('POST', path)

    const { body } = await dashboard.call('GET', '/api/activity?limit=1')
    expect(await response.json()).toEqual({ password: 'marker-4711' })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(body.activities).toMatchObject([{ type: 'site.db_password', status: 'success' }])
    expect(dashboard.log.join('')).not.toContain('marker-4711')
    await dashboard.db.write((queries) => queries.run('PRAGMA wal_checkpoint(TRUNCATE)'))
    expect(await Bun.file(`${dashboard.folder}/test.db`).text()).not.toContain('marker-4711')
  })
})

test('purging a cache answers after completion', async ({ agent, dashboard }) => {
  const { server } = await siteOn(dashboard, agent)

  expect(await dashboard.call('POST', `${server}/sites/1/cache-purge`)).toEqual({
    status: 200,
    body: { status: 'ok', message: 'Emptied the page cache of shop.example' },
  })
})

describe('a certificate', () => {
  test('is issued as a stream, and recorded for the site', async ({ agent, dashboard }) => {
    agent.works.set('tls.issue', async function* ({ domain, tls }) {
      yield 'Issuing'
      return { status: 'ok', domain, tls, expires_at: '2026-05-30T09:30:00.000Z' }
    })
    const { server } = await siteOn(dashboard, agent)

    const response = await dashboard.send('POST', `${server}/sites/1/tls`, { tls: 'self-signed' })

    expect(await response.text()).toEndWith(
      'event: complete\ndata: {"status":"ok","domain":"shop.example","tls":"self-signed","expires_at":"2026-05-30T09:30:00.000Z"}\n\n',
    )
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(body.site).toMatchObject({
      tls: 'self-signed',
      certificate_expires_at: '2026-05-30T09:30:00.000Z',
    })
  })
})

const types = async (dashboard: Dashboard) => {
  const { body } = await dashboard.call('GET', '/api/activity?domain=plain.example')
  return body.activities.map(({ type, status }: Record<string, string>) => `${type} ${status}`)
}

describe('a discovered site', () => {
  test('has no pool to resize, says the agent', async ({ agent, dashboard }) => {
    const server = await mixed(dashboard, agent)
    const pool = { user: 'plain', php_version: '8.2', tier: 'large' }
    const { error, message } = refused.body
    agent.answers.set('/exec', () => Response.json({ error, message }, { status: 409 }))

    const answer = await dashboard.call('POST', `${server}/pool-apply`, pool)

    expect(answer).toEqual({ status: 409, body: { error, message } })
  })

  test('is scanned, and its database password is read', async ({ agent, dashboard }) => {
    const server = await mixed(dashboard, agent)

    const scan = await dashboard.send('POST', `${server}/wp-scan`, { site_id: 1 })
    const password = await dashboard.call('POST', `${server}/sites/1/db-password`)

    expect(await scan.text()).toContain('event: complete')
    expect(password).toEqual({ status: 200, body: { password: 'of plain' } })
    expect(await siteOf(dashboard, 1)).toMatchObject({
      ...{ managed: false, found: true, tier: null, health: null },
      ...{ inventory, updates: { plugins: 1, themes: null, core: false } },
    })
    expect(await types(dashboard)).toEqual(['site.db_password success', 'site.scan success'])
  })

  test('becomes a managed site when its agent reports that it created it', async ({
    agent,
    dashboard,
  }) => {
    const server = await mixed(dashboard, agent)
    agent.usage = [created('plain.example')]
    agent.sites = [...agent.sites, found('made.example')]

    await sync(dashboard)

    expect(await siteOf(dashboard, 1)).toMatchObject({
      managed: false,
      found: false,
      tier: 'small',
    })
    const pool = { user: 'plain', php_version: '8.2', tier: 'large' }
    expect((await dashboard.call('POST', `${server}/pool-apply`, pool)).status).toBe(200)
  })
})

describe('an unknown value of a discovered site', () => {
  test('is stored with its reason until it is known, and is not a change', async ({
    agent,
    dashboard,
  }) => {
    const unknown = { php: 'no_pool', tls: 'certificate_unreadable' }
    agent.sites = [found('plain.example', { php: '', closed: true, unknown })]
    await dashboard.addServer(agent)
    await sync(dashboard)
    expect(await siteOf(dashboard, 1)).toMatchObject({ closed: true, unknown })
    const before = await listSiteRows(dashboard.db, 1)
    const sites = new Map(agent.sites.map((site) => [site.domain, site]))
    expect((await planSync(before, { sites, whole: true })).updates).toEqual([])

    agent.sites = [found('plain.example', { php: '8.2' })]
    await sync(dashboard)

    expect(await siteOf(dashboard, 1)).toMatchObject({ closed: false, unknown: {}, php: '8.2' })
  })
})

describe('bulk operations', () => {
  test('skip discovered sites with the reason, in the plan and in the outcome', async ({
    agent,
    dashboard,
  }) => {
    await mixed(dashboard, agent)
    const plain = { server_id: 1, site_id: 1, domain: 'plain.example', error: refused.body }
    const made = { server_id: 1, site_id: 2, domain: 'made.example' }
    const call = { type: 'pool.apply', params: { tier: 'large' } }

    for (const targets of [{ site_ids: [1, 2] }, { server_ids: [1] }]) {
      const planned = { ...call, targets, dry_run: true }
      expect(await dashboard.call('POST', '/api/bulk-operations', planned)).toEqual({
        status: 200,
        body: { targets: [made], skipped: [plain] },
      })
    }
    const { body } = await dashboard.call('POST', '/api/bulk-operations', {
      ...call,
      targets: { site_ids: [1, 2] },
    })
    const path = `/api/bulk-operations/${body.bulk_operation.id}`
    const bulk = await until(async () => {
      const { bulk_operation } = (await dashboard.call('GET', path)).body
      return bulk_operation.finished_at !== null && bulk_operation
    })

    expect([bulk.status, bulk.counts]).toEqual([
      'success',
      { total: 2, waiting: 0, running: 0, success: 1, failed: 0, cancelled: 0, skipped: 1 },
    ])
    const { items } = (await dashboard.call('GET', `${path}/items?status=skipped`)).body
    expect(items).toEqual([{ position: 2, status: 'skipped', operation_id: null, ...plain }])
  })

  test('are refused for discovered sites alone', async ({ agent, dashboard }) => {
    await mixed(dashboard, agent)
    const call = { type: 'site.delete', targets: { site_ids: [1] } }

    expect(await dashboard.call('POST', '/api/bulk-operations', call)).toEqual(refused)
    expect((await siteOf(dashboard, 1)).status).toBe('active')
  })

  test('scan all sites of a server, including discovered ones', async ({ agent, dashboard }) => {
    await mixed(dashboard, agent)
    const call = { type: 'site.scan', targets: { server_ids: [1] }, dry_run: true }

    const { body } = await dashboard.call('POST', '/api/bulk-operations', call)

    expect(body.targets.map(({ domain }: { domain: string }) => domain)).toEqual([
      'plain.example',
      'made.example',
    ])
    expect(body.skipped).toEqual([])
  })
})

/** One for all tests whose calls are refused. */
let kept: Promise<{ agent: FakeAgent; dashboard: Dashboard }> | undefined

const refusing = () => {
  kept ??= (async () => {
    const agent = new FakeAgent()
    const dashboard = await makeDashboard()
    await mixed(dashboard, agent)
    return { agent, dashboard }
  })()
  return kept
}

afterAll(async () => {
  const { agent, dashboard } = await refusing()
  await dashboard[Symbol.asyncDispose]()
  await agent[Symbol.asyncDispose]()
})

const READ = [
  'GET /api/fleet/sites/:site_id',
  'GET /api/client/sites/:site_id',
  'GET /api/servers/:server_id/sites/:site_id/rights',
  'DELETE /api/servers/:server_id/sites/:site_id/backups/request',
  'POST /api/servers/:server_id/sites/:site_id/db-password',
  'POST /api/servers/:server_id/sites/:site_id/scan',
  'PUT /api/servers/:server_id/sites/:site_id/ignored',
  'GET /api/servers/:server_id/sites/:site_id',
]

const INPUTS: Record<string, object> = {
  'PATCH /api/servers/:server_id/sites/:site_id': { php: '8.2' },
  'POST /api/servers/:server_id/sites/:site_id/tls': { tls: 'none' },
  'POST /api/servers/:server_id/sites/:site_id/purge': { domain: 'plain.example' },
}

plainTest.each(
  ROUTES.map(({ at }) => at).filter(
    (route) => route.includes('/sites/:site_id') && !READ.includes(route),
  ),
)('a discovered site refuses %s, planned or not, and its agent is not asked', async (route) => {
  const { agent, dashboard } = await refusing()
  const before = agent.asked.length
  const [method = '', path = ''] = route.split(' ')
  const place = path.replace(':server_id', '1').replace(':site_id', '1')
  const input = method === 'GET' ? undefined : INPUTS[route]

  expect(await dashboard.call(method, place, input)).toEqual(refused)
  if (method !== 'GET')
    expect(await dashboard.call(method, place, { ...input, dry_run: true })).toEqual(refused)
  const { body } = await dashboard.call('GET', '/api/operations?site_id=1')
  expect([body.operations, agent.asked.length - before]).toEqual([[], 0])
})
