import { expect, test } from 'bun:test'
import { listConditions } from '#agent/features/servers/conditions.ts'
import { siteConfigure } from '#agent/features/sites/site.configure.ts'
import { ownNetworks } from '#agent/features/web/cdn-networks.ts'
import { contextOf, debian, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const FILE = '/etc/hosting-agent/cdn-networks'
const FORM = 'must have a network such as 203.0.113.0/24, from /8 (IPv6: /19) on'
const TRUST = { domain: shop.domain, trusted_cdn: 'Cloudflare' as const }

async function write<H extends FakeHost>(host: H, text: string, mode = 0o644): Promise<H> {
  host.settings.cdn_networks_file = FILE
  await host.disk.mkdir('/etc/hosting-agent', { mode: 0o755 })
  await host.disk.write(FILE, text, { mode })
  return host
}

test('are those of their CDN, without comments', async () => {
  const text = '# of 2026\nCloudflare 203.0.113.0/24 # new\n\n  Sucuri\t2001:db8:40::/48\n'
  const host = await write(debian(), text)

  expect(await ownNetworks(host, 'Cloudflare')).toEqual(['203.0.113.0/24'])
  expect(await ownNetworks(host, 'Sucuri')).toEqual(['2001:db8:40::/48'])
  expect(await ownNetworks(host, 'Fastly')).toEqual([])
})

test('a wrong line is a condition of the server until it is corrected', async () => {
  const host = await write(debian(), 'Cloudflare all\n')
  const found = async () =>
    (await listConditions(host)).filter(({ code }) => code === 'cdn_networks')

  expect(await found()).toEqual([
    {
      code: 'cdn_networks',
      message: `${FILE} line 1: ${FORM}. Until it is corrected, no site that trusts a CDN can be changed`,
    },
  ])
  await write(host, 'Cloudflare 203.0.113.0/24\n')
  expect(await found()).toEqual([])
})

test('there are none without a file', async () => {
  expect(await ownNetworks(debian(), 'Cloudflare')).toEqual([])
})

test.each([
  ['Akamai 203.0.113.0/24', 'must begin with one of Cloudflare, Fastly, Sucuri'],
  ['Cloudflare 203.0.113.0/24 198.51.100.0/24', 'must have one network'],
  ['Cloudflare', FORM],
  ['Cloudflare 203.0.113.1', FORM],
  ['Cloudflare 0.0.0.0/0', FORM],
  ['Cloudflare 203.0.113.0/33', FORM],
  ['Cloudflare ::/0', FORM],
  ['Cloudflare 256.0.0.0/8', FORM],
  ['Cloudflare 203.0.113.0/24;', FORM],
  ['Cloudflare all', FORM],
])('the line %p is refused by its rule', async (line, rule) => {
  const host = await write(debian(), `# first\n${line}\n`)

  await expect(ownNetworks(host, 'Cloudflare')).rejects.toThrow(`${FILE} line 2: ${rule}`)
})

test('a file that others can change is not read', async () => {
  const host = await write(debian(), 'Cloudflare 203.0.113.0/24\n', 0o666)

  await expect(ownNetworks(host, 'Cloudflare')).rejects.toThrow(
    `The networks of CDNs cannot be read: ${FILE} is writable by others than root`,
  )
})

test('a site that trusts the CDN trusts them too, and others do not', async () => {
  const host = await write(
    await server(shop),
    'Cloudflare 203.0.113.0/24\nFastly 198.51.100.0/24\n',
  )
  expect(host.disk.all[VHOST]).not.toContain('203.0.113.0/24')

  await outcome(siteConfigure.run(TRUST, contextOf(host)))

  expect(host.disk.all[VHOST]).toContain('    set_real_ip_from 203.0.113.0/24;\n')
  expect(host.disk.all[VHOST]).not.toContain('198.51.100.0/24')
})

test('a wrong line refuses the change, and the site is served as before', async () => {
  const host = await write(await server(shop), 'Cloudflare everything\n')
  const before = host.disk.all[VHOST]

  const [, result] = await outcome(siteConfigure.run(TRUST, contextOf(host))).catch(
    (error: unknown) => ['', error] as const,
  )

  expect(String(result)).toContain(`${FILE} line 1: ${FORM}`)
  expect(host.disk.all[VHOST]).toBe(before)
})
