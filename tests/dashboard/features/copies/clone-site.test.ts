// tier: gate
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import { operations, servers } from '#dashboard/kernel/db/schema.ts'
import { PASSWORD, place, SECRET } from '#tests/support/dashboard/backups.ts'
import { ADDRESSES, twoServers } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const NOWHERE = { tag: null, server_id: null, site_id: null }
const CREATED = { id: expect.any(Number), domain: 'copy.example', status: 'provisioning' }

const refusedFrom = (reason: string) => ({
  status: 422,
  body: { error: 'Validation failed', fields: { from: [reason] } },
})

describe('a copy of a site', () => {
  test('is as the original where the call omits something, and reports its addresses', async () => {
    await using all = await twoServers()
    const { dashboard, one, first, shop, site, clone } = all

    const answer = await clone(first, {
      ...{ domain: 'copy.example', from: { kind: 'site', site_id: shop } },
    })

    const id = answer.body.site.id
    const copy = await until(async () => {
      const now = await site(id)
      return now.status === 'active' && now
    })
    const events = await dashboard.send('GET', `/api/operations/${copy.operations[0].id}/events`)
    expect(answer).toEqual({ status: 201, body: { site: CREATED } })
    expect(one.given).toEqual([
      {
        'site.clone': {
          ...{ domain: 'copy.example', php: '8.2', tier: 'medium', tls: 'none' },
          ...{ email: 'owner@shop.example', user: expect.stringMatching(/^copy[a-z0-9]{6}$/) },
          from: { kind: 'site', domain: 'shop.example' },
        },
      },
    ])
    expect([copy.copy_of.domain, copy.staging, copy.managed]).toEqual(['shop.example', false, true])
    expect((await site(shop)).copies.map(({ id }: { id: number }) => id)).toEqual([id])
    expect(await events.text()).toContain(JSON.stringify(ADDRESSES))
  })

  test('records the settings that the agent applied', async () => {
    await using all = await twoServers()
    const { dashboard, one, first, shop, site, clone } = all
    const settings = {
      ...{ domain: 'copy.example', maintenance: null, basic_auth: null, trusted_cdn: null },
      ...{ php_settings: { memory_limit: 200, values: {} }, page_cache: null, xmlrpc: 'off' },
      ...{ csp: 'report', hsts: 'on', page_purge: false },
    }
    const usual = one.agent.works.get('site.clone')
    one.agent.works.set('site.clone', async function* (params) {
      const result = usual && (yield* usual(params))
      return { ...result, settings }
    })

    const from = { kind: 'site', site_id: shop }
    const { body } = await clone(first, { domain: 'copy.example', from, with_jobs: true })
    const { id } = body.site
    await until(async () => (await site(id)).status === 'active')

    expect(one.given).toMatchObject([{ 'site.clone': { with_jobs: true } }])
    const shown = await dashboard.call('GET', `/api/servers/${first}/sites/${id}/settings`)
    const { domain: _, ...own } = settings
    expect(shown.body.settings).toMatchObject(own)
  })

  test('that is a staging site has a password, of which the agent gets the hash', async () => {
    await using all = await twoServers()
    const { dashboard, one, first, shop, site, clone } = all
    const from = { kind: 'site', site_id: shop }

    const { body } = await clone(first, { domain: 'staging.shop.example', from, staging: true })

    const { id } = body.site
    await until(async () => (await site(id)).status === 'active')
    const path = `/api/servers/${first}/sites/${id}/staging-password`
    const { user: name, password } = (await dashboard.call('POST', path)).body
    const { of, user, password_hash } = Object(one.given[0]?.['site.clone']?.staging)
    const bytes = Buffer.from(String(password_hash).slice('{SSHA}'.length), 'base64')
    const hash = createHash('sha1').update(password).update(bytes.subarray(20))
    expect([of, user, name]).toEqual(['shop.example', 'staging', 'staging'])
    expect(bytes.subarray(0, 20).toString('hex')).toBe(hash.digest('hex'))
    expect(JSON.stringify(one.given)).not.toContain(password)
  })

  test('that failed stays recorded with the reason, and is retried', async () => {
    await using all = await twoServers()
    const { dashboard, one, first, shop, site, clone } = all
    const usual = one.agent.works.get('site.clone')
    const asked: unknown[] = []
    one.agent.works.set('site.clone', async function* (params) {
      asked.push(params)
      if (asked.length === 1) throw new Error('The disk is full')
      if (!usual) throw new Error('no work')
      return yield* usual(params)
    })
    const from = { kind: 'site', site_id: shop }
    const { id } = (await clone(first, { domain: 'copy.example', from })).body.site
    await until(async () => (await site(id)).status === 'failed')
    const { operations: found } = (await dashboard.call('GET', '/api/operations?type=site.clone'))
      .body

    const retry = async (...sites: number[]) => {
      const parts = sites.map((site_id) => ({ ...NOWHERE, gives: 'operator' as const, site_id }))
      const headers = await dashboard.signInWith([], parts)
      return (await dashboard.call('POST', `/api/operations/${found[0].id}/retry`, {}, headers))
        .status
    }

    expect([await retry(id), await retry(id, shop)]).toEqual([403, 202])
    await until(async () => (await site(id)).status === 'active')
    expect(asked).toEqual([asked[0], asked[0]])
  })

  test('of a site of another server needs a recovery kit', async () => {
    await using all = await twoServers({ ready: false })
    const from = { kind: 'site', site_id: all.shop }

    const { status, body } = await all.clone(all.second, { domain: 'copy.example', from })

    const message =
      'No recovery kit is confirmed: create one on the page Backups, and store it safely'
    expect([status, body.message]).toEqual([409, message])
  })

  test('has a plan, with the reasons why its name is not free', async () => {
    await using all = await twoServers()
    const { one, first, shop, clone } = all
    one.agent.plan = { steps: [{ name: 'user', title: 'Creating the user', effects: [] }] }
    const from = { kind: 'site', site_id: shop }

    const planned = await clone(first, { domain: 'copy.example', from, dry_run: true })
    const taken = await clone(first, { domain: 'www.shop.example', from, dry_run: true })

    expect([planned.status, planned.body.plan, planned.body.site.php]).toEqual([
      200,
      one.agent.plan,
      '8.2',
    ])
    expect(taken.body.fields).toEqual({ domain: ['The domain is already taken'] })
    expect(one.given).toEqual([])
  })

  test('is refused for what is no site of ours, or not in use', async () => {
    await using all = await twoServers()
    const { dashboard, first, shop, clone } = all
    const copy = (from: object) => clone(first, { domain: 'copy.example', from })

    const unknown = await copy({ kind: 'site', site_id: 99 })
    const without = await copy({ kind: 'backup', backup_id: 99 })
    const other = await copy({ kind: 'server' })
    await (await dashboard.send('DELETE', `/api/servers/${first}/sites/${shop}`)).text()
    const trashed = await until(async () => {
      const answer = await copy({ kind: 'site', site_id: shop })
      return answer.status === 409 && answer
    })

    expect([unknown, without, other, trashed]).toEqual([
      refusedFrom('Is not a site of this dashboard'),
      refusedFrom('Is not a backup'),
      refusedFrom('Must have a kind: site, backup'),
      { status: 409, body: { error: 'Conflict', message: 'shop.example is not in use' } },
    ])
  })

  test('of a backup works when site and server are gone', async () => {
    await using all = await twoServers()
    const { dashboard, two, first, second, shop, site, clone } = all
    const at = `/api/servers/${first}/sites/${shop}/backups`
    await (await dashboard.send('POST', at, {})).text()
    const backup_id = (await dashboard.call('GET', at)).body.backups[0].id
    const { user: repository } = await site(shop)
    await dashboard.send('DELETE', `/api/servers/${first}`)

    const { body } = await clone(second, {
      ...{ domain: 'shop.example', from: { kind: 'backup', backup_id }, php: '8.4' },
    })

    await until(async () => (await site(body.site.id)).status === 'active')
    const target = { place, secret: SECRET }
    expect(two.given[0]?.['site.clone']).toMatchObject({
      ...{ domain: 'shop.example', php: '8.4', tier: 'small', tls: 'letsencrypt' },
      from: {
        ...{ kind: 'backup', target, repository, backup: '1'.repeat(64) },
        ...{ password: PASSWORD, password_id: passwordIdOf(PASSWORD) },
      },
    })
    const rows = JSON.stringify(await dashboard.db.read.select().from(operations))
    expect([rows.includes(SECRET), rows.includes(PASSWORD)]).toEqual([false, false])
    expect((await site(body.site.id)).copy_of).toBe(null)
  })

  test('of a backup is as the site in it, when that is not on record any more', async () => {
    await using all = await twoServers()
    const { dashboard, two, first, second, shop, clone } = all
    const at = `/api/servers/${first}/sites/${shop}/backups`
    await (await dashboard.send('POST', at, {})).text()
    const backup_id = (await dashboard.call('GET', at)).body.backups[0].id
    await dashboard.send('DELETE', `/api/servers/${first}`)
    const input = { domain: 'shop.example', from: { kind: 'backup', backup_id }, dry_run: true }
    const site = { php: '8.2', tier: 'large', tls: 'none', email: 'owner@shop.example' }
    const asked: Record<string, unknown>[] = []
    two.agent.answers.set('/backups/browse', async (request) => {
      asked.push(await request.json())
      return Response.json({ entries: [], is_cut: false, tables: [], site })
    })
    const has = (php_versions: string[]) =>
      dashboard.db.write((queries) =>
        queries.update(servers).set({ php_versions }).where(eq(servers.id, second)),
      )

    await has(['8.2', '8.4'])
    const planned = await clone(second, input)
    await has(['8.4'])
    const elsewhere = await clone(second, { ...input, tier: 'medium' })

    expect(planned.body.site).toMatchObject({ domain: 'shop.example', ...site })
    expect(elsewhere.body.site).toMatchObject({ ...site, php: '8.4', tier: 'medium' })
    const opening = { password: PASSWORD, backup: '1'.repeat(64), path: '' }
    expect(asked[0]).toMatchObject({ ...opening, target: { place, secret: SECRET } })
  })

  test('keeps a version of PHP only where the server has it', async () => {
    await using all = await twoServers()
    const { dashboard, second, shop, clone } = all
    await dashboard.db.write((queries) =>
      queries
        .update(servers)
        .set({ php_versions: ['8.4'] })
        .where(eq(servers.id, second)),
    )

    const { body } = await clone(second, {
      ...{ domain: 'copy.example', from: { kind: 'site', site_id: shop }, dry_run: true },
    })

    expect(body.site.php).toBe('8.4')
    expect(body.plan.steps.map(({ title }: { title: string }) => title)).toEqual([
      'Backing up shop.example on its server',
      'Creating copy.example from the backup',
    ])
  })
})

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

test('a backup without a record of the site has no names', async () => {
  await using all = await gone(undefined)

  const { id, sent } = await all.bring()

  expect(sent?.names).toBeUndefined()
  expect<unknown>(await namesOf(all.dashboard.db, id)).toEqual({
    ...{ www: 'serve', aliases: [], redirects: [] },
  })
})

const cloudflare = useCloudflare()
const { left, put } = cloudflare
const DOMAIN = 'copy.a.example'

/** The site a.example, and what its agent has got for copies. */
async function withRecords({ fail = false } = {}) {
  const all = await cloudflare.oneSite()
  await all.account()
  const given: unknown[] = []
  const seen: unknown[] = []
  all.agent.works.set('site.clone', async function* (params) {
    given.push(params)
    seen.push(left())
    yield 'Copying'
    if (fail) throw new Error('The disk is full')
    const copied = { at: '2026-01-01T00:00:00.000Z', files: 3, bytes: 4, tables: 5 }
    return { domain: params.domain, ...copied, addresses: { replaced: 6, left: [] } }
  })
  const clone = async (more: object) => {
    const from = { kind: 'site', site_id: all.site }
    const at = `/api/servers/${all.server_id}/sites/clone`
    return all.dashboard.call('POST', at, { domain: DOMAIN, tls: 'none', from, ...more })
  }
  const settled = (id: number, status: string) =>
    until(async () => {
      const { body } = await all.dashboard.call('GET', `/api/fleet/sites/${id}`)
      return body.site.status === status
    })
  return { ...all, given, seen, clone, settled }
}

describe('the DNS records of a clone', () => {
  test('are in its plan, before the steps of the server', async () => {
    await using all = await withRecords()
    all.agent.plan = { steps: [{ name: 'copy', title: 'Copying', effects: [] }] }

    const { body } = await all.clone({ dns: {}, dry_run: true })

    const name = (domain: string) => `A ${domain} → ${all.address} in Cloudflare`
    expect(body.plan.steps).toEqual([
      {
        name: 'dns_records',
        title: 'Changing DNS records at Cloudflare',
        effects: [
          { action: 'create', kind: 'record', name: name(DOMAIN) },
          { action: 'create', kind: 'record', name: name(`www.${DOMAIN}`) },
        ],
        notes: ['They are restored if the operation fails.'],
      },
      { name: 'copy', title: 'Copying', effects: [] },
    ])
    expect(left()).toEqual([])
  })

  test('are made before the server gets the work, and the server does not get them', async () => {
    await using all = await withRecords()

    const { body } = await all.clone({ dns: {} })
    await all.settled(body.site.id, 'active')

    const made = [DOMAIN, `www.${DOMAIN}`].map((name) => ['A', name, all.address, false] as const)
    expect(all.seen).toEqual([made])
    expect(left()).toEqual(made)
    expect(all.given).toHaveLength(1)
    expect(all.given[0]).not.toHaveProperty('dns')
  })

  test('are removed again if the copy fails', async () => {
    await using all = await withRecords({ fail: true })

    const { body } = await all.clone({ dns: {} })
    await all.settled(body.site.id, 'failed')

    await until(async () => left().length === 0)
    expect(all.seen).toHaveLength(1)
  })

  test('are refused if they are not those that were shown', async () => {
    await using all = await withRecords()
    await all.set({})
    put('A', '192.0.2.99')
    for (const record of cloudflare.records) record.name = DOMAIN

    const { status, body } = await all.clone({
      dns: { replace: [shown('A', '192.0.2.98', DOMAIN)] },
    })

    expect([status, body.error, body.code]).toEqual([409, 'Conflict', 'changed_meanwhile'])
    expect(all.given).toEqual([])
  })
})
