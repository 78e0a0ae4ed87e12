import { describe, expect, test } from 'bun:test'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
  until,
} from '#tests/support/dashboard/dashboard.ts'

const inventory = {
  wp_version: '6.9.1',
  plugins: [{ slug: 'seo', name: 'SEO', version: '1.0', active: true, update: '1.1' }],
  themes: [],
  core_update: null,
  updates: { plugins: 1, themes: null, core: false },
}

async function siteOn(dashboard: Dashboard, agent: DisposableAgent) {
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
  test('answers after completion, and the site has the tier', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
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

  test('refuses an unknown tier on tier, and an unknown user', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const { server, user } = await siteOn(dashboard, agent)
    const apply = (change: object) =>
      dashboard.call('POST', `${server}/pool-apply`, {
        user,
        php_version: '8.2',
        tier: 'small',
        ...change,
      })

    expect((await apply({ tier: 'huge' })).body).toEqual({
      error: 'Validation failed',
      fields: { tier: ['Must be small, medium or large'] },
    })
    expect((await apply({ user: 'unknown' })).status).toBe(404)
  })

  test('is 503 when the agent is offline, and nothing waits for it', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const { server, user } = await siteOn(dashboard, agent)
    await agent.stop()
    const body = { user, php_version: '8.2', tier: 'medium' }

    const answer = await dashboard.call('POST', `${server}/pool-apply`, body)

    const left = await dashboard.call('GET', '/api/operations?type=pool.apply')
    expect(answer).toEqual({ status: 503, body: offline })
    expect(left.body.operations).toMatchObject([{ status: 'failed' }])
  })

  test('returns the message of the agent', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const { server, user } = await siteOn(dashboard, agent)
    const refusal = { error: 'Not found', message: 'PHP 7.4 pool not found' }
    agent.answers.set('/exec', () => Response.json(refusal, { status: 404 }))
    const body = { user, php_version: '7.4', tier: 'medium' }

    const answer = await dashboard.call('POST', `${server}/pool-apply`, body)

    expect(answer).toEqual({ status: 404, body: refusal })
  })
})

describe('a WordPress scan', () => {
  test('streams, counts the plugins, and is stored', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
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

  test('joins the running one', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
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

  test('of a missing site is 404, of an offline agent 503', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const { server } = await siteOn(dashboard, agent)
    await agent.stop()
    const scan = (site_id: unknown) => dashboard.call('POST', `${server}/wp-scan`, { site_id })

    expect((await scan(7)).status).toBe(404)
    expect((await scan('1')).status).toBe(422)
    expect(await scan(1)).toEqual({ status: 503, body: offline })
  })
})

describe('a password', () => {
  test('is returned and recorded only as read', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
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

test('purging a cache answers after completion', async () => {
  await using agent = new DisposableAgent()
  await using dashboard = await makeDashboard()
  const { server } = await siteOn(dashboard, agent)

  expect(await dashboard.call('POST', `${server}/sites/1/cache-purge`)).toEqual({
    status: 200,
    body: { status: 'ok', message: 'Emptied the page cache of shop.example' },
  })
})

describe('a certificate', () => {
  test('is issued as a stream, and recorded for the site', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
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
