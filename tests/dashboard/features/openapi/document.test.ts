// tier: gate
import { describe, expect, test } from 'bun:test'
import { createPublicKey } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createApp } from '#dashboard/app.ts'
import { toolPages } from '#dashboard/features/database/tool-pages.ts'
import { describedRoutes } from '#dashboard/features/openapi/described-routes.ts'
import { EXAMPLES } from '#dashboard/features/openapi/examples.ts'
import { webRoutes } from '#dashboard/kernel/http/web/routes.ts'
import { ROUTES, SUBJECTS } from '#dashboard/routes.ts'
import { checked } from '#tests/support/openapi/checked.ts'
import { document, faultsOf } from '#tests/support/openapi/validator.ts'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Every object of the document with its path, but those of examples. */
function* objects(value: unknown, path: string[] = []): Generator<[string[], Json]> {
  if (!isObject(value)) return
  yield [path, value]
  for (const [key, part] of Object.entries(value))
    if (!key.startsWith('example')) yield* objects(part, [...path, key])
}

const all = [...objects(document)]

/** The path of a schema, and an example of it. */
const examples = all.flatMap(([path, part]) => {
  const own = 'schema' in part && 'example' in part ? [part.example] : []
  const listed = Array.isArray(part.examples) ? part.examples : []
  return [
    ...own.map((value) => ({ path: [...path, 'schema'], value })),
    ...listed.map((value) => ({ path, value })),
  ]
})

describe('the OpenAPI document', () => {
  test('is valid to a public validator, and every reference resolves', async () => {
    const validator = new Validator()

    const result = await validator.validate(structuredClone(document))

    expect(result).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
    expect(() => validator.resolveRefs()).not.toThrow()
  })

  test('has every route of the dashboard but its pages, and no other', () => {
    const app = createApp(Object.create(null))
    const named = (routes: { method: string; path: string }[]) =>
      routes.map(({ method, path }) => `${method} ${path}`)
    const pages = named([
      ...webRoutes({ web_dir: undefined, demo: false }).routes,
      ...toolPages(Object.create(null)).routes,
    ])

    const real = named(app.routes).filter((route) => !pages.includes(route))

    expect(ROUTES.map(({ at }) => String(at)).sort()).toEqual(real.sort())
  })

  test('states the access of each call like the gate', () => {
    expect(ROUTES.filter(({ right }) => right === 'open').map(({ at }) => at)).toEqual([
      'POST /api/auth/login',
      'POST /api/auth/reset',
      'POST /api/auth/reset/confirm',
      'POST /api/auth/login/passkey/options',
      'POST /api/auth/login/passkey',
      'GET /api/auth/sso',
      'POST /api/auth/sso',
      'POST /api/auth/sso/finish',
      'POST /api/auth/sso/code',
      'POST /api/invitations/show',
      'POST /api/invitations/accept',
      'GET /health',
      'GET /agent/:file',
      'GET /api/openapi.json',
    ])
  })

  test('has no example that breaks its schema', () => {
    const broken = examples.flatMap(({ path, value }) =>
      faultsOf(path, value).map((fault) => `${path.join(' ')}: ${fault}`),
    )

    expect(broken).toEqual([])
    expect(examples.length).toBeGreaterThan(ROUTES.length)
  })

  test('has an example of each body that its call accepts', () => {
    const { paths } = document
    const refused = describedRoutes(SUBJECTS).flatMap(({ id, body, path, method }) => {
      if (!body) return []
      const operation = Object(paths[path])[method.toLowerCase()]
      const { example } = operation.requestBody.content['application/json']
      const { error } = body.safeParse(example)
      return error ? [`${id}: ${error.message}`] : []
    })
    const kit = EXAMPLES.CreateBackupKit as { public_key: string }

    expect(refused).toEqual([])
    expect(createPublicKey(kit.public_key).asymmetricKeyDetails?.modulusLength).toBe(3072)
  })

  test('has patterns that mean the same to every program, with and without Unicode mode', () => {
    const patterns = all.flatMap(([, { pattern }]) =>
      typeof pattern === 'string' ? [pattern] : [],
    )
    const own = patterns.filter((pattern) => /\\(p\{|P\{|u\{|k<)|\(\?<[^=!]/.test(pattern))

    expect(own).toEqual([])
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow()
      expect(() => new RegExp(pattern, 'u')).not.toThrow()
    }
  })

  test('states the maximum of every whole number, and of each number in a request', () => {
    const isNumber = ({ type }: Json) => type === 'integer' || type === 'number'
    const open = all
      .filter(([, schema]) => isNumber(schema) && schema.maximum === undefined)
      .filter(
        ([path, { type }]) => type === 'integer' || /parameters|requestBody/.test(path.join(' ')),
      )
      .map(([path]) => path.join(' '))
    const limits = document.paths['/api/servers/{server_id}/sites/{site_id}/logs/fatals']

    expect(open).toEqual([])
    expect(JSON.stringify(limits)).toContain('"minimum":1,"maximum":30')
  })

  test('has an example of every body and answer, and of every event', () => {
    const missing = all
      .filter(([path]) => path.at(-2) === 'content')
      .filter(([, { example, 'x-events': events }]) => (events ?? example) === undefined)
      .map(([path]) => path.join(' '))

    const download = '/api/servers/{server_id}/sites/{site_id}/backups/{backup_id}/download'
    const log = '/api/servers/{server_id}/sites/{site_id}/logs/download'
    const database = '/api/servers/{server_id}/sites/{site_id}/database/export'
    expect(missing).toEqual([
      `paths ${database} get responses 200 content application/octet-stream`,
      `paths ${log} get responses 200 content text/plain`,
      `paths ${download} get responses 200 content application/octet-stream`,
      'paths /api/activity/export get responses 200 content application/jsonl',
      ...['png', 'jpeg', 'webp'].map(
        (type) => `paths /api/fleet/branding/logo get responses 200 content image/${type}`,
      ),
      'paths /agent/{file} get responses 200 content application/gzip',
    ])
  })

  test('has an example of every component, and no example of another', () => {
    const { schemas } = Object(document.components)
    const named = Object.keys(schemas).filter((name) => !name.endsWith('Error'))

    expect(named.filter((name) => !schemas[name].examples)).toEqual([])
    expect(Object.keys(EXAMPLES).filter((name) => !named.includes(name))).toEqual([])
  })
})

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
