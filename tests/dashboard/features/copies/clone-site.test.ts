import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import { operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import {
  backupAgent,
  checkedTarget,
  confirmKit,
  PASSWORD,
  place,
  SECRET,
} from '#tests/support/dashboard/backups.ts'
import { ADDRESSES, twoServers } from '#tests/support/dashboard/copies.ts'
import { type Dashboard, ending, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const CLONED = {
  ...{ status: 'ok', at: '2026-01-01T00:00:00.000Z', files: 3, bytes: 4, tables: 5 },
  addresses: { replaced: 6, left: [] },
}

/** A dashboard with the site shop.example, and the params that its agent got for copies. */
async function started(fail = false) {
  const { agent, given } = backupAgent()
  const copies: Record<string, unknown>[] = []
  const state = { fail }
  agent.works.set('site.clone', async function* (params) {
    copies.push(params)
    yield 'Copying'
    if (state.fail) throw new Error('The disk is full')
    return { ...CLONED, domain: params.domain }
  })
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = `/api/servers/${server_id}/sites`
  const first = { domain: 'shop.example', php: '8.2', tier: 'medium', tls: 'none' }
  const created = await dashboard.call('POST', at, first)
  const shop = created.body.site.id
  await settled(dashboard, shop, 'active')
  const clone = (body: object) => dashboard.call('POST', `${at}/clone`, body)
  return {
    ...{ agent, dashboard, given, copies, state, server_id, at, shop, clone },
    ...ending(dashboard, agent),
  }
}

const settled = (dashboard: Dashboard, id: number, status: string) =>
  until(async () => {
    const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
    return body.site.status === status
  })

describe('a clone', () => {
  test('of a site has its PHP and tier, and the records name the original', async () => {
    await using all = await started()
    const { dashboard, copies, shop, clone } = all
    const from = { kind: 'site', site_id: shop }

    const { status, body } = await clone({ domain: 'copy.example', tls: 'none', from })

    await settled(dashboard, body.site.id, 'active')
    expect([status, body.site.status]).toEqual([201, 'provisioning'])
    expect(copies).toMatchObject([
      {
        domain: 'copy.example',
        php: '8.2',
        tier: 'medium',
        from: { kind: 'site', domain: 'shop.example' },
      },
    ])
    expect(copies[0]).not.toHaveProperty('staging')
    const copy = (await dashboard.call('GET', `/api/fleet/sites/${body.site.id}`)).body.site
    expect([copy.copy_of?.domain, copy.staging]).toEqual(['shop.example', false])
  })

  test('that is a staging site has a password, of which the agent gets the hash', async () => {
    await using all = await started()
    const { dashboard, copies, shop, at, clone } = all
    const from = { kind: 'site', site_id: shop }

    const { body } = await clone({ domain: 'staging.shop-copy.example', from, staging: true })

    await settled(dashboard, body.site.id, 'active')
    const shown = await dashboard.call('POST', `${at}/${body.site.id}/staging-password`)
    const { of, user, password_hash } = Object(copies[0]?.staging)
    const bytes = Buffer.from(String(password_hash).slice('{SSHA}'.length), 'base64')
    const hash = createHash('sha1').update(shown.body.password).update(bytes.subarray(20))
    expect([of, user, shown.body.user]).toEqual(['shop.example', 'staging', 'staging'])
    expect(bytes.subarray(0, 20).toString('hex')).toBe(hash.digest('hex'))
    expect(JSON.stringify(copies)).not.toContain(shown.body.password)
  })

  test('of a backup gets the secrets of its target, which the records keep sealed', async () => {
    await using all = await started()
    const { dashboard, copies, shop, at, server_id, clone } = all
    await confirmKit(dashboard)
    await checkedTarget(dashboard, server_id)
    await (await dashboard.send('POST', `${at}/${shop}/backups`, {})).text()
    const backup_id = (await dashboard.call('GET', `${at}/${shop}/backups`)).body.backups[0].id
    // The backup outlives its site.
    await dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, shop)))

    const { body } = await clone({ domain: 'copy.example', from: { kind: 'backup', backup_id } })

    await settled(dashboard, body.site.id, 'active')
    expect(copies).toMatchObject([
      {
        from: {
          ...{ kind: 'backup', backup: '1'.repeat(64), password_id: passwordIdOf(PASSWORD) },
          target: { secret: SECRET },
        },
      },
    ])
    const rows = await dashboard.db.read.select().from(operations)
    expect(JSON.stringify(rows)).not.toContain(SECRET)
    expect(JSON.stringify(rows)).not.toContain(PASSWORD)
  })

  test('that failed stays recorded with the reason, and is retried', async () => {
    await using all = await started(true)
    const { dashboard, copies, state, shop, clone } = all
    const from = { kind: 'site', site_id: shop }
    const { body } = await clone({ domain: 'copy.example', from })
    await settled(dashboard, body.site.id, 'failed')
    const { operations: found } = (await dashboard.call('GET', '/api/operations?type=site.clone'))
      .body
    state.fail = false

    await dashboard.call('POST', `/api/operations/${found[0].id}/retry`)

    await settled(dashboard, body.site.id, 'active')
    expect(copies).toHaveLength(2)
    expect(copies[1]).toEqual(copies[0])
  })

  test('is refused for a taken name, an unknown source, or a site of another server without a kit', async () => {
    await using all = await started()
    const { dashboard, agent, shop, clone } = all
    const from = { kind: 'site', site_id: shop }
    const taken = await clone({ domain: 'www.shop.example', from })
    const unknown = await clone({ domain: 'b.example', from: { kind: 'backup', backup_id: 99 } })
    const other = await dashboard.addServer(agent)
    const elsewhere = await dashboard.call('POST', `/api/servers/${other}/sites/clone`, {
      ...{ domain: 'b.example', from },
    })

    expect([taken.status, taken.body.fields]).toEqual([
      422,
      { domain: ['The domain is already taken'] },
    ])
    expect([unknown.status, unknown.body.fields]).toEqual([422, { from: ['Is not a backup'] }])
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      409,
      'No recovery kit is confirmed: create one on the page Backups, and store it safely',
    ])
  })
})

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
        ...{ kind: 'backup', target, repository, password: PASSWORD },
        backup: '1'.repeat(64),
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
