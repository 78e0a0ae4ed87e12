// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { hostileIds } from '#tests/support/hostile.ts'
import { badRequest, failedOn, notFound, type Row, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

/** Every call that takes a body, on a server and a site that are there. */
const CALLS: [string, string][] = [
  ['POST', '/api/auth/password'],
  ['POST', '/api/auth/tokens'],
  ['POST', '/api/servers'],
  ['PATCH', '/api/servers/1'],
  ['POST', '/api/servers/1/sites'],
  ['PATCH', '/api/servers/1/sites/1'],
  ['POST', '/api/servers/1/wp-scan'],
  ['POST', '/api/servers/1/pool-apply'],
  ['POST', '/api/servers/1/provision'],
  ['POST', '/api/servers/1/services/restart'],
  ['POST', '/api/servers/1/sites/1/tls'],
  ['POST', '/api/servers/1/sites/1/purge'],
  ['POST', '/api/bulk-operations'],
  ['PUT', '/api/settings/sync_interval'],
]
const json = { 'content-type': 'application/json' }
const large = { error: 'Payload too large', message: 'The body must have at most 1 MiB' }
const unsupported = {
  error: 'Unsupported media type',
  message: 'The body must be application/json',
}

/** Returns a body as JSON that XML can hold, too. */
const nameOf = (body: string) => JSON.stringify(body).replaceAll('\ufffe', '\\ufffe')

const rows: Row[] = CALLS.flatMap(([method, path]): Row[] => [
  ...['{', '{"hostname":}', "{'a':1}", 'hostname=a', '[1,]', 'NaN', '\0', '\ufffe{}'].map((body) =>
    row(`Malformed JSON is 400: ${method} ${path} with ${nameOf(body)}`)
      .call({ method, path, body, headers: json })
      .answers(400, badRequest('Malformed JSON')),
  ),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(
    (type) =>
      row(`Another media type is 415: ${method} ${path} with ${type}`)
        .call({ method, path, body: '{}', headers: { 'content-type': type } })
        .answers(415, unsupported),
  ),
  row(`A body over 1 MiB is 413: ${method} ${path}`)
    .call({ method, path, body: { hostname: 'x'.repeat(1 << 20) } })
    .answers(413, large),
  ...['[]', '"text"', '7', 'null', 'true'].map((body) =>
    row(`A body that is no object is 400: ${method} ${path} with ${body}`)
      .call({ method, path, body, headers: json })
      .answers(400, badRequest('The body must be a JSON object')),
  ),
])

const order: Row[] = [
  row('An unknown path is 404 before its malformed JSON is seen')
    .post('/api/nowhere', '{', json)
    .answers(404, notFound('Endpoint')),
  ...CALLS.filter(([, path]) => path.includes('servers/1')).map(([method, path]) =>
    row(`Malformed JSON is 400 before an unknown server is 404: ${method} ${path}`)
      .call({ method, path: path.replace('servers/1', 'servers/999'), body: '{', headers: json })
      .answers(400, badRequest('Malformed JSON')),
  ),
  ...CALLS.filter(([, path]) => path.includes('servers/1')).map(([method, path]) =>
    row(`An unknown server is 404 before an invalid field is 422: ${method} ${path}`)
      .call({
        method,
        path: path.replace('servers/1', 'servers/999'),
        body: {
          name: 7,
          domain: 7,
          tier: 7,
          site_id: 'x',
          php_versions: 7,
          service: 7,
          tls: 7,
          php: 7,
        },
      })
      .answers(404, notFound('Server')),
  ),
  ...CALLS.filter(([, path]) => path.includes('sites/1')).map(([method, path]) =>
    row(`An unknown site is 404 before an invalid field is 422: ${method} ${path}`)
      .call({
        method,
        path: path.replace('sites/1', 'sites/999'),
        body: { tls: 7, php: 7, tier: 7 },
      })
      .answers(404, notFound('Site')),
  ),
]

const SERVER_PATHS: [string, string][] = [
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['GET', '/sites'],
  ['POST', '/sites'],
  ['GET', '/sites/1'],
  ['POST', '/sync'],
  ['POST', '/wp-scan'],
  ['POST', '/pool-apply'],
  ['POST', '/provision'],
]

describe('bodies and paths', () => {
  const { client, running } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: 1 })
    await client().post('/api/servers/1/sites', { domain: 'shop.example' })
  })

  test.each([...rows, ...order])('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test.each(SERVER_PATHS)(
    'the id of a missing server is 404: %s /api/servers/<id>%s',
    async (method, path) => {
      for (const id of [...hostileIds, '999']) {
        const { status, body } = await client().send({ method, path: `/api/servers/${id}${path}` })

        expect({ id, status, body }).toEqual({ id, status: 404, body: notFound('Server') })
      }
    },
  )

  test.each(['GET', 'PATCH', 'DELETE'])('the id of a missing site is 404: %s', async (method) => {
    for (const id of [...hostileIds, '999']) {
      const path = `/api/servers/1/sites/${id}`
      const { status, body } = await client().send({ method, path })

      expect({ id, status, body }).toEqual({ id, status: 404, body: notFound('Site') })
    }
  })

  test('a chunked body, which has no length, is counted', async () => {
    const lines = ['Host: x', `Cookie: ${client().cookie}`, 'Content-Type: application/json']
    const head = rawRequest('POST', '/api/servers', [...lines, 'Transfer-Encoding: chunked'])
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`

    const answer = await sendRaw(running().url, `${head}${chunk.repeat(65)}0\r\n\r\n`)

    expect({ status: answer.status, body: answer.body }).toEqual({ status: 413, body: large })
  })

  test('a body of exactly 1 MiB is accepted', async () => {
    const frame = JSON.stringify({ hostname: '', padding: '' })
    const padding = 'x'.repeat((1 << 20) - frame.length)

    const { status, body } = await client().post('/api/servers', { hostname: '', padding })

    expect({ status, body }).toEqual({ status: 422, body: failedOn('hostname') })
  })

  test('invalid UTF-8 is 400', async () => {
    const answer = await fetch(`${running().url}/api/servers`, {
      method: 'POST',
      headers: { cookie: client().cookie ?? '', ...json },
      body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
    })

    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual(badRequest('Malformed JSON'))
  })

  test('none of these requests changed anything', async () => {
    const { body } = await client().get('/api/activity')

    const { activities } = body as { activities: { type: string }[] }
    const types = activities.map(({ type }) => type)
    expect(types.sort()).toEqual(['auth.login', 'server.create', 'site.create'])
  })
})
