import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LineReader } from '#agent/features/metrics/line-reader.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'
import { forAll } from '#tests/support/for-all.ts'

const AT = Date.UTC(2026, 10, 23, 14, 50) / 1000
const TIME = '[23/Nov/2026:14:50:33 +0000]'
const line = (
  rest: string,
  { request = 'GET / HTTP/1.1', agent = 'Mozilla/5.0', from = '-' } = {},
) => `203.0.113.7 - ${from} ${TIME} "${request}" ${rest.replace('~', `"-" "${agent}"`)}`
const plain = { at: AT, php_ms: undefined, slow: false, from_cache: false }

test.each([
  ['200 512 ~ HTTP/1.1 0.000 - -', { ...plain, status: 200, bytes: 512 }],
  ['200 9 ~ HTTP/2.0 0.013 0.012 MISS', { ...plain, status: 200, bytes: 9, php_ms: 12 }],
  ['200 9 ~ HTTP/2.0 0.000 - HIT', { ...plain, status: 200, bytes: 9, from_cache: true }],
  [
    '404 0 ~ HTTP/1.1 2.000 2.000 BYPASS',
    { ...plain, status: 404, bytes: 0, php_ms: 2000, slow: true },
  ],
  ['502 0 ~ HTTP/1.1 0.013 0.001, 0.012 -', { ...plain, status: 502, bytes: 0, php_ms: 13 }],
  [
    '200 0 ~ HTTP/1.1 0.013 0.001 : 0.012 STALE',
    { ...plain, status: 200, bytes: 0, php_ms: 13, from_cache: true },
  ],
])('%s', (rest, request) => {
  expect(new LineReader().read(line(rest))).toEqual(request)
})

test('what a visitor sends moves no field', () => {
  const rest = '200 512 ~ HTTP/1.1 0.000 - -'
  const odd = { request: '\\x22 500 9 \\x22', agent: 'a \\x22 b', from: 'me [01/Jan/2030:00:00' }

  expect(new LineReader().read(line(rest, odd))).toEqual({ ...plain, status: 200, bytes: 512 })
})

test('the zone of the server counts, and visits of the server itself do not', () => {
  const reader = new LineReader()
  reader.own = new Set(['192.0.2.10'])
  const east = line('200 1 ~ HTTP/1.1 0 - -').replace('+0000', '+0200')
  const agents = [
    'HostingControl-health (bot; this server itself)',
    'HostingControl-certificate (bot; checks where a domain name leads)',
  ]

  expect(reader.read(east)?.at).toBe(AT - 7200)
  expect(reader.read(line('200 1 ~ HTTP/1.1 0 - -'))?.at).toBe(AT)
  for (const own of ['127.0.0.1', '::1', '192.0.2.10']) {
    for (const agent of agents) {
      const visit = line('200 1 ~ HTTP/1.1 0 - -', { agent }).replace('203.0.113.7', own)
      expect(reader.read(visit)).toBeUndefined()
    }
  }
  for (const agent of agents)
    expect(reader.read(line('200 1 ~ HTTP/1.1 0 - -', { agent }))?.at).toBe(AT)
  expect(reader.read(line('200 1 ~ HTTP/1.1 0 - -').replace(TIME, '[x]'))?.at).toBeUndefined()
})

test('a request of a dashboard is marked, wherever it comes from', () => {
  const visit = line('200 1 ~ HTTP/1.1 0 - -', { agent: OUTSIDE_AGENT })

  expect(new LineReader().read(visit)).toMatchObject({ at: AT, from_dashboard: true })
})

test('any text is read without an error, and gives numbers or nothing', () => {
  const reader = new LineReader()
  forAll(fc.string(), fc.array(fc.string(), { maxLength: 8 }), (text, parts) => {
    for (const one of [text, parts.join('"'), line(text)]) {
      const { at = 0, status, bytes, php_ms = 0 } = reader.read(one) ?? { status: 0, bytes: 0 }
      for (const number of [at, status, bytes, php_ms]) expect(Number.isNaN(number)).toBe(false)
    }
  })
})
