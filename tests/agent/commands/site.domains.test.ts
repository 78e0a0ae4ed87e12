import { expect, test } from 'bun:test'
import { preparing } from '#agent/commands/new-site.ts'
import { siteDomains } from '#agent/commands/site.domains.ts'
import { findSite, writeSite } from '#agent/os/site/sites.ts'
import type { Warning } from '#shared/agent.ts'
import { COMMANDS } from '#shared/commands.ts'
import { ServiceError } from '#shared/errors.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
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

test('restores everything when nginx refuses the new configuration', async () => {
  const host = await server(shop)
  const before = host.disk.all
  host.fail('nginx -t', 'emerg')

  const [, message] = await set(host, NAMES)

  expect(message).toContain('nginx refuses its configuration: emerg')
  expect(host.disk.all).toEqual(before)
})

/** The refused fields of a plan, which changes nothing. */
async function refusedIn(host: FakeHost, names: object): Promise<unknown> {
  try {
    await siteDomains.plan(paramsOf(names), host)
    return undefined
  } catch (error) {
    return error instanceof ServiceError ? error.fields : error
  }
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
  const before = host.disk.all

  expect(await refusedIn(host, names)).toEqual({ [field]: [message] })
  await set(host, names)
  expect(host.disk.all).toEqual(before)
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

test('an interrupted change is undone, and its repetition completes it', async () => {
  const host = await server(shop)
  const before = host.disk.all
  const reload = host.files.write.bind(host.files)
  host.files.write = async (path, text, options) => {
    if (path.endsWith('/sites/shop.example.json')) throw new Error('power loss')
    return reload(path, text, options)
  }

  const [, message] = await set(host, NAMES)
  host.files.write = reload

  expect(message).toContain('power loss')
  expect(host.disk.all).toEqual(before)
  const [, result] = await set(host, NAMES)
  expect(result).toMatchObject({ aliases: ['b.example'] })
  expect(await siteDomains.finished?.(paramsOf(NAMES), host)).toEqual(COMPLETE)
  expect(await siteDomains.finished?.(paramsOf({}), host)).toBeUndefined()
})

test('a new site cannot take an alias of another one', async () => {
  const host = await server(shop)
  await set(host, NAMES)

  const creating = preparing(host, { ...shop, domain: 'www.b.example', user: 'x' })

  await expect(creating).rejects.toMatchObject({
    fields: { domain: ['Already taken by the site shop.example of this server'] },
  })
})
