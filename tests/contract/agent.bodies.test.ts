// tier: core
import { describe, expect, test } from 'bun:test'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { agentRuntimes } from '#tests/support/processes.ts'
import { badRequest, checkRows, failedOn, notFound, type Row } from '#tests/support/rows.ts'
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
  ['', '{', '{"domain":}', "{'domain':1}", 'domain=shop.example', '\0', '[1,]', 'NaN'].map(
    (body) => ({
      sentence: `Malformed JSON is 400: ${JSON.stringify(body)} to ${path}`,
      method: 'POST',
      path,
      body,
      headers: json,
      status: 400,
      answer: badRequest('Malformed JSON'),
    }),
  ),
)

const noObjects: Row[] = POSTS.flatMap((path) =>
  ['[]', '[{}]', '"text"', '7', 'null', 'true'].map((body) => ({
    sentence: `A body that is no object is 400: ${body} to ${path}`,
    method: 'POST',
    path,
    body,
    headers: json,
    status: 400,
    answer: badRequest('The body must be a JSON object'),
  })),
)

const media: Row[] = POSTS.flatMap((path) =>
  [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
  ].map((type) => ({
    sentence: `Another media type is 415: ${type} to ${path}`,
    method: 'POST',
    path,
    body: '{}',
    headers: { 'content-type': type },
    status: 415,
    answer: { error: 'Unsupported media type', message: 'The body must be application/json' },
  })),
)

const takenTypes: Row[] = ['application/json; charset=utf-8', 'Application/JSON'].map((type) => ({
  sentence: `JSON is taken as ${type}`,
  method: 'POST',
  path: '/sites/db-password',
  body: '{"domain":"nobody.example"}',
  headers: { 'content-type': type },
  status: 404,
  answer: notFound('Site nobody.example'),
}))

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
].map(([method = '', path = '']) => ({
  sentence: `What is no endpoint is 404: ${method} ${path}`,
  method,
  path,
  status: 404,
  answer: notFound('Endpoint'),
}))

const domains: Row[] = SITES.flatMap((path) => [
  {
    sentence: `${path} for a domain that the agent does not have is 404 naming it`,
    method: 'POST',
    path,
    body: { domain: 'nobody.example' },
    status: 404,
    answer: notFound('Site nobody.example'),
  },
  {
    sentence: `${path} takes the domain in any form and names the canonical one`,
    method: 'POST',
    path,
    body: { domain: ' MÜNCHEN.example. ' },
    status: 404,
    answer: notFound('Site xn--mnchen-3ya.example'),
  },
  ...[undefined, null, 7, [], {}, '', '../../etc/passwd', 'a\nb.c', '127.0.0.1', '-a.b'].map(
    (domain) => ({
      sentence: `${path} refuses the domain ${JSON.stringify(domain)} with 422 on domain`,
      method: 'POST',
      path,
      body: { domain },
      status: 422,
      answer: failedOn('domain'),
    }),
  ),
])

const scan: Row = {
  sentence: 'wp.scan over /exec answers like /sites/wp-scan',
  method: 'POST',
  path: '/exec',
  body: { command: 'wp.scan', params: { domain: 'nobody.example' } },
  status: 404,
  answer: notFound('Site nobody.example'),
}

const large = { error: 'Payload too large', message: 'The body must have at most 1 MiB' }

describe.each(agentRuntimes)('%s', (runtime) => {
  const { client, running } = useAgent(runtime)

  checkRows(client, [
    ...malformed,
    ...noObjects,
    ...media,
    ...takenTypes,
    ...unknownPaths,
    ...domains,
    scan,
  ])

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
