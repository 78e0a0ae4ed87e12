// tier: core
import { describe, expect, test } from 'bun:test'
import { checkRows, failed, failedOn, notFound, type Row } from '#tests/support/rows.ts'
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
const create = { method: 'POST', path: '/api/servers' }

const rows: Row[] = [
  {
    sentence: 'There are no servers at first',
    path: '/api/servers',
    status: 200,
    answer: { servers: [] },
    answerHeaders: { 'content-type': /^application\/json/, 'cache-control': 'no-store' },
  },
  {
    sentence: 'Creating a server answers 201 with id, name and status pending, and no more',
    ...create,
    body: given,
    status: 201,
    answer: { server: { id: 1, name: 'Web 1', status: 'pending' } },
  },
  {
    sentence: 'Only the hostname is required; unknown fields are ignored',
    ...create,
    body: { hostname: ' 192.0.2.7 ', id: 99, status: 'online', os: 'x', __proto: 1 },
    status: 201,
    answer: { server: { id: 2, name: '192.0.2.7', status: 'pending' } },
  },
  {
    sentence: 'A name of 64 characters of any script, a port of 65535 and no tags are taken',
    ...create,
    body: { hostname: '2001:DB8::1', name: 'é'.repeat(64), port: 65535, tags: [] },
    status: 201,
    answer: { server: { id: 3, name: 'é'.repeat(64), status: 'pending' } },
  },
  {
    sentence: 'The list has the list fields of each server, defaults included',
    path: '/api/servers',
    status: 200,
    answer: {
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
    },
  },
  {
    sentence: 'The detail of a server has the detail fields, with metrics of 0 before any reading',
    path: '/api/servers/1',
    status: 200,
    answer: {
      server: {
        id: 1,
        name: 'Web 1',
        hostname: 'web1.example.com',
        port: 9443,
        tags: ['production', 'eu'],
        ...unknown,
        metrics: noMetrics,
      },
    },
  },
  {
    sentence: 'The detail of an unknown server is 404',
    path: '/api/servers/4',
    status: 404,
    answer: notFound('Server'),
  },
  {
    sentence: 'An update answers id, name and tags, and no more',
    method: 'PATCH',
    path: '/api/servers/1',
    body: { name: ' Web One ', tags: ['eu', ' blue '] },
    status: 200,
    answer: { server: { id: 1, name: 'Web One', tags: ['eu', 'blue'] } },
  },
  {
    sentence: 'An update of hostname, port and user answers the same three fields',
    method: 'PATCH',
    path: '/api/servers/1',
    body: { hostname: 'web9.example.com', port: 1, user: 'admin', id: 7, os: 'x', status: 'x' },
    status: 200,
    answer: { server: { id: 1, name: 'Web One', tags: ['eu', 'blue'] } },
  },
  {
    sentence: 'An update of nothing changes nothing',
    method: 'PATCH',
    path: '/api/servers/1',
    body: {},
    status: 200,
    answer: { server: { id: 1, name: 'Web One', tags: ['eu', 'blue'] } },
  },
  {
    sentence: 'Updates are there when they are read again',
    path: '/api/servers/1',
    status: 200,
    answer: {
      server: {
        id: 1,
        name: 'Web One',
        hostname: 'web9.example.com',
        port: 1,
        tags: ['eu', 'blue'],
        ...unknown,
        metrics: noMetrics,
      },
    },
  },
  {
    sentence: 'An update of an unknown server is 404',
    method: 'PATCH',
    path: '/api/servers/4',
    body: { name: 'x' },
    status: 404,
    answer: notFound('Server'),
  },
  {
    sentence: 'Creating a server without a hostname is 422 on hostname',
    ...create,
    body: { name: 'Web 3' },
    status: 422,
    answer: failed({ hostname: ['Hostname is required'] }),
  },
  {
    sentence: 'A hostname in the prototype of the body is none',
    ...create,
    body: '{"__proto__":{"hostname":"web3"},"constructor":{"hostname":"web3"}}',
    headers: { 'content-type': 'application/json' },
    status: 422,
    answer: failed({ hostname: ['Hostname is required'] }),
  },
  {
    sentence: 'Every field that fails is named',
    ...create,
    body: { name: '', hostname: '', port: 0, user: 'Root', tags: 'x' },
    status: 422,
    answer: failedOn('name', 'hostname', 'port', 'user', 'tags'),
  },
]

describe('servers', () => {
  const { client } = useDashboard()

  checkRows(client, rows)

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
