// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateId, renewals } from '#agent/kernel/host/acme.ts'
import { certificate } from '#tests/support/fixtures/made-certificate.ts'

const KEY = '69885b6b87464041e1b37b847ba0ae2cde01c8d4'
/** RFC 9773 section 4.1. */
const ID = 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'

let server: Server
let root: string
let base: string
let directory: object
let answer: { status: number; body: string; headers: Record<string, string> }
const asked: string[] = []
/** The answers to the next requests. */
let next: ('answered' | 'broken' | 'hanging')[] = []

beforeAll(async () => {
  const own = await certificate('01')
  root = own.pem
  server = createServer({ cert: own.pem, key: own.private_key }, (request, response) => {
    const path = request.url ?? ''
    if (path === '/dir') return void response.end(JSON.stringify(directory))
    asked.push(path)
    const fate = next.shift()
    if (fate === 'broken') return void request.socket.destroy()
    if (fate === 'hanging') return
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  directory = { renewalInfo: `${base}/renewal/` }
})
afterAll(() => server.close())

const ask = (...certificates: string[]) =>
  renewals({ directory: `${base}/dir`, extra_roots: root, certificates })
const window = { start: '2026-03-01T00:00:00Z', end: '2026-03-03T02:00:00+02:00' }
const utc = { start: '2026-03-01T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' }

test('the identifier is that of RFC 9773', async () => {
  const { pem } = await certificate('0087654321', KEY)

  expect(await certificateId(pem)).toBe(ID)
})

test('asks for each certificate, and reads the window in UTC', async () => {
  answer = { status: 200, body: JSON.stringify({ suggestedWindow: window }), headers: {} }
  const { pem } = await certificate('0087654321', KEY)
  const unnamed = await certificate('02')

  expect(await ask(pem, unnamed.pem)).toEqual([{ ...utc, retry_after_s: 6 * 3600 }, null])

  expect(asked).toEqual([`/renewal/${ID}`])
})

test.each([
  ['21600', 21_600],
  ['1', 3600],
  ['999999', 86_400],
  ['soon', 21_600],
])('Retry-After %s is %d seconds', async (header, seconds) => {
  const body = JSON.stringify({ suggestedWindow: window })
  answer = { status: 200, body, headers: { 'retry-after': header } }
  const { pem } = await certificate('03', KEY)

  expect(await ask(pem)).toEqual([{ ...utc, retry_after_s: seconds }])
})

test.each([
  ['an error', 404, JSON.stringify({ suggestedWindow: window })],
  ['no JSON', 200, '<html>'],
  ['no window', 200, '{}'],
  [
    'a window that ends first',
    200,
    JSON.stringify({ suggestedWindow: { start: window.end, end: window.start } }),
  ],
])('%s is no answer', async (_, status, body) => {
  answer = { status, body, headers: {} }
  const { pem } = await certificate('04', KEY)

  expect(await ask(pem)).toEqual([null])
})

test('an endless answer is none', async () => {
  const body = JSON.stringify({ suggestedWindow: window, more: 'x'.repeat(100_000) })
  answer = { status: 200, body, headers: {} }
  const { pem } = await certificate('05', KEY)

  expect(await ask(pem)).toEqual([null])
})

test('after a failed request no other is made, and the answers so far count', async () => {
  answer = { status: 200, body: JSON.stringify({ suggestedWindow: window }), headers: {} }
  const { pem } = await certificate('07', KEY)
  asked.length = 0
  next = ['answered', 'broken']

  expect(await ask(pem, pem, pem)).toEqual([{ ...utc, retry_after_s: 21_600 }, null, null])
  expect(asked).toHaveLength(2)
})

test('all questions together have one limit of time', async () => {
  const { pem } = await certificate('08', KEY)
  asked.length = 0
  next = ['hanging']

  const request = { directory: `${base}/dir`, extra_roots: root, certificates: [pem, pem] }
  expect(await renewals(request, 2000)).toEqual([null, null])
  expect(asked).toHaveLength(1)
})

test('a certificate that cannot be read does not keep the others from being asked for', async () => {
  answer = { status: 200, body: JSON.stringify({ suggestedWindow: window }), headers: {} }
  const { pem } = await certificate('09', KEY)

  expect(await ask('none', pem)).toEqual([null, { ...utc, retry_after_s: 21_600 }])
})

test('an authority without suggestions is asked for none', async () => {
  directory = { newOrder: `${base}/order` }
  const { pem } = await certificate('06', KEY)

  expect(await ask(pem)).toBeUndefined()
})
