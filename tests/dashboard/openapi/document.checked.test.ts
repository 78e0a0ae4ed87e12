import { expect, test } from 'bun:test'
import { checked } from '#tests/support/openapi/checked.ts'

const server = { id: 1, name: 'web-1', status: 'pending' }
const created = { method: 'POST', path: '/api/servers', body: { hostname: 'web-1.example' } }
const sync = { method: 'POST', path: '/api/servers/1/sync' }

const json = (status: number, body: unknown, headers = {}) =>
  Response.json(body, { status, headers })
const stream = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
const complete = (data: object) => `id: 1\nevent: complete\ndata: ${JSON.stringify(data)}\n\n`

const read = async (sent: Parameters<typeof checked>[0], response: Response) =>
  (await checked(sent, response)).text()

test.each([
  { sent: created, answer: json(201, { server }), text: JSON.stringify({ server }) },
  { sent: { method: 'GET', path: '/api/unknown' }, answer: json(404, {}), text: '{}' },
  { sent: { method: 'GET', path: '/servers' }, answer: new Response('page'), text: 'page' },
  {
    sent: sync,
    answer: stream(complete({ status: 'ok', sites: 2 })),
    text: complete({ status: 'ok', sites: 2 }),
  },
  { sent: sync, answer: stream(': ping\n\n'), text: ': ping\n\n' },
])(
  'forwards a documented answer: $sent.method $sent.path, case %#',
  async ({ sent, answer, text }) => {
    expect(await read(sent, answer)).toBe(text)
  },
)

test.each([
  ['an undocumented status', created, json(418, {}), 'answered 418:\n  it has no such status'],
  [
    'an undocumented field',
    created,
    json(201, { server: { ...server, secret: 'x' } }),
    '/server must NOT have additional properties secret',
  ],
  [
    'a missing field',
    created,
    json(201, { server: { id: 1 } }),
    "must have required property 'name'",
  ],
  [
    'a field of another type',
    created,
    json(201, { server: { ...server, id: '1' } }),
    '/server/id must be integer',
  ],
  [
    'an undocumented header',
    created,
    json(201, { server }, { 'operation-id': 'x' }),
    'it has no header operation-id',
  ],
  [
    'an error of another text',
    created,
    json(422, { error: 'No' }),
    '/error must be equal to constant',
  ],
  [
    'another type of content',
    created,
    new Response('x', { status: 201 }),
    'it has no content of type',
  ],
  [
    'a body that should not be taken',
    { ...created, body: { hostname: 7 } },
    json(201, { server }),
    'it took /hostname must be string',
  ],
  [
    'a body where there is none',
    { method: 'DELETE', path: '/api/servers/1' },
    new Response('x'),
    'no such status',
  ],
  [
    'a route that is not described',
    { method: 'GET', path: '/api/unknown' },
    json(200, {}),
    'no route /api/unknown, which answered 200',
  ],
  [
    'an event with another field',
    sync,
    stream(complete({ status: 'ok', sites: 2, more: 1 })),
    'more',
  ],
  [
    'an unknown kind of event',
    sync,
    stream('id: 1\nevent: news\ndata: {}\n\n'),
    "can't resolve reference",
  ],
])('refuses %s', async (_, sent, answer, message) => {
  await expect(read(sent, answer)).rejects.toThrow(message)
})
