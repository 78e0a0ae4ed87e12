// tier: core
import { describe, expect, test } from 'bun:test'
import { failed, failedOn, notFound, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const given = {
  name: 'Web 1',
  hostname: 'Web1.Example.com',
  port: 9443,
  user: 'deploy',
  tags: ['production', 'eu'],
}
const noMetrics = { cpu: 0, ram: { used: 0, total: 0, unit: 'MB' } }
const unknown = { os: '', version: '', sites_count: 0 }
const first = { id: 1, ...given, hostname: 'web1.example.com', ...unknown }
const second = { id: 2, name: '192.0.2.7', hostname: '192.0.2.7', ...unknown }

const rows: Row[] = [
  row('There are no servers at first')
    .get('/api/servers')
    .answers(
      200,
      { servers: [] },
      { 'content-type': /^application\/json/, 'cache-control': 'no-store' },
    ),
  row('Creating a server answers 201 with id, name and status pending, and no more')
    .post('/api/servers', given)
    .answers(201, { server: { id: 1, name: 'Web 1', status: 'pending' } }),
  row('Only the hostname is required; unknown fields are ignored')
    .post('/api/servers', {
      hostname: ' 192.0.2.7 ',
      id: 99,
      status: 'online',
      os: 'x',
      __proto: 1,
    })
    .answers(201, { server: { id: 2, name: '192.0.2.7', status: 'pending' } }),
  row('A name of 64 characters of any script, a port of 65535 and no tags are taken')
    .post('/api/servers', { hostname: '2001:DB8::1', name: 'é'.repeat(64), port: 65535, tags: [] })
    .answers(201, { server: { id: 3, name: 'é'.repeat(64), status: 'pending' } }),
  row('The list has the list fields of each server, defaults included')
    .get('/api/servers')
    .answers(200, {
      servers: [
        { ...first, last_sync: null },
        { ...second, port: 8443, user: 'root', tags: [], last_sync: null },
        {
          id: 3,
          name: 'é'.repeat(64),
          hostname: '2001:db8::1',
          port: 65535,
          user: 'root',
          tags: [],
          ...unknown,
          last_sync: null,
        },
      ],
    }),
  row('The detail of a server has the detail fields, with metrics of 0 before any reading')
    .get('/api/servers/1')
    .answers(200, {
      server: {
        id: 1,
        name: 'Web 1',
        hostname: 'web1.example.com',
        port: 9443,
        tags: ['production', 'eu'],
        ...unknown,
        metrics: noMetrics,
      },
    }),
  row('The detail of an unknown server is 404')
    .get('/api/servers/4')
    .answers(404, notFound('Server')),
  row('An update answers id, name and tags, and no more')
    .patch('/api/servers/1', { name: ' Web One ', tags: ['eu', ' blue '] })
    .answers(200, { server: { id: 1, name: 'Web One', tags: ['eu', 'blue'] } }),
  row('An update of hostname, port and user answers the same three fields')
    .patch('/api/servers/1', {
      hostname: 'web9.example.com',
      port: 1,
      user: 'admin',
      id: 7,
      os: 'x',
      status: 'x',
    })
    .answers(200, { server: { id: 1, name: 'Web One', tags: ['eu', 'blue'] } }),
  row('An update of nothing changes nothing')
    .patch('/api/servers/1', {})
    .answers(200, { server: { id: 1, name: 'Web One', tags: ['eu', 'blue'] } }),
  row('Updates are there when they are read again')
    .get('/api/servers/1')
    .answers(200, {
      server: {
        id: 1,
        name: 'Web One',
        hostname: 'web9.example.com',
        port: 1,
        tags: ['eu', 'blue'],
        ...unknown,
        metrics: noMetrics,
      },
    }),
  row('An update of an unknown server is 404')
    .patch('/api/servers/4', { name: 'x' })
    .answers(404, notFound('Server')),
  row('Creating a server without a hostname is 422 on hostname')
    .post('/api/servers', { name: 'Web 3' })
    .answers(422, failed({ hostname: ['Hostname is required'] })),
  row('A hostname in the prototype of the body is none')
    .post('/api/servers', '{"__proto__":{"hostname":"web3"},"constructor":{"hostname":"web3"}}', {
      'content-type': 'application/json',
    })
    .answers(422, failed({ hostname: ['Hostname is required'] })),
  row('Every field that fails is named')
    .post('/api/servers', { name: '', hostname: '', port: 0, user: 'Root', tags: 'x' })
    .answers(422, failedOn('name', 'hostname', 'port', 'user', 'tags')),
]

describe('servers', () => {
  const { client } = useDashboard()

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('a deleted server is removed with its sites, and its id is not used again', async () => {
    await client().post('/api/servers/2/sites', { domain: 'gone.example' })

    expect((await client().send({ method: 'DELETE', path: '/api/servers/2' })).status).toBe(204)

    for (const path of ['/api/servers/2', '/api/servers/2/sites', '/api/servers/2/sites/1']) {
      const { status, body } = await client().get(path)
      expect({ path, status, body }).toEqual({ path, status: 404, body: notFound('Server') })
    }
    const { body } = await client().post('/api/servers', { hostname: 'web2' })
    expect(body).toEqual({ server: { id: expect.any(Number), name: 'web2', status: 'pending' } })
    const { id } = (body as { server: { id: number } }).server
    expect(id).toBeGreaterThan(3)
    const again = await client().post(`/api/servers/${id}/sites`, { domain: 'gone.example' })
    expect(again.status).toBe(201)
  })

  test('twenty concurrent creations are twenty servers', async () => {
    const hosts = Array.from({ length: 20 }, (_, index) => `many${index}.example.com`)

    const answers = await Promise.all(
      hosts.map((hostname) => client().post('/api/servers', { hostname })),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const { body } = await client().get('/api/servers')
    const { servers } = body as { servers: { hostname: string }[] }
    expect(servers.map(({ hostname }) => hostname)).toEqual(expect.arrayContaining(hosts))
  })
})
