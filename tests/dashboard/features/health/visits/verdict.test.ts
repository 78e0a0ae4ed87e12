import { expect, test } from 'bun:test'
import { type VisitResult, verdictOf } from '#dashboard/features/health/visits/verdict.ts'

const page = (status: number, body = 'a page', headers = {}): VisitResult => ({
  ...{ port: 443, url: 'https://shop.example/' },
  answer: { status, headers, body },
})
const FATAL = page(500, '<div class="wp-die-message">')
const FINE = page(200)
const closed: VisitResult = { port: 443, failed: 'refused' }
const silent: VisitResult = { port: 443, failed: 'unreachable' }

const shown = (found: Parameters<typeof verdictOf>[0]) => {
  const { state, code, reason } = verdictOf(found)
  return `${state} ${code}: ${reason}`
}

test.each<[string, VisitResult, string]>([
  ['a page', FINE, 'up up: '],
  ['a page of a cache', page(200, 'a', { 'x-cache': 'HIT' }), 'up up: '],
  [
    'a fatal error',
    FATAL,
    'down http_fatal: WordPress shows a critical error: a plugin or theme fails',
  ],
  ['a password', page(401), 'up http_protected: Its front page requires a password'],
  [
    'maintenance',
    page(503, '', { 'retry-after': '60' }),
    'degraded http_maintenance: The site is in maintenance mode',
  ],
  ['a closed port', closed, 'down visit_refused: Its server refuses visitors on port 443'],
  ['silence', silent, 'down visit_unreachable: Its server does not answer visitors on port 443'],
  [
    'a slow page',
    { port: 443, failed: 'timeout' },
    'down visit_timeout: Its front page did not answer a visitor within 10 seconds',
  ],
])('at the address of its name: %s', (_, straight, expected) => {
  expect(shown({ dns: 'here', cdn: null, straight })).toBe(expected)
})

test.each<[string, VisitResult, VisitResult | undefined, string]>([
  ['a page', FINE, undefined, 'up up: '],
  [
    'a page that refuses robots, while the server answers',
    page(403),
    FINE,
    'unknown visit_cdn: Its name leads to Cloudflare, which answers 403 to this dashboard',
  ],
  [
    'its own failure, while the server admits the network only',
    page(522),
    silent,
    'unknown visit_cdn: Its name leads to Cloudflare, which answers 522 to this dashboard',
  ],
  [
    'no answer',
    silent,
    FINE,
    'unknown visit_cdn: Its name leads to Cloudflare, which does not answer to this dashboard',
  ],
  [
    'the failure of the site',
    page(500),
    page(500, ''),
    'down http_error: Its front page answers 500',
  ],
])('through a content delivery network: %s', (_, through, straight, expected) => {
  expect(shown({ dns: 'cdn', cdn: 'Cloudflare', through, straight })).toBe(expected)
})

test.each<[Parameters<typeof verdictOf>[0]['dns'], VisitResult, string]>([
  [
    'none',
    FINE,
    'up visit_elsewhere: Its name does not lead to its server yet: the server itself was requested',
  ],
  [
    'elsewhere',
    FATAL,
    'down http_fatal: WordPress shows a critical error: a plugin or theme fails',
  ],
  [
    'elsewhere',
    closed,
    'unknown visit_elsewhere: Its name does not lead to its server, and this dashboard cannot connect to it',
  ],
  [
    'unknown',
    silent,
    'unknown visit_elsewhere: The public address of its server is not known, and this dashboard cannot connect to it',
  ],
  [
    'cdn',
    silent,
    'unknown visit_elsewhere: Its name leads to a content delivery network, and this dashboard cannot connect to it',
  ],
])('of a name that leads to the server: %s', (dns, straight, expected) => {
  expect(shown({ dns, cdn: null, straight })).toBe(expected)
})
