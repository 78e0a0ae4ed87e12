import { expect, test } from 'bun:test'
import { siteCreate } from '#agent/commands/site.create.ts'
import { siteDomains } from '#agent/commands/site.domains.ts'
import { findSite, getSite, writeSite } from '#agent/os/site/sites.ts'
import { COMMANDS } from '#shared/commands.ts'
import { ServiceError } from '#shared/errors.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { withHook } from '#tests/support/agent/dns-hook.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const WILDCARD = { aliases: ['*.shop.example'] }

const paramsOf = (names: object) =>
  COMMANDS['site.domains'].params.parse({ domain: 'shop.example', ...names })

const set = (host: FakeHost, names: object) =>
  outcome(siteDomains.run(paramsOf(names), contextOf(host)))

/** The fields of the refusal of a change. */
async function refusedIn(host: FakeHost, names: object): Promise<unknown> {
  const before = host.disk.all
  const refused = await siteDomains
    .run(paramsOf(names), contextOf(host))
    .next()
    .catch((error: unknown) => (error instanceof ServiceError ? error.fields : error))
  expect(host.disk.all).toEqual(before)
  return refused
}

test('nginx serves a wildcard, and the record has it; an empty list undoes it', async () => {
  const host = await server(shop)
  const before = host.disk.all

  const [, result] = await set(host, WILDCARD)

  expect(result).toMatchObject({ aliases: ['*.shop.example'] })
  expect(host.disk.all[VHOST]).toContain(
    'server_name shop.example www.shop.example *.shop.example;',
  )
  expect((await findSite(host, 'shop.example'))?.names?.aliases).toEqual(['*.shop.example'])
  await set(host, {})
  expect(host.disk.all).toEqual(before)
})

test('a site with a certificate of an authority needs a hook for it', async () => {
  const host = await server(shop)
  await writeSite(host, { ...(await getSite(host, 'shop.example')), tls: 'letsencrypt' })

  expect(await refusedIn(host, WILDCARD)).toEqual({
    aliases: [
      '*.shop.example needs a DNS record for its certificate, and this server cannot set it: neither AGENT_DNS_HOOK nor AGENT_CLOUDFLARE_TOKEN_FILE is set',
    ],
  })
  await withHook(host)
  expect(await set(host, WILDCARD)).toMatchObject([
    expect.anything(),
    { aliases: ['*.shop.example'] },
  ])
})

test('a wildcard over names of another site, and such a name, need consent', async () => {
  const host = await server(shop)
  const other = { ...shop, domain: 'blog.shop.example', user: 'blog' }
  await writeSite(host, other)
  const consent = (what: string) => ({
    accept: [`Must contain the words of these changes: name_taken_over (name ${what})`],
  })

  expect(await refusedIn(host, WILDCARD)).toEqual(
    consent('*.shop.example, which covers blog.shop.example of the site blog.shop.example'),
  )
  await set(host, { ...WILDCARD, accept: ['name_taken_over'] })
  expect((await findSite(host, 'shop.example'))?.names?.aliases).toEqual(['*.shop.example'])

  const added = { ...shop, domain: 'x.shop.example', user: 'x' }
  await expect(siteCreate.run(added, contextOf(host)).next()).rejects.toMatchObject({
    fields: {
      accept: [
        expect.stringContaining(
          'name_taken_over (name x.shop.example, which the site shop.example serves as *.shop.example)',
        ),
      ],
    },
  })
})

test.each(['*.shop.example', '.shop.example'])(
  'refuses a wildcard that a foreign virtual host serves as %s',
  async (written) => {
    const host = await server(shop)
    host.answer(
      'nginx -T',
      `# configuration file /etc/nginx/sites-enabled/foreign:\nserver { server_name ${written}; }\n`,
    )
    expect(await refusedIn(host, WILDCARD)).toEqual({
      aliases: [
        '*.shop.example is already served by /etc/nginx/sites-enabled/foreign on this server',
      ],
    })
  },
)

test('refuses the wildcard of another site', async () => {
  const host = await server(shop)
  const { www, aliases, redirects } = paramsOf(WILDCARD)
  const names = { www, aliases, redirects }
  await writeSite(host, { ...shop, domain: 'b.example', user: 'b', names })

  expect(await refusedIn(host, WILDCARD)).toEqual({
    aliases: ['*.shop.example is a name of the site b.example of this server'],
  })
})
