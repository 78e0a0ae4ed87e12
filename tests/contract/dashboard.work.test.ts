// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventsOf, type WireEvent } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { failed } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const updates = { plugins: 2, themes: 1, core: true }
const extension = (slug: string) => ({
  slug,
  name: slug,
  version: '1.0',
  active: true,
  update: null,
})
const inventory = {
  wp_version: '6.8.1',
  plugins: ['akismet', 'hello', 'shop'].map(extension),
  themes: [extension('twentytwentyfive')],
  core_update: '6.8.2',
  updates,
}

describe('work on an agent', () => {
  const agent = new FakeAgent()
  afterAll(() => agent.stop())
  const { client } = useDashboard()
  const events = async (operation: string | null, seen = 0) => {
    const path = `/api/operations/${operation}/events`
    const answer = await client().send({ path, headers: { 'last-event-id': String(seen) } })
    return eventsOf(answer.text)
  }
  const siteOf = async (id: number) => {
    const { body } = await client().get(`/api/fleet/sites/${id}`)
    return (body as { site: { status: string; status_reason: string; user: string } }).site
  }
  /** A site that the agent has made. */
  const makeSite = async (domain: string) => {
    agent.says('site.create', { lines: ['one', 'two'], complete: { domain } })
    const answer = await client().post('/api/servers/1/sites', { domain, tls: 'none' })
    const reported = await events(answer.headers.get('operation-id'))
    const { site } = answer.body as { site: { id: number } }
    return { id: site.id, reported }
  }
  beforeAll(async () => {
    agent.answers.set('/sites/db-password', async (request) =>
      Response.json({ password: `secret of ${(await request.json()).domain}` }),
    )
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  })

  test('creates a site, and its events are those of the agent', async () => {
    const { id, reported } = await makeSite('shop.example')

    expect(reported).toEqual([
      { id: 1, event: 'log', data: { message: 'one' } },
      { id: 2, event: 'log', data: { message: 'two' } },
      { id: 3, event: 'complete', data: { status: 'ok', domain: 'shop.example' } },
    ])
    expect((await siteOf(id)).status).toBe('active')
    const { body } = await client().get('/api/activity?type=site.create&domain=shop.example')
    expect((body as { activities: object[] }).activities).toMatchObject([{ status: 'success' }])
  })

  test('marks a site failed with a readable reason, and its stream ends with an error', async () => {
    const error = { error: 'Internal error', message: 'php-fpm refused the pool' }
    agent.says('site.create', { lines: ['one'], error })
    const answer = await client().post('/api/servers/1/sites', { domain: 'bad.example' })

    const reported = await events(answer.headers.get('operation-id'))

    expect(reported.at(-1)).toEqual({ id: 2, event: 'error', data: error })
    const { status, status_reason } = await siteOf(
      (answer.body as { site: { id: number } }).site.id,
    )
    expect({ status, status_reason }).toEqual({ status: 'failed', status_reason: error.message })
    const { body } = await client().get('/api/activity?domain=bad.example')
    expect((body as { activities: object[] }).activities).toMatchObject([{ status: 'failed' }])
  })

  test('scans a site as a stream that completes with wp_version and the number of plugins', async () => {
    const { id } = await makeSite('scan.example')
    agent.says('wp.scan', { lines: ['Reading'], complete: inventory })

    const answer = await client().post('/api/servers/1/wp-scan', { site_id: id })

    expect(answer.status).toBe(200)
    const expected: WireEvent[] = [
      { id: 1, event: 'log', data: { message: 'Reading' } },
      { id: 2, event: 'complete', data: { wp_version: '6.8.1', plugins: 3 } },
    ]
    expect(eventsOf(answer.text)).toEqual(expected)
    const { body } = await client().get('/api/servers/1/sites')
    const { sites } = body as { sites: { id: number }[] }
    expect(sites.find((site) => site.id === id)).toMatchObject({ wp_version: '6.8.1', updates })
  })

  test('applies a pool tier and answers status ok and a message that names the tier', async () => {
    const { id } = await makeSite('pool.example')
    agent.says('pool.apply', { lines: ['one'], complete: { tier: 'large' } })
    const { user } = await siteOf(id)
    for (const site of agent.sites) if (site.user === user) site.tier = 'large'
    const body = { user, php_version: '8.2', tier: 'large' }

    const answer = await client().post('/api/servers/1/pool-apply', body)

    const message = expect.stringContaining('large')
    expect(answer).toAnswer({ status: 200, answer: { status: 'ok', message } })
    const { body: detail } = await client().get(`/api/servers/1/sites/${id}`)
    expect((detail as { site: { tier: string } }).site.tier).toBe('large')
  })

  test('reads the password of a database and writes it nowhere', async () => {
    const { id } = await makeSite('secret.example')

    const answer = await client().post(`/api/servers/1/sites/${id}/db-password`)

    const password = 'secret of secret.example'
    expect(answer).toAnswer({ status: 200, answer: { password } })
    for (const path of [
      '/api/activity',
      '/api/fleet',
      `/api/fleet/sites/${id}`,
      '/api/operations',
    ]) {
      expect((await client().get(path)).text).not.toContain('secret of')
    }
    const { body } = await client().get('/api/activity?domain=secret.example&limit=1')
    expect((body as { activities: object[] }).activities).toMatchObject([
      { domain: 'secret.example', status: 'success' },
    ])
  })

  test('refuses a PHP version that the server does not report: 422 on php', async () => {
    const complete = { php_versions: ['8.2', '8.3'] }
    agent.says('server.provision', { lines: ['one'], complete })
    // A sync of the server may come before the next call.
    agent.services = complete.php_versions.map((version) => ({
      name: `php${version}`,
      status: 'running',
    }))
    const provisioned = await client().post('/api/servers/1/provision', {})
    expect(eventsOf(provisioned.text).at(-1)?.data).toEqual({ status: 'ok', ...complete })

    const answer = await client().post('/api/servers/1/sites', { domain: 'a.example', php: '7.4' })

    expect(answer).toAnswer({
      status: 422,
      answer: failed({ php: [expect.stringContaining('8.3')] }),
    })
  })

  test('continues without viewers, and resumes for returning ones', async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    agent.says('site.create', { lines: ['one', 'two'], complete: { domain: 'w.example' }, hold })
    const created = await client().post('/api/servers/1/sites', { domain: 'w.example', php: '8.2' })
    const operation = created.headers.get('operation-id')
    const leaving = new AbortController()
    const path = `/api/operations/${operation}/events`
    const stream = await client().open({ path }, leaving.signal)
    expect(await seen(stream, 'id: 2\n')).toContain('"two"')
    leaving.abort()

    const rest = events(operation, 2)
    release()

    expect(await rest).toEqual([
      { id: 3, event: 'complete', data: { status: 'ok', domain: 'w.example' } },
    ])
    expect(agent.began.filter((work) => work.includes('w.example'))).toHaveLength(1)
  })

  test('runs once at a time for a site: another is 409', async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    const { id } = await makeSite('busy.example')
    for (const site of agent.sites) if (site.domain === 'busy.example') site.php = '8.3'
    agent.says('site.update', {
      complete: { domain: 'busy.example', php: '8.3', tier: 'small' },
      hold,
    })
    const changed = await client().patch(`/api/servers/1/sites/${id}`, { php: '8.3' })
    expect(changed.status).toBe(202)

    const second = await client().send({ method: 'DELETE', path: `/api/servers/1/sites/${id}` })

    const message = expect.any(String)
    expect(second).toAnswer({ status: 409, answer: { error: 'Conflict', message } })
    release()
    await events(changed.headers.get('operation-id'))
    const { body } = await client().get(`/api/servers/1/sites/${id}`)
    expect((body as { site: { php: string } }).site.php).toBe('8.3')
  })
})

/** Reads until the text is there. */
async function seen(response: Response, wanted: string): Promise<string> {
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk)
    if (text.includes(wanted)) return text
  }
  return text
}
