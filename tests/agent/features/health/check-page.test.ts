import { expect, test } from 'bun:test'
import { checkPage } from '#agent/features/health/check-page.ts'
import type { VisitResult } from '#agent/kernel/host/visit-port.ts'

const URL = 'https://shop.example/?hosting-health=x'
const page = (status: number, body = '<p>', headers: Record<string, string> = {}): VisitResult => ({
  ...{ status, body, headers, ms: 10 },
})

const FATAL = '<div class="wp-die-message"><p>Es gab einen kritischen Fehler</p></div>'
const DATABASE = '<body id="error-page"><h1>Error establishing a database connection</h1>'

test.each<[string, VisitResult, string]>([
  ['a page', page(200), 'up up'],
  ['an empty page', page(200, ' \n'), 'degraded http_empty'],
  ['an error page of WordPress that says 200', page(200, FATAL), 'down http_fatal'],
  ['the critical error of WordPress', page(500, FATAL), 'down http_fatal'],
  ['WordPress without its database', page(500, DATABASE), 'down http_fatal'],
  ['an error of a program', page(500, ''), 'down http_error'],
  ['nginx without PHP', page(502, 'Bad Gateway'), 'down http_gateway'],
  ['PHP that takes too long', page(504), 'down http_gateway'],
  ['maintenance', page(503, 'soon', { 'retry-after': '600' }), 'degraded http_maintenance'],
  ['a server that gives up', page(503), 'down http_error'],
  [
    'a redirect to www',
    page(301, '', { location: 'https://www.shop.example/' }),
    'up http_redirect',
  ],
  [
    'a redirect to itself',
    page(302, '', { location: 'https://shop.example/' }),
    'degraded http_loop',
  ],
  ['a password', page(401), 'up http_protected'],
  ['a plugin that refuses', page(403), 'degraded http_refuses'],
  ['no front page', page(404), 'degraded http_not_found'],
  ['nobody who listens', { failed: 'refused', ms: 1 }, 'down http_refused'],
  ['a page that never comes', { failed: 'timeout', ms: 10_000 }, 'down http_timeout'],
  ['broken TLS', { failed: 'tls', ms: 1 }, 'down http_tls'],
  ['a connection that ends', { failed: 'broken', ms: 1 }, 'down http_broken'],
])('%s', (_, visited, verdict) => {
  const { state, code } = checkPage(visited, URL)
  expect(`${state} ${code}`).toBe(verdict)
})
