import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { operations, servers } from '#dashboard/db/schema.ts'
import { PASSWORD, place, SECRET } from '#tests/support/dashboard/backups.ts'
import { ADDRESSES, twoServers } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'

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
