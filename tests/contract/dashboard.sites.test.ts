// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { ADMIN } from '#tests/support/processes.ts'
import { checkRows, failed, notFound, type Row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const systemUser = expect.stringMatching(/^[a-z_][a-z0-9_-]{0,31}$/)
const sites = '/api/servers/1/sites'
const create = { method: 'POST', path: sites }
const created = (id: number, domain: string) => ({
  site: { id, domain, status: 'provisioning' },
})
const updates = { plugins: 0, themes: 0, core: false }

const rows: Row[] = [
  {
    sentence: 'There are no sites at first',
    path: sites,
    status: 200,
    answer: { sites: [] },
  },
  {
    sentence: 'Creating a site answers 201 at once with id, domain and status provisioning',
    ...create,
    body: { domain: 'shop.example', php: '8.3', tier: 'large', tls: 'none', email: 'b@c.example' },
    status: 201,
    answer: created(1, 'shop.example'),
    answerHeaders: { 'operation-id': /^[A-Za-z0-9_-]{1,64}$/ },
  },
  {
    sentence: 'Only the domain is required; its canonical form is what counts',
    ...create,
    body: { domain: ' MÜNCHEN.Example. ', id: 99, status: 'active', user: 'munich' },
    status: 201,
    answer: created(2, 'xn--mnchen-3ya.example'),
  },
  {
    sentence: 'A site of www. is one too',
    ...create,
    body: { domain: 'www.blog.example' },
    status: 201,
    answer: created(3, 'www.blog.example'),
  },
  {
    sentence: 'The list has the list fields of each site, defaults included',
    path: sites,
    status: 200,
    answer: {
      sites: [
        { id: 1, domain: 'shop.example', php: '8.3', tier: 'large', tls: 'none' },
        { id: 2, domain: 'xn--mnchen-3ya.example', ...defaults() },
        { id: 3, domain: 'www.blog.example', ...defaults() },
      ].map((site) => ({ ...site, user: systemUser, wp_version: '', updates })),
    },
  },
  {
    sentence: 'The detail of a site has the detail fields',
    path: `${sites}/1`,
    status: 200,
    answer: {
      site: {
        id: 1,
        domain: 'shop.example',
        user: systemUser,
        docroot: expect.any(String),
        php: '8.3',
        tier: 'large',
        tls: 'none',
        framework: expect.stringMatching(/^(wordpress|php|static|unknown)$/),
        wp_version: '',
        db_name: expect.any(String),
        created_at: moment,
      },
    },
  },
  {
    sentence: 'The detail of a site over another server is 404',
    path: '/api/servers/2/sites/1',
    status: 404,
    answer: notFound('Site'),
  },
  {
    sentence: 'The sites of another server are none',
    path: '/api/servers/2/sites',
    status: 200,
    answer: { sites: [] },
  },
  {
    sentence: 'The sites of an unknown server are 404',
    path: '/api/servers/9/sites',
    status: 404,
    answer: notFound('Server'),
  },
  {
    sentence: 'Creating a site without a domain is 422 on domain',
    ...create,
    body: {},
    status: 422,
    answer: failed({ domain: ['Domain is required'] }),
  },
  {
    sentence: 'Creating a site with a tier other than small, medium, large is 422 on tier',
    ...create,
    body: { domain: 'free.example', tier: 'huge' },
    status: 422,
    answer: failed({ tier: ['Must be small, medium or large'] }),
  },
]

describe('sites', () => {
  const { client } = useDashboard()
  beforeAll(async () => {
    // Port 1 refuses connections: the agents are offline, and no machine is touched.
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers', { hostname: 'web2.example.com' })
  })

  checkRows(client, rows)

  test('each site has its own system user, derived from its domain', async () => {
    const { body } = await client().get(sites)
    const users = (body as { sites: { user: string }[] }).sites.map(({ user }) => user)

    expect(new Set(users).size).toBe(users.length)
    expect(users[0]).toStartWith('shop')
  })

  test('the e-mail address of a site is the caller’s unless another is given', async () => {
    const emails = [
      await client().get('/api/fleet/sites/1'),
      await client().get('/api/fleet/sites/2'),
    ]

    const found = emails.map(({ body }) => (body as { site: { email: string } }).site.email)
    expect(found).toEqual(['b@c.example', ADMIN.email])
  })

  test('counts the sites of a server', async () => {
    const { body } = await client().get('/api/servers/1')

    expect((body as { server: { sites_count: number } }).server.sites_count).toBe(3)
  })
})

function defaults() {
  return { php: '8.2', tier: 'small', tls: 'letsencrypt' }
}
