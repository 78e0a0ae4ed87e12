import { expect, test } from 'bun:test'
import { namesOf } from '#dashboard/domains/names.queries.ts'
import { twoServers } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'

const SITE = { php: '8.2', tier: 'large', tls: 'none', email: 'owner@shop.example' }
const REDIRECT = { domain: 'old.example', status: 302, keep_path: false }
const NAMES = {
  www: 'redirect',
  aliases: ['shop.example.org', 'www.shop.example.org', 'free.example'],
  redirects: [
    REDIRECT,
    { domain: 'away.example', to: 'https://x.example', status: 301, keep_path: true },
  ],
}

/** The server of a site with these names is gone, and the other one reads them from its backup. */
async function gone(names: object | undefined) {
  const all = await twoServers()
  const { dashboard, two, first, second, shop } = all
  const at = `/api/servers/${first}/sites/${shop}/backups`
  await (await dashboard.send('POST', at, {})).text()
  const backup_id = (await dashboard.call('GET', at)).body.backups[0].id
  await dashboard.send('DELETE', `/api/servers/${first}`)
  two.agent.answers.set('/backups/browse', () =>
    Response.json({ entries: [], is_cut: false, tables: [], site: { ...SITE, names } }),
  )
  const bring = async (domain = 'shop.example', more: object = {}) => {
    const from = { kind: 'backup', backup_id }
    const { body } = await all.clone(second, { domain, from, ...more })
    const { id } = body.site
    await until(async () => (await all.site(id)).status === 'active')
    return { id, sent: two.given.at(-1)?.['site.clone'] }
  }
  return { ...all, bring }
}

test('a site that is created again from its backup has the names that are in it', async () => {
  await using all = await gone(NAMES)

  const { id, sent } = await all.bring()

  expect<unknown>(sent?.names).toEqual(NAMES)
  expect<unknown>(await namesOf(all.dashboard.db, id)).toEqual(NAMES)
  const other = { domain: 'free.example', php: '8.2', tls: 'none' }
  const taken = await all.dashboard.call('POST', `/api/servers/${all.second}/sites`, other)
  expect(taken.body.fields).toEqual({
    domain: ['The domain is already taken: it is a name of shop.example'],
  })
})

test('it does not get the names that another site has by now', async () => {
  await using all = await gone(NAMES)
  const at = `/api/servers/${all.second}/sites`
  for (const domain of ['free.example', 'www.old.example']) {
    const { status } = await all.dashboard.call('POST', at, { domain, php: '8.2', tls: 'none' })
    expect(status).toBe(201)
  }

  const { id, sent } = await all.bring()

  const left = {
    ...{ www: 'redirect', aliases: NAMES.aliases.slice(0, 2), redirects: NAMES.redirects.slice(1) },
  }
  expect<unknown>(sent?.names).toEqual(left)
  expect<unknown>(await namesOf(all.dashboard.db, id)).toEqual(left)
})

test('a copy with another address, and a staging site, have no other names', async () => {
  await using all = await gone(NAMES)

  const copy = await all.bring('copy.example')
  const staging = await all.bring('staging.shop.example', { staging: true })

  expect([copy.sent?.names, staging.sent?.names]).toEqual([undefined, undefined])
})

test('a backup of an earlier agent has no names', async () => {
  await using all = await gone(undefined)

  const { id, sent } = await all.bring()

  expect(sent?.names).toBeUndefined()
  expect<unknown>(await namesOf(all.dashboard.db, id)).toEqual({
    ...{ www: 'serve', aliases: [], redirects: [] },
  })
})
