// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { type Asked, SignedAgent } from '#tests/support/attack.ts'
import { eventsOf, rawRequest, sendRaw } from '#tests/support/client.ts'
import { sweep } from '#tests/support/processes.ts'
import { badRequest, failedOn, notFound, unauthorized } from '#tests/support/rows.ts'

/** A recorded site of which nothing is on the disk: it can be read, again and again. */
const site = {
  ...{ domain: 'shop.example', php: '8.2', tier: 'small', tls: 'none' },
  ...{ email: 'ann@shop.example', user: 'nobody-has-this-name' },
}
const scan: Asked = { method: 'POST', path: '/sites/wp-scan', body: '{"domain":"shop.example"}' }

let agent: SignedAgent
beforeAll(async () => {
  agent = await SignedAgent.start(async (state) => {
    await mkdir(`${state}/sites`)
    await chmod(`${state}/sites`, 0o755)
    const path = `${state}/sites/shop.example.json`
    await writeFile(path, JSON.stringify(site))
    await chmod(path, 0o644)
  })
}, 60_000)
afterAll(sweep)

test('a body that is too large is refused, and not stored', async () => {
  const body = ' '.repeat(12 << 20)

  const signed = await agent.ask({ ...scan, body })
  const unsigned = await agent.send({ ...scan, body })
  const enrolling = await agent.send({ ...scan, path: '/enrol', body })

  const notOpen = {
    error: 'Forbidden',
    message: 'No enrolment is open: run hosting-agent enrol',
  }
  const large = { error: 'Payload too large', message: 'The body must have at most 1 MiB' }
  expect([signed, unsigned, enrolling].map(({ status, body }) => ({ status, body }))).toEqual([
    { status: 413, body: large },
    { status: 401, body: unauthorized },
    { status: 403, body: notOpen },
  ])
})

test('data after a refused body is not a request', async () => {
  const hidden = rawRequest('GET', '/health')
  const lines = ['Host: x', 'Content-Length: 40']

  const { text } = await sendRaw(agent.running.url, rawRequest('POST', '/exec', lines) + hidden)

  expect(text).toBe('{"error":"Unauthorized"}')
})

test.each([
  ['two lengths', ['Content-Length: 2', 'Content-Length: 30']],
  ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
  ['a length that is none', ['Content-Length: -1']],
  ['another coding', ['Transfer-Encoding: gzip, chunked, x']],
])('a request with %s opens nothing', async (_, lines) => {
  const request = rawRequest('POST', '/exec', ['Host: x', ...lines])
  const hidden = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'

  const { status, text } = await sendRaw(agent.running.url, `${request}0\r\n\r\n${hidden}`)

  expect([400, 401]).toContain(status)
  expect(text).not.toContain('cpu')
})

describe('fifty at once', () => {
  const fifty = <T>(work: (index: number) => T) => Array.from({ length: 50 }, (_, at) => work(at))

  test('are fifty operations under fifty names, each with one terminal event', async () => {
    const answers = await Promise.all(
      fifty((at) => agent.ask({ ...scan, headers: { 'operation-id': `scan-${at}` } })),
    )

    const kinds = answers.map(({ text }) => eventsOf(text).map(({ event }) => event))
    expect(kinds).toEqual(fifty(() => ['log', 'complete']))
    expect(new Set(answers.map(({ headers }) => headers.get('operation-id'))).size).toBe(50)
  })

  test('are one operation under one name', async () => {
    const answers = await Promise.all(
      fifty(() => agent.ask({ ...scan, headers: { 'operation-id': 'one' } })),
    )

    const [first] = answers
    expect(answers.map(({ text }) => text)).toEqual(fifty(() => first?.text ?? ''))
    expect(eventsOf(first?.text ?? '').at(-1)?.event).toBe('complete')
  })
})

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']
describe.each(NAMES)('%s', (name) => {
  const posted = async (path: string, body: unknown, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { status, body: answer } = await agent.ask({ method: 'POST', path, body: text, headers })
    return { status, body: answer }
  }

  test('is not a command', async () => {
    const answer = await posted('/exec', { command: name, params: {} })

    expect(answer).toEqual({ status: 400, body: badRequest(`Unknown command: ${name}`) })
  })

  test('is not a domain', async () => {
    for (const path of [
      '/sites/wp-scan',
      '/sites/job-runs',
      '/sites/logs/list',
      '/sites/db-password',
      '/sites/admin-password',
    ])
      expect(await posted(path, { domain: name })).toEqual({
        status: 422,
        body: failedOn('domain'),
      })
  })

  test('is an unknown field', async () => {
    const body = `{"domain":"nobody.example","${name}":{"domain":"x.example","command":"x"}}`

    expect(await posted('/sites/wp-scan', body)).toEqual({
      status: 404,
      body: notFound('Site nobody.example'),
    })
  })

  test('supplies no missing field of a command', async () => {
    const hidden = `{"${name}":{"command":"wp.scan"},"params":{"domain":"shop.example"}}`
    const empty = `{"command":"wp.scan","params":{"${name}":{"domain":"shop.example"}}}`

    expect(await posted('/exec', hidden)).toEqual({ status: 422, body: failedOn('command') })
    expect(await posted('/exec', empty)).toEqual({ status: 422, body: failedOn('domain') })
  })

  test('is not an operation, a path or a key', async () => {
    const events = await agent.ask({ path: `/operations/${name}/events` })
    const path = await agent.ask({ path: `/${name}` })
    const key = await agent.ask({ path: '/metrics', by: { ...agent.hub, kid: name } })

    expect([events, path, key].map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 404, body: notFound('Operation') },
      { status: 404, body: notFound('Endpoint') },
      { status: 401, body: unauthorized },
    ])
  })

  test('can name an operation like any other word', async () => {
    const { status, headers, text } = await agent.ask({
      ...scan,
      headers: { 'operation-id': name },
    })

    expect({ status, id: headers.get('operation-id') }).toEqual({ status: 200, id: name })
    expect(eventsOf(text).map(({ event }) => event)).toEqual(['log', 'complete'])
  })
})

test('still answers after all of this', async () => {
  expect((await agent.ask({ path: '/metrics' })).status).toBe(200)
  expect(agent.running.output.err).not.toContain('"level":"error"')
})
