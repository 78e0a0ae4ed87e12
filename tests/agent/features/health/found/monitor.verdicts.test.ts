import { expect, test } from 'bun:test'
import { checkFoundCertificate, checkFoundPage } from '#agent/features/health/found/monitor.ts'
import type { VisitResult } from '#agent/kernel/host/visit-port.ts'

const page = (status: number, headers: Record<string, string> = {}, body = ''): VisitResult => ({
  ...{ status, body, headers, ms: 10 },
})

test.each<[string, VisitResult, string]>([
  ['a page', page(200), 'up up'],
  ['a page of a cache', page(200, { 'x-cache': 'HIT' }), 'up http_cached'],
  ['a redirect', page(301, { location: 'https://a.example/' }), 'up http_redirect'],
  ['a password', page(401), 'up http_protected'],
  ['a closed door', page(403), 'up http_protected'],
  ['no front page', page(404), 'up http_answers'],
  ['an error', page(500), 'down http_error'],
  ['the critical error of WordPress', page(500, {}, 'class="wp-die-message"'), 'down http_fatal'],
  ['no PHP', page(502), 'down http_gateway'],
  ['maintenance', page(503, { 'retry-after': '60' }), 'degraded http_maintenance'],
  ['nobody who listens', { failed: 'refused', ms: 1 }, 'down http_refused'],
  ['a page that never comes', { failed: 'timeout', ms: 10_000 }, 'down http_timeout'],
])('a found site that answers with %s', (_, visited, verdict) => {
  const { state, code } = checkFoundPage(visited, 'http://a.example/')
  expect(`${state} ${code}`).toBe(verdict)
})

const NOW = Date.UTC(2026, 0, 10)
const certificate = (day: string, facts: { issuer?: string; name?: string } = {}) => ({
  ...{ issuer: 'CN=Authority', subject: 'CN=a.example', ...facts },
  validTo: `Jan ${day} 00:00:00 2026 GMT`,
  checkHost: (name: string) => (name === (facts.name ?? 'a.example') ? name : undefined),
})

test.each([
  ['that is good', certificate('20'), 'up up'],
  ['that ends soon', certificate('12'), 'degraded certificate_ending'],
  ['that has ended', certificate(' 9'), 'down certificate_expired'],
  ['of another name', certificate('20', { name: 'b.example' }), 'degraded certificate_name'],
  [
    'that is self-signed',
    certificate(' 9', { issuer: 'CN=a.example' }),
    'up certificate_self_signed',
  ],
])('a certificate %s', (_, found, verdict) => {
  const { state, code } = checkFoundCertificate(found, 'a.example', NOW)
  expect(`${state} ${code}`).toBe(verdict)
})
