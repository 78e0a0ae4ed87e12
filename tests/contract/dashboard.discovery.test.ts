// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { eventsOf } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const unknown = { plugins: null, themes: null, core: null }
const blog: FoundSite = {
  domain: 'blog.example',
  user: 'blog',
  docroot: '/srv/www/blog/public',
  php: '8.3',
  tier: 'medium',
  tls: 'self-signed',
  framework: 'wordpress',
  wp_version: '6.8.1',
  db_name: 'blog',
  updates: { plugins: 3, themes: 1, core: true },
}
const plain: FoundSite = {
  ...blog,
  domain: 'plain.example',
  user: 'www-data',
  docroot: '/var/www/html',
  php: '',
  tls: 'none',
  framework: 'static',
  wp_version: '',
  db_name: '',
  updates: unknown,
}

describe('sites that an agent finds', () => {
  const agent = new FakeAgent()
  afterAll(() => agent.stop())
  const { client } = useDashboard()
  const sync = async () => eventsOf((await client().post('/api/servers/1/sync')).text).at(-1)?.data
  const statuses = async () => {
    const { body } = await client().get('/api/fleet/sites')
    const { sites } = body as { sites: { domain: string; status: string }[] }
    return Object.fromEntries(sites.map(({ domain, status }) => [domain, status]))
  }
  beforeAll(async () => {
    agent.sites = [blog, plain]
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await sync()
  })

  test('are counted by the sync and by the server', async () => {
    expect(await sync()).toEqual({ status: 'ok', sites: 2 })
    const { body } = await client().get('/api/servers')
    const counts = (body as { servers: { sites_count: number }[] }).servers
    expect(counts.map(({ sites_count }) => sites_count)).toEqual([2, 0])
  })

  test('are listed in their exact shape, with unknown updates as null', async () => {
    const answer = await client().get('/api/servers/1/sites')

    const listed = ({ docroot: _, framework: __, db_name: ___, ...site }: FoundSite) => site
    const updates = { plugins: 0, themes: 0, core: false }
    expect(answer).toAnswer({
      status: 200,
      answer: {
        sites: [
          { id: 1, ...listed(blog) },
          { id: 2, ...listed(plain), updates },
        ],
      },
    })
  })

  test('are shown in detail as the agent reported them', async () => {
    const { updates: _, ...returned } = blog

    const answer = await client().get('/api/servers/1/sites/1')

    expect(answer).toAnswer({
      status: 200,
      answer: { site: { id: 1, ...returned, created_at: moment } },
    })
  })

  test('take no domain on another server, and both show the other one', async () => {
    const { body } = await client().post('/api/servers/2/sites', { domain: 'www.plain.example' })

    const { id } = (body as { site: { id: number } }).site
    const others = async (site: number) => {
      const answer = await client().get(`/api/fleet/sites/${site}`)
      return (answer.body as { site: { also_on: object[] } }).site.also_on
    }
    const server = '127.0.0.1'
    expect(await others(2)).toEqual([{ site_id: id, server_id: 2, server }])
    expect(await others(id)).toEqual([{ site_id: 2, server_id: 1, server }])
    await client().send({ method: 'DELETE', path: `/api/servers/2/sites/${id}` })
  })

  test('are missing when the agent does not find them, and active when it finds them again', async () => {
    agent.sites = []
    expect(await sync()).toEqual({ status: 'ok', sites: 0 })
    expect(await statuses()).toEqual({ 'blog.example': 'missing', 'plain.example': 'missing' })
    expect((await client().get('/api/servers/1/sites/1')).status).toBe(200)

    agent.sites.push({ ...blog, wp_version: '6.9' })
    expect(await sync()).toEqual({ status: 'ok', sites: 1 })

    expect(await statuses()).toEqual({ 'blog.example': 'active', 'plain.example': 'missing' })
    const { body } = await client().get('/api/servers/1/sites/1')
    expect((body as { site: { wp_version: string } }).site.wp_version).toBe('6.9')
  })

  test('do not affect a site that is being created', async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    agent.says('site.create', { lines: ['one'], complete: { domain: 'new.example' }, hold })
    const created = await client().post('/api/servers/1/sites', { domain: 'new.example' })
    agent.sites = []

    await sync()

    expect((await statuses())['new.example']).toBe('provisioning')
    release()
    const path = `/api/operations/${created.headers.get('operation-id')}/events`
    expect(eventsOf((await client().get(path)).text).at(-1)?.event).toBe('complete')
  })

  test('of a malicious agent change nothing: its answer is refused', async () => {
    const before = await statuses()
    for (const lie of [
      { domain: '../../etc' },
      { tier: 'huge' },
      { framework: 'x'.repeat(10) },
      { updates: { plugins: -1, themes: 0, core: false } },
      { docroot: 7 },
    ]) {
      agent.sites = [{ ...blog, ...lie } as FoundSite]

      const returned = await sync()

      expect({ lie, returned }).toMatchObject({
        lie,
        returned: { error: 'Agent offline' },
      } as never)
    }
    expect((await statuses())['blog.example']).toBe(before['blog.example'] ?? '')
  })
})
