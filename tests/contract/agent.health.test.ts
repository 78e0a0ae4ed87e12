// tier: core
import { describe, expect, test } from 'bun:test'
import { READINGS } from '#shared/readings.ts'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { runtimesOf } from '#tests/support/processes.ts'
import { type Row, row, unauthorized } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
const OPEN = '/health'
const PATHS = [
  ...new Set(READINGS.map(({ at }) => at.slice(at.indexOf('/'))).filter((path) => path !== OPEN)),
  '/exec',
  '/sites/wp-scan',
  '/operations/some-id/events',
  '/operations/some-id/cancel',
  '/',
  '/nowhere',
  '/health/',
  '/health/deep',
  '/HEALTH',
  '/health%20',
  '/__proto__',
]
const HOSTS = [
  'x',
  'a.b',
  '',
  'a'.repeat(300),
  '/',
  'x/health',
  '127.0.0.1:1',
  '[::1]',
  '@',
  'x\\y',
]

/** Ways to write a closed path so that a careless gate reads `/health`. */
const DISGUISES = [
  '/health/../metrics',
  '/health/%2e%2e/metrics',
  '/metrics?/health',
  '/metrics#/health',
  '/metrics;/health',
  '//metrics',
  '//health/metrics',
  '/./metrics',
  'http://x/metrics',
  'http://health/metrics',
  'http://x/health/../metrics',
]

const open: Row[] = [
  row('GET /health answers {status: "ok"} without authentication')
    .get('/health')
    .answers(
      200,
      { status: 'ok' },
      { 'content-type': /^application\/json/, 'x-content-type-options': 'nosniff' },
    ),
  row('GET /health is open with a query too').get('/health?x=1').answers(200, { status: 'ok' }),
]

const closed: Row[] = [
  ...METHODS.filter((method) => method !== 'GET').map((method) => ({ method, path: '/health' })),
  ...PATHS.flatMap((path) => METHODS.map((method) => ({ method, path }))),
].map(({ method, path }) =>
  row(`${method} ${path} without authentication is 401`)
    .call({ method, path })
    .answers(401, method === 'HEAD' ? '' : unauthorized),
)

const early: Row[] = [
  { sentence: 'malformed JSON', body: '{' },
  { sentence: 'an unknown command', body: { command: 'no.such' } },
  { sentence: 'a body over 1 MiB', body: { command: 'x'.repeat(1_100_000) } },
  { sentence: 'another media type', body: 'x', headers: { 'content-type': 'text/plain' } },
  { sentence: 'a bad Operation-Id', body: {}, headers: { 'operation-id': '../x' } },
  { sentence: 'a made-up token', body: {}, headers: { authorization: 'Bearer x' } },
  { sentence: 'a made-up signature', body: {}, headers: { authorization: 'HCS e30.e30.AAAA' } },
].map(({ sentence, ...call }) =>
  row(`401 comes before everything else: ${sentence}`)
    .call({ ...call, method: 'POST', path: '/exec' })
    .answers(401, unauthorized),
)

describe.each(runtimesOf('agent.health'))('with AGENT_AUTH=signed, %s', (runtime) => {
  const { client, running } = useAgent(runtime, async () => ({ AGENT_AUTH: 'signed' }))

  test.each([...open, ...closed, ...early])('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test.each(HOSTS)('is equally closed for the Host header %p', async (host) => {
    const lines = [`Host: ${host}`]

    const closedAnswer = await sendRaw(running().url, rawRequest('GET', '/metrics', lines))
    const sneaky = await sendRaw(running().url, rawRequest('GET', '/exec?/health', lines))

    expect([400, 401]).toContain(closedAnswer.status)
    expect([400, 401]).toContain(sneaky.status)
    if (closedAnswer.status === 401) expect(closedAnswer.body).toEqual(unauthorized)
  })

  test('is equally closed without a Host header', async () => {
    const { status } = await sendRaw(running().url, rawRequest('GET', '/metrics'))

    expect([400, 401]).toContain(status)
  })

  test.each(DISGUISES)('is equally closed for the request target %p', async (target) => {
    const { status } = await sendRaw(running().url, rawRequest('GET', target, ['Host: x']))

    expect([400, 401]).toContain(status)
  })
})

describe.each(runtimesOf('agent.health'))('with AGENT_AUTH=none, %s', (runtime) => {
  const { client } = useAgent(runtime)

  test.each(open)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })
})
