import { expect, test } from 'bun:test'
import { siteConfigure } from '#agent/features/sites/site.configure.ts'
import { renderForwarding } from '#agent/features/web/move-locations.ts'
import { renderVisitor, visitorHeaderOf } from '#agent/features/web/visitor.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import { CDN_NETWORKS } from '#shared/sites/cdn.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const trust = (cdn: string) => `    set_real_ip_from ${cdn};`

test('no header is trusted for the address of a visitor until a network is trusted', async () => {
  const host = await server(shop)

  expect(host.disk.all[VHOST]).not.toContain('real_ip')
})

test('each server of the site trusts the networks of the CDN alone', async () => {
  const host = await server(shop)

  const change = { domain: shop.domain, trusted_cdn: 'Cloudflare' as const }
  const [, result] = await outcome(siteConfigure.run(change, contextOf(host)))

  expect(result).toMatchObject({ trusted_cdn: 'Cloudflare' })
  expect((await findSite(host, shop.domain))?.settings).toEqual({ trusted_cdn: 'Cloudflare' })
  const lines = (host.disk.all[VHOST] ?? '').split('\n').filter((line) => line.includes('real_ip'))
  expect(lines).toEqual([
    ...CDN_NETWORKS.Cloudflare.map(trust),
    '    real_ip_header CF-Connecting-IP;',
  ])
})

test('a list of addresses is read from its end, up to the first one that is not of the CDN', () => {
  const lines = renderVisitor({ settings: { trusted_cdn: 'Sucuri' } })
    .trimEnd()
    .split('\n')

  expect(lines).toEqual([
    ...CDN_NETWORKS.Sucuri.map(trust),
    '    real_ip_header X-Forwarded-For;',
    '    real_ip_recursive on;',
  ])
})

test('a move behind a CDN sends the address of the visitor in the header of the CDN', () => {
  const settings = { trusted_cdn: 'Cloudflare' } as const
  const arriving = renderVisitor({ settings, moving: { from: ['192.0.2.1'] } }).split('\n')

  expect(arriving[0]).toBe(trust('192.0.2.1'))
  expect(arriving.filter((line) => line.includes('real_ip_header'))).toEqual([
    '    real_ip_header CF-Connecting-IP;',
  ])
  const header = visitorHeaderOf({ settings })
  const way = { domain: shop.domain, to: '192.0.2.2', tls: false, pinned: undefined, header }
  expect(renderForwarding(way, {})).toContain('proxy_set_header CF-Connecting-IP $remote_addr;')
})

test('a request that the other server does not answer gets the page of the move', () => {
  const way = { domain: shop.domain, to: '192.0.2.2', tls: false, pinned: undefined, header: 'X' }
  const lines = renderForwarding(way, {})
    .split('\n')
    .map((line) => line.trim())

  expect(lines).toContain('error_page 502 504 = @hosting_unanswered;')
  const page = lines.slice(lines.indexOf('location @hosting_unanswered {'))
  expect(page.slice(0, 4)).toEqual([
    'location @hosting_unanswered {',
    'default_type text/html;',
    'add_header Retry-After 30 always;',
    'add_header Cache-Control no-store always;',
  ])
  expect(page[4]).toStartWith("return 503 '<!doctype html>")
})
