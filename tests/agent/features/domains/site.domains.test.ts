import { expect, test } from 'bun:test'
import { siteDomains } from '#agent/features/domains/site.domains.ts'
import { preparationSteps } from '#agent/features/sites/new-site.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { findSite, getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { COMMANDS } from '#shared/commands.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { withHook } from '#tests/support/agent/dns-hook.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'

const paramsOf = (names: object) =>
  COMMANDS['site.domains'].params.parse({ domain: 'shop.example', ...names })

const set = (host: FakeHost, names: object, warnings: Warning[] = []) =>
  outcome(siteDomains.run(paramsOf(names), contextOf(host, warnings)))

const servedNames = (host: FakeHost) =>
  [...(host.disk.all[VHOST] ?? '').matchAll(/server_name (.+);/g)].map(([, names]) => names)

const NAMES = { aliases: ['b.example'], redirects: [{ domain: 'old.example' }] }
const COMPLETE = {
  ...{ domain: 'shop.example', www: 'serve' as const, aliases: ['b.example'] },
  redirects: [{ domain: 'old.example', status: 301 as const, keep_path: true }],
}

test('serves aliases, redirects the others and records both with one reload', async () => {
  const host = await server(shop)

  const [lines, result] = await set(host, NAMES)

  expect(result).toEqual(COMPLETE)
  expect(lines).toEqual(['Applying the virtual host', 'Recording the names'])
  expect(servedNames(host)).toEqual(['shop.example www.shop.example b.example', 'old.example'])
  expect((await findSite(host, 'shop.example'))?.names?.aliases).toEqual(['b.example'])
  expect(host.ran.filter((line) => line.includes('--signal HUP'))).toHaveLength(1)
})

test('the list replaces the former one, and an empty list leaves the record as it was', async () => {
  const host = await server(shop)
  const before = host.disk.all
  await set(host, NAMES)

  await set(host, {})

  expect(host.disk.all).toEqual(before)
})

/** The fields of the refusal of a change, which changes nothing. */
async function refusedIn(host: FakeHost, names: object): Promise<unknown> {
  const before = host.disk.all
  const reason = (error: unknown) => (error instanceof ServiceError ? error.fields : error)
  const refused = await siteDomains.run(paramsOf(names), contextOf(host)).next().catch(reason)
  expect(host.disk.all).toEqual(before)
  return refused
}

test.each([
  [
    { aliases: ['b.example'] },
    'aliases',
    'b.example is a name of the site b.example of this server',
  ],
  [
    { aliases: ['www.b.example'] },
    'aliases',
    'www.b.example is a name of the site b.example of this server',
  ],
  [
    { redirects: [{ domain: 'c.example' }] },
    'redirects',
    'c.example is a name of the site b.example of this server',
  ],
  [
    { aliases: ['t.example'] },
    'aliases',
    't.example is a name of t.example, which is in the trash: restore it or delete it permanently',
  ],
])('refuses %p, which another site of the server has', async (names, field, message) => {
  const host = await server(shop)
  const { www, aliases, redirects } = paramsOf({ aliases: ['c.example'] })
  const other = { ...shop, user: 'other', names: { www, aliases, redirects } }
  await writeSite(host, { ...other, domain: 'b.example' })
  await writeSite(host, { ...shop, domain: 't.example', user: 'gone' }, 'trash')

  const fields = { [field]: [message] }
  await expect(siteDomains.plan(paramsOf(names), host)).rejects.toMatchObject({ fields })
  expect(await refusedIn(host, names)).toEqual(fields)
})

test('refuses a name that a virtual host of somebody else serves', async () => {
  const host = await server(shop)
  host.answer(
    'nginx -T',
    '# configuration file /etc/nginx/sites-enabled/foreign:\nserver { server_name b.example; }\n',
  )

  expect(await refusedIn(host, { aliases: ['b.example'] })).toEqual({
    aliases: ['b.example is already served by /etc/nginx/sites-enabled/foreign on this server'],
  })
})

test('a new site cannot take an alias of another one', async () => {
  const host = await server(shop)
  await set(host, NAMES)

  const creating = preparationSteps(host, { ...shop, domain: 'www.b.example', user: 'x' })

  await expect(creating).rejects.toMatchObject({
    fields: { domain: ['Already taken by the site shop.example of this server'] },
  })
})

const WILDCARD = { aliases: ['*.shop.example'] }

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
    accept: [
      `This changes what Hosting Control did not create: name ${what} (name_taken_over). Confirm it with accept: ["name_taken_over"]`,
    ],
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
          'name x.shop.example, which the site shop.example serves as *.shop.example (name_taken_over)',
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
