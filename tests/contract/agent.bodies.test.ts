// tier: core
import { describe, expect, test } from 'bun:test'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { runtimesOf } from '#tests/support/processes.ts'
import { badRequest, failedOn, notFound, type Row, row } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

const SITES = [
  '/sites/wp-scan',
  '/sites/job-runs',
  '/sites/logs/list',
  '/sites/db-password',
  '/sites/admin-password',
]
const POSTS = ['/exec', ...SITES]
const json = { 'content-type': 'application/json' }

const malformed: Row[] = POSTS.flatMap((path) =>
  ['', '{', '{"domain":}', "{'domain':1}", 'domain=shop.example', '\0', '[1,]', 'NaN'].map((body) =>
    row(`Malformed JSON is 400: ${JSON.stringify(body)} to ${path}`)
      .post(path, body, json)
      .answers(400, badRequest('Malformed JSON')),
  ),
)

const noObjects: Row[] = POSTS.flatMap((path) =>
  ['[]', '[{}]', '"text"', '7', 'null', 'true'].map((body) =>
    row(`A body that is no object is 400: ${body} to ${path}`)
      .post(path, body, json)
      .answers(400, badRequest('The body must be a JSON object')),
  ),
)

const media: Row[] = POSTS.flatMap((path) =>
  [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
  ].map((type) =>
    row(`Another media type is 415: ${type} to ${path}`)
      .post(path, '{}', { 'content-type': type })
      .answers(415, {
        error: 'Unsupported media type',
        message: 'The body must be application/json',
      }),
  ),
)

const takenTypes: Row[] = ['application/json; charset=utf-8', 'Application/JSON'].map((type) =>
  row(`JSON is taken as ${type}`)
    .post('/sites/db-password', '{"domain":"nobody.example"}', { 'content-type': type })
    .answers(404, notFound('Site nobody.example')),
)

const unknownPaths: Row[] = [
  ['GET', '/'],
  ['GET', '/nowhere'],
  ['GET', '/exec'],
  ['GET', '/sites/wp-scan'],
  ['GET', '/sites/db-password'],
  ['GET', '/sites/shop.example'],
  ['GET', '/metrics/'],
  ['GET', '/Metrics'],
  ['GET', '/metrics/..%2f..%2fetc/passwd'],
  ['GET', '/%00'],
  ['POST', '/health'],
  ['POST', '/metrics'],
  ['POST', '/sites'],
  ['PUT', '/sites'],
  ['PATCH', '/exec'],
  ['DELETE', '/sites'],
  ['DELETE', '/sites/shop.example'],
].map(([method = '', path = '']) =>
  row(`What is no endpoint is 404: ${method} ${path}`)
    .call({ method, path })
    .answers(404, notFound('Endpoint')),
)

const domains: Row[] = SITES.flatMap((path) => [
  row(`${path} for a domain that the agent does not have is 404 naming it`)
    .post(path, { domain: 'nobody.example' })
    .answers(404, notFound('Site nobody.example')),
  row(`${path} takes the domain in any form and names the canonical one`)
    .post(path, { domain: ' MÜNCHEN.example. ' })
    .answers(404, notFound('Site xn--mnchen-3ya.example')),
  ...[undefined, null, 7, [], {}, '', '../../etc/passwd', 'a\nb.c', '127.0.0.1', '-a.b'].map(
    (domain) =>
      row(`${path} refuses the domain ${JSON.stringify(domain)} with 422 on domain`)
        .post(path, { domain })
        .answers(422, failedOn('domain')),
  ),
])

const scan: Row = row('wp.scan over /exec answers like /sites/wp-scan')
  .post('/exec', { command: 'wp.scan', params: { domain: 'nobody.example' } })
  .answers(404, notFound('Site nobody.example'))

const large = { error: 'Payload too large', message: 'The body must have at most 1 MiB' }

describe.each(runtimesOf('agent.bodies'))('%s', (runtime) => {
  const { client, running } = useAgent(runtime)

  test.each([
    ...malformed,
    ...noObjects,
    ...media,
    ...takenTypes,
    ...unknownPaths,
    ...domains,
    scan,
  ])('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test.each(POSTS)('takes a body of 1 MiB and refuses one byte more with 413: %s', async (path) => {
    const body = (size: number) => `"${'x'.repeat(size - 2)}"`

    const most = await client().post(path, body(1 << 20))
    const more = await client().post(path, body((1 << 20) + 1))
    const far = await client().post(path, body(3 << 20))

    expect({ status: most.status, body: most.body }).toEqual({
      status: 400,
      body: badRequest('The body must be a JSON object'),
    })
    expect({ status: more.status, body: more.body }).toEqual({ status: 413, body: large })
    expect(far.status).toBe(413)
  })

  test.each(POSTS)('counts a chunked body, which has no length: %s', async (path) => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const head = rawRequest('POST', path, ['Host: x', 'Transfer-Encoding: chunked'])

    const { status, body } = await sendRaw(running().url, `${head}${chunk.repeat(65)}0\r\n\r\n`)

    expect({ status, body }).toEqual({ status: 413, body: large })
  })

  test('answers others while somebody sends a body byte by byte', async () => {
    const leaving = new AbortController()
    const trickle = new ReadableStream({
      async pull(controller) {
        await Bun.sleep(50)
        controller.enqueue(new TextEncoder().encode(' '))
      },
    })
    const request = { method: 'POST', headers: json, body: trickle, signal: leaving.signal }
    const slow = fetch(`${client().base}/exec`, request).catch(() => 'left')

    const first = await Promise.race([slow, client().get('/health')])

    expect(first).toMatchObject({ status: 200, body: { status: 'ok' } })
    leaving.abort()
    expect(await slow).toBe('left')
  })
})
