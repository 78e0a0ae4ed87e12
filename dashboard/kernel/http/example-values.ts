/** Shared parts of examples: one server, one site, one operation. */
export const OPERATION = 'q3Yk0ZsV1nTfBw8eR5uLxA'
export const BULK = 'hN2cP9dX4mKvJ7sT0aQzLg'
export const AT = '2026-03-01T09:30:00.000Z'
export const LATER = '2026-03-01T09:30:12.000Z'
export const facts = {
  id: 1,
  name: 'web-1',
  hostname: 'web-1.example.net',
  port: 8443,
  tags: ['production', 'eu'],
  os: 'Debian GNU/Linux 13 (trixie)',
  version: '0.1.0',
  sites_count: 12,
}
export const site = { id: 7, domain: 'shop.example', user: 'shop_k3f9', php: '8.4', tier: 'small' }
export const updates = { plugins: 2, themes: 0, core: false }
export const target = { server_id: 1, site_id: 7, domain: 'shop.example' }
