// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { ADMIN } from '#tests/support/processes.ts'
import { failed, notFound, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const systemUser = expect.stringMatching(/^[a-z_][a-z0-9_-]{0,31}$/)
const sites = '/api/servers/1/sites'
const created = (id: number, domain: string) => ({
  site: { id, domain, status: 'provisioning' },
})
const updates = { plugins: 0, themes: 0, core: false }

const rows: Row[] = [
  row('There are no sites at first').get(sites).answers(200, { sites: [] }),
  row('Creating a site answers 201 at once with id, domain and status provisioning')
    .post(sites, {
      domain: 'shop.example',
      php: '8.3',
      tier: 'large',
      tls: 'none',
      email: 'b@c.example',
    })
    .answers(201, created(1, 'shop.example'), { 'operation-id': /^[A-Za-z0-9_-]{1,64}$/ }),
  row('Only the domain is required; its canonical form is what counts')
    .post(sites, { domain: ' MÜNCHEN.Example. ', id: 99, status: 'active', user: 'munich' })
    .answers(201, created(2, 'xn--mnchen-3ya.example')),
  row('A site of www. is one too')
    .post(sites, { domain: 'www.blog.example' })
    .answers(201, created(3, 'www.blog.example')),
  row('The list has the list fields of each site, defaults included')
    .get(sites)
    .answers(200, {
      sites: [
        { id: 1, domain: 'shop.example', php: '8.3', tier: 'large', tls: 'none' },
        { id: 2, domain: 'xn--mnchen-3ya.example', ...defaults() },
        { id: 3, domain: 'www.blog.example', ...defaults() },
      ].map((site) => ({ ...site, user: systemUser, wp_version: '', updates })),
    }),
  row('The detail of a site has the detail fields')
    .get(`${sites}/1`)
    .answers(200, {
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
    }),
  row('The detail of a site over another server is 404')
    .get('/api/servers/2/sites/1')
    .answers(404, notFound('Site')),
  row('The sites of another server are none')
    .get('/api/servers/2/sites')
    .answers(200, { sites: [] }),
  row('The sites of an unknown server are 404')
    .get('/api/servers/9/sites')
    .answers(404, notFound('Server')),
  row('Creating a site without a domain is 422 on domain')
    .post(sites, {})
    .answers(422, failed({ domain: ['Domain is required'] })),
  row('Creating a site with a tier other than small, medium, large is 422 on tier')
    .post(sites, { domain: 'free.example', tier: 'huge' })
    .answers(422, failed({ tier: ['Must be small, medium or large'] })),
]

describe('sites', () => {
  const { client } = useDashboard()
  beforeAll(async () => {
    // Port 1 refuses connections: the agents are offline, and no machine is touched.
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers', { hostname: 'web2.example.com' })
  })

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

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
