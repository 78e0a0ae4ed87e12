import { afterAll, beforeEach, expect, test } from 'bun:test'
import { acme } from '#agent/kernel/host/acme.ts'
import { setRecord } from '#agent/kernel/host/cloudflare.ts'
import { startCloudflare } from '#tests/support/cloudflare/server.ts'

const token = 'a-token-of-forty-characters-a-token-of-f'
const OTHER = 'b-token-of-forty-characters-a-token-of-f'
const cloudflare = startCloudflare({
  token,
  zones: ['example.com', 'sub.example.com', 'bücher.example'],
})
afterAll(() => cloudflare.stop())
beforeEach(() => {
  cloudflare.records.length = 0
  cloudflare.calls.length = 0
})

const { api } = cloudflare
const NAME = '_acme-challenge.a.example.com'
const UNKNOWN = '_acme-challenge.other.example'
const set = (change: object = {}) =>
  setRecord({ api, token, action: 'present', name: NAME, value: 'v', ...change })
const left = () => cloudflare.records.map(({ name, content, ttl }) => [name, content, ttl])

test('adds a record to its zone, and removes that one only', async () => {
  await set()
  await set({ value: 'other' })
  expect(left()).toEqual([
    [NAME, '"v"', 60],
    [NAME, '"other"', 60],
  ])

  await set({ action: 'cleanup' })
  expect(left()).toEqual([[NAME, '"other"', 60]])
})

test('twice is as good as once', async () => {
  await set()
  await set()
  expect(left()).toHaveLength(1)
  await set({ action: 'cleanup' })
  await set({ action: 'cleanup' })
  expect(left()).toEqual([])
})

test('uses the longest zone', async () => {
  await set({ name: '_acme-challenge.x.sub.example.com' })
  await set({ name: '_acme-challenge.example.com' })
  const [first, second] = cloudflare.records
  expect(first?.zone).not.toBe(second?.zone)
})

test('finds a zone whose name Cloudflare has in Unicode', async () => {
  const name = '_acme-challenge.shop.xn--bcher-kva.example'
  await set({ name })
  expect(left()).toEqual([[name, '"v"', 60]])
})

test.each([
  [{ token: OTHER }, 'Cloudflare: Invalid access token (9109)'],
  [{ token: 'short' }, 'Cloudflare: Invalid request headers (6003)'],
  [{ name: UNKNOWN }, 'Cloudflare: the token has no access to a zone of other.example'],
  [{ api: 'http://127.0.0.1:1' }, '127.0.0.1:1 cannot be reached'],
])('with %p it fails and says why', async (change, message) => {
  await expect(set(change)).rejects.toThrow(message)
  expect(left()).toEqual([])
})

test('a refusal is certain, and a lost answer is not', async () => {
  const record = { api, token, action: 'present' as const, name: NAME, value: 'v' }
  const refused = await acme.record({ ...record, token: OTHER })
  expect(refused).toBe('Cloudflare: Invalid access token (9109)')
  expect(await acme.record({ ...record, api: 'http://127.0.0.1:1' })).toContain('cannot be reached')
  cloudflare.losses.add('POST')
  await expect(acme.record(record)).rejects.toThrow('Cloudflare answered 502')
  expect(left()).toHaveLength(1)

  expect(await acme.record({ ...record, action: 'cleanup' })).toBeUndefined()
  expect(left()).toEqual([])
})

test.each([
  ['a page', new Response('<html>'), 'Cloudflare answered 200 without a readable body'],
  [
    'another form',
    Response.json({ success: true, errors: [], result: {} }),
    'Cloudflare: the answer has an unexpected format',
  ],
  ['too much', new Response('x'.repeat(2 << 20)), 'The answer of Cloudflare is too long'],
  [
    'another place',
    new Response('', { status: 302, headers: { location: api } }),
    'cannot be reached',
  ],
])('an answer of %s is refused', async (_, response, message) => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => response.clone() })
  try {
    await expect(set({ api: `http://127.0.0.1:${server.port}` })).rejects.toThrow(message)
    expect(cloudflare.calls).toEqual([])
  } finally {
    await server.stop(true)
  }
})
