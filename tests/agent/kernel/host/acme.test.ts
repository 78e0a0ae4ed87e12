import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { acme } from '#agent/kernel/host/acme.ts'
import { certificate } from '#tests/support/fixtures/made-certificate.ts'

/** An authority that has an account for everybody, and answers each order like this. */
let answer: { status: number; headers: Record<string, string>; body: string }
let server: Server
let base: string
let own: { pem: string; private_key: string }
let directory_status = 200
let orders = 0

beforeAll(async () => {
  own = await certificate('01')
  server = createServer({ cert: own.pem, key: own.private_key }, (request, response) => {
    const path = request.url ?? ''
    response.setHeader('replay-nonce', crypto.randomUUID().replaceAll('-', ''))
    response.setHeader('content-type', 'application/json')
    const names = ['newNonce', 'newAccount', 'newOrder', 'revokeCert', 'keyChange']
    const directory = Object.fromEntries(names.map((name) => [name, `${base}/${name}`]))
    if (path === '/dir')
      return void response.writeHead(directory_status).end(JSON.stringify(directory))
    if (path !== '/newOrder') {
      response.writeHead(path === '/newAccount' ? 201 : 200, { location: `${base}/account/1` })
      return void response.end(request.method === 'HEAD' ? '' : '{"status":"valid"}')
    }
    orders++
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const order = (directory = `${base}/dir`) =>
  acme.order({
    directory,
    extra_roots: own.pem,
    account_key: own.private_key,
    private_key: own.private_key,
    email: 'ops@a.example',
    names: ['a.example'],
    present: async () => undefined,
    publish: async () => undefined,
    timeout_ms: 30_000,
  })
const limit = (status: number, headers: Record<string, string>, detail = '') => ({
  ...{ status, headers },
  body: JSON.stringify({ type: 'urn:ietf:params:acme:error:rateLimited', detail }),
})

const MANY = 'too many certificates already issued for "a.example"'
const LIMITED = `the authority limits requests: ${MANY}`
const BUSY = 'the authority accepts no requests at present: Service busy; retry later.'

test.each([
  ['seconds', limit(429, { 'retry-after': '7200' }, MANY), LIMITED, 7200],
  ['more than a day', limit(429, { 'retry-after': '9999999999' }, MANY), LIMITED, 86_400],
  ['no time', limit(429, {}, `${MANY}\n`), LIMITED, 0],
  ['a long pause', limit(503, { 'retry-after': '600' }, 'Service busy; retry later.'), BUSY, 600],
])('a limit with %s ends the order at once', async (_, limited, reason, retry_after_s) => {
  answer = limited
  orders = 0

  const outcome = await order()

  expect(outcome).toEqual({ limited: { reason, retry_after_s } })
  expect(orders).toBe(1)
})

test('a limit with a date ends the order at once', async () => {
  const until = new Date(Date.now() + 3_600_000)
  until.setMilliseconds(0)
  const left = () => Math.ceil((until.getTime() - Date.now()) / 1000)
  answer = limit(429, { 'retry-after': until.toUTCString() }, MANY)

  const most = left()
  const outcome = await order()
  const least = left()

  const seconds = 'limited' in outcome ? outcome.limited.retry_after_s : -1
  expect(outcome).toEqual({ limited: { reason: LIMITED, retry_after_s: seconds } })
  expect(seconds).toBeLessThanOrEqual(most)
  expect(seconds).toBeGreaterThanOrEqual(least)
})

test('a short pause is waited for, and another error is not a limit', async () => {
  answer = limit(429, { 'retry-after': '1' }, MANY)
  orders = 0
  const { setTimeout } = globalThis
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: () => void,
    ms?: number,
  ) => {
    if (ms !== 1000) return setTimeout(work, ms)
    answer = { status: 403, headers: {}, body: JSON.stringify({ detail: 'not you' }) }
    return setTimeout(work, 0)
  }) as typeof setTimeout)

  await expect(order()).rejects.toThrow('not you')

  timers.mockRestore()
  expect(orders).toBe(2)
})

test('an authority that is down or out of service orders nothing, and that is no refusal', async () => {
  orders = 0
  directory_status = 503
  const host = base.replace('https://', '')
  expect(await order()).toEqual({ unreachable: `${host} answers with status 503` })
  directory_status = 200

  expect(await order('https://127.0.0.1:1/dir')).toEqual({
    unreachable: expect.stringContaining('127.0.0.1:1 cannot be reached: '),
  })
  expect(orders).toBe(0)
})
