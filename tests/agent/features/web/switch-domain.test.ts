import { expect, test } from 'bun:test'
import { switchDomain } from '#agent/features/web/switch-domain.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const LONG: Site = { ...shop, domain: 'my-shop.example' }

const linksOn = async (host: Awaited<ReturnType<typeof server>>) => {
  const entries = await host.files.list('/etc/nginx/sites-enabled')
  return entries.map(({ name }) => name).filter((name) => name.startsWith('hosting-'))
}

test.each([
  ['which nginx still reads', LONG],
  ['whose name ends with the other one', shop],
])('serves a site again, %s', async (_, site) => {
  const host = await server(site)
  const other = site === LONG ? shop : LONG
  const before = await linksOn(host)

  await switchDomain(host, other.domain, site)
  expect(await linksOn(host)).toEqual(before)

  await switchDomain(host, site.domain, other)
  expect(await linksOn(host)).toContain(`hosting-${other.domain}.conf`)
  await switchDomain(host, other.domain, site)
  expect(await linksOn(host)).toEqual(before)
})
