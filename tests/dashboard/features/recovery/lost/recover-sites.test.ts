// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq, inArray, sql } from 'drizzle-orm'
import { completeRecoveries } from '#dashboard/features/recovery/lost/complete-recoveries.ts'
import { people, site_access } from '#dashboard/kernel/db/access-schema.ts'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { mail_settings } from '#dashboard/kernel/db/mail-schema.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'
import { makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { bulkEnded, lostServer, setServer } from '#tests/support/dashboard/lost.ts'
import { Refused } from '#tests/support/fake-operation.ts'

type All = Awaited<ReturnType<typeof lostServer>>

const homesOf = async ({ dashboard }: All) =>
  Object.fromEntries(
    (await dashboard.db.read.select().from(sites)).map(({ domain, server_id, status }) => [
      domain,
      `${server_id} ${status}`,
    ]),
  )

describe('a server that does not come back', () => {
  test('shows each site with its newest backup, and names those without one', async () => {
    await using all = await lostServer()
    const { first, second, shop, blog, fresh, show } = all

    const { declared_at, sites: found, destinations, records } = await show()

    const backup = {
      ...{ id: expect.any(Number), at: expect.any(String), target: 'Backup server', bytes: 2000 },
      ...{ proven: null, excluded: 0 },
    }
    const own = { server_id: first, php: '8.2', status: 'active' } as const
    const restorable = { ...own, state: 'restorable', reason: '', backup } as const
    expect({ declared_at, sites: found, destinations, records }).toEqual({
      declared_at: null,
      sites: [
        { id: blog, domain: 'blog.example', ...restorable },
        {
          ...{ id: fresh, domain: 'new.example', ...own },
          ...{ state: 'lost', reason: 'It has no backup.', backup: null },
        },
        { id: shop, domain: 'shop.example', ...restorable },
      ],
      destinations: [
        {
          ...{ id: second, name: 'localhost', php_versions: ['8.2'] },
          ...{ sites: 0, free_bytes: 3_072_000_000 },
        },
      ],
      records: [],
    })
  })

  test('gives its sites to another one, with their ids, names and backups', async () => {
    await using all = await lostServer()
    const { dashboard, two, first, second, shop, blog, show, recover } = all
    const before = await dashboard.db.read.select().from(sites).where(eq(sites.id, shop))

    const { status, body } = await recover({ sites: all.sites })

    const { counts } = await bulkEnded(dashboard, body.bulk_operation.id)
    expect([status, counts.success, counts.failed]).toEqual([202, 2, 0])
    expect(await homesOf(all)).toEqual({
      'shop.example': `${second} active`,
      'blog.example': `${second} active`,
      'new.example': `${first} active`,
    })
    const [site] = before
    const sent = two.given.map((each) => each['site.clone'])
    expect(sent.find((each) => each?.domain === 'shop.example')).toMatchObject({
      ...{ domain: 'shop.example', user: site?.user, php: '8.2', tier: 'medium', tls: 'none' },
      from: { kind: 'backup', repository: site?.user },
    })
    const kept = await dashboard.db.read.select().from(backups)
    expect(kept.map(({ site_id, gone_at }) => [site_id, gone_at]).sort()).toEqual([
      [shop, null],
      [blog, null],
    ])
    const shown = await show()
    expect(shown.declared_at).not.toBeNull()
    expect(shown.sites.map(({ domain, state }) => `${domain} ${state}`)).toEqual([
      'blog.example restored',
      'new.example lost',
      'shop.example restored',
    ])
    // No account of the dashboard has their zones.
    expect(shown.records).toContainEqual({
      ...{ domain: 'shop.example', name: 'www.shop.example', type: 'A', content: '127.0.0.1' },
    })
  })

  test('is asked for a plan that changes nothing', async () => {
    await using all = await lostServer()
    const { two, second, shop, blog, fresh, recover } = all
    two.agent.plan = { steps: [{ name: 'user', title: 'User', effects: [] }] }
    const before = await homesOf(all)
    const named = [...all.sites, { site_id: fresh, server_id: second }]

    const { status, body } = await recover({ sites: named, dry_run: true, confirm: undefined })

    const plan = { steps: [{ name: 'user', title: 'User', effects: [] }] }
    const target = { server_id: second, plan, error: null }
    expect([status, body]).toEqual([
      200,
      {
        plans: [
          { ...target, site_id: shop, domain: 'shop.example' },
          { ...target, site_id: blog, domain: 'blog.example' },
          {
            ...{ server_id: second, site_id: fresh, domain: 'new.example', plan: null },
            error: { error: 'Conflict', message: 'new.example has no backup: it is lost' },
          },
        ],
        unplanned: 0,
      },
    ])
    expect(await homesOf(all)).toEqual(before)
    expect((await all.show()).declared_at).toBeNull()
  })

  test('restores the others when one fails, and that one with a retry', async () => {
    await using all = await lostServer()
    const { dashboard, two, second, shop, show, recover } = all
    const usual = two.agent.works.get('site.clone')
    const state = { fails: true }
    two.agent.works.set('site.clone', async function* (params) {
      yield 'Fetching the backup'
      if (state.fails && params.domain === 'shop.example')
        throw new Refused({ error: 'Conflict', message: 'The disk is full' })
      if (!usual) throw new Error('no work')
      return yield* usual(params)
    })
    const { body } = await recover({ sites: all.sites })
    const { counts, id } = await bulkEnded(dashboard, body.bulk_operation.id)

    const failed = (await show()).sites.find((site) => site.id === shop)
    state.fails = false
    const again = await dashboard.call('POST', `/api/bulk-operations/${id}/retry`, {})
    const retried = await bulkEnded(dashboard, again.body.bulk_operation.id)

    expect([counts.success, counts.failed, retried.counts.success]).toEqual([1, 1, 1])
    expect(failed).toMatchObject({
      ...{ server_id: second, state: 'failed', reason: 'The disk is full' },
      backup: { target: 'Backup server' },
    })
    expect(await homesOf(all)).toMatchObject({
      'shop.example': `${second} active`,
      'blog.example': `${second} active`,
    })
  })

  test('continues after a restart of the dashboard in the middle', async () => {
    await using all = await lostServer()
    const { dashboard, two, second, recover } = all
    const gate = Promise.withResolvers<void>()
    const usual = two.agent.works.get('site.clone')
    let begun = 0
    two.agent.works.set('site.clone', async function* (params) {
      begun += 1
      yield 'Fetching the backup'
      await gate.promise
      if (!usual) throw new Error('no work')
      return yield* usual(params)
    })
    const { body } = await recover({ sites: all.sites, parallel: 1 })
    await until(() => begun === 1)

    await Promise.all([dashboard.deps.worker.stop(), dashboard.deps.bulks.stop()])
    await using next = await makeDashboard({ folder: dashboard.folder })
    await next.deps.worker.resume()
    await next.deps.bulks.resume()
    gate.resolve()

    const { counts } = await bulkEnded(next, body.bulk_operation.id)
    expect([counts.success, counts.failed, begun]).toEqual([2, 0, 2])
    expect(await homesOf(all)).toMatchObject({
      'shop.example': `${second} active`,
      'blog.example': `${second} active`,
    })
  })

  test('ends at once what runs there, which would hold the sites', async () => {
    await using all = await lostServer()
    const { dashboard, first, shop, recover } = all
    const at = `/api/servers/${first}/sites/${shop}`
    const waiting = dashboard.send('POST', `${at}/backups`, {})
    const id = await until(async () => {
      const rows = await dashboard.db.read.select().from(operations)
      return rows.find(({ finished_at }) => finished_at === null)?.id
    })

    const { body } = await recover({ sites: all.sites })

    const { counts } = await bulkEnded(dashboard, body.bulk_operation.id)
    const [row] = await dashboard.db.read.select().from(operations).where(eq(operations.id, id))
    await (await waiting).text()
    expect([counts.success, row?.status, row?.error]).toEqual([
      2,
      'failed',
      { error: 'Conflict', message: '127.0.0.1 was declared lost' },
    ])
  })

  test('that answers again does not serve the sites that others have now', async () => {
    await using all = await lostServer()
    const { dashboard, first, recover, shop } = all
    const { body } = await recover({ sites: all.sites })
    await bulkEnded(dashboard, body.bulk_operation.id)
    const [own] = await dashboard.db.read.select().from(sites).where(eq(sites.id, shop))
    if (!own) throw new Error('no site')
    // Its sync has found them there.
    const { id: _, ...row } = own
    await dashboard.db.write((queries) =>
      queries.insert(sites).values({ ...row, server_id: first, managed: false, found: true }),
    )
    await setServer(dashboard, first, { status: 'online' })

    await completeRecoveries(dashboard.deps)

    const started = await dashboard.db.read
      .select()
      .from(operations)
      .where(eq(operations.type, 'site.suspend'))
    expect(started.map(({ server_id, domain, params }) => ({ server_id, domain, params }))).toEqual(
      [{ server_id: first, domain: 'shop.example', params: { domain: 'shop.example' } }],
    )
  })

  test('has its suspended sites suspended, its mail set, and its people let in, on the new server', async () => {
    await using all = await lostServer()
    const { dashboard, two, first, second, shop, blog, recover } = all
    const rules = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: 5 }
    const setting = { ...rules, relay: null }
    const mail: object[] = []
    two.agent.works.set('mail.apply', async function* (params) {
      mail.push(params)
      yield 'Changing the mail settings'
      return { relay: false }
    })
    two.agent.works.set('site.suspend', async function* ({ domain }) {
      yield 'Suspending'
      return { status: 'ok', domain }
    })
    const set = (id: number) =>
      dashboard.db.write((queries) =>
        queries.update(sites).set({ status: 'suspended' }).where(eq(sites.id, id)),
      )
    await set(shop)
    await dashboard.db.write((queries) =>
      queries.batch([
        queries.insert(people).values({ id: 1, name: 'Agency', created_at: '2026-01-01' }),
        queries.insert(site_access).values({ site_id: blog, person_id: 1, kind: 'sftp' }),
        queries
          .insert(mail_settings)
          .values({ server_id: first, site_id: blog, setting, updated_at: '2026-01-01' }),
      ]),
    )
    const { body } = await recover({ sites: all.sites })
    await bulkEnded(dashboard, body.bulk_operation.id)

    await completeRecoveries(dashboard.deps)
    await completeRecoveries(dashboard.deps)

    const rows = await dashboard.db.read
      .select()
      .from(operations)
      .where(inArray(operations.type, ['site.suspend', 'mail.apply', 'site.access']))
    expect(rows.map(({ type, site_id, server_id }) => [type, site_id, server_id]).sort()).toEqual([
      ['mail.apply', blog, second],
      ['site.access', blog, second],
      ['site.suspend', shop, second],
    ])
    expect(mail).toEqual([{ domain: 'blog.example', ...setting }])
    const [{ server_id } = { server_id: 0 }] = await dashboard.db.read.select().from(mail_settings)
    expect(server_id).toBe(second)
    expect((await homesOf(all))['shop.example']).toBe(`${second} suspended`)
  })

  test('is a suggestion on the overview, and critical when it answers again', async () => {
    await using all = await lostServer()
    const { dashboard, first, at, recover } = all
    const item = async () => {
      const { body } = await dashboard.call('GET', '/api/fleet')
      const groups = body.attention as {
        kind: string
        items: { severity: string; reason: string }[]
      }[]
      const found = groups.find(({ kind }) => kind === 'server_offline')?.items[0]
      return found && [found.severity, found.reason.split(':')[0]]
    }
    const before = await item()
    await recover({})
    const declared = await item()
    await setServer(dashboard, first, { status: 'online' })
    const returned = await item()

    const { status } = await dashboard.call('DELETE', at)

    expect([before?.[0], declared, returned, status, await item()]).toEqual([
      'critical',
      ['info', 'It was declared lost'],
      [
        'critical',
        'It was declared lost and answers again, with copies of restored sites that are suspended there',
      ],
      204,
      undefined,
    ])
    expect((await dashboard.call('DELETE', at)).status).toBe(409)
  })
})

describe('the restore of the sites of a server is refused', () => {
  test('while the server answers', async () => {
    await using all = await lostServer()
    await setServer(all.dashboard, all.first, { status: 'online' })

    const { status, body } = await all.recover({ sites: all.sites })

    expect([status, body.message]).toEqual([
      409,
      '127.0.0.1 answers: move its sites to other servers, which loses nothing',
    ])
  })

  test.each<[string, (all: All) => object, Record<string, string[]>]>([
    [
      'without its name',
      ({ sites: named }) => ({ sites: named, confirm: 'web' }),
      { confirm: ['Must be 127.0.0.1, the name of the server'] },
    ],
    [
      'for a site of another server',
      ({ second }) => ({ sites: [{ site_id: 999, server_id: second }] }),
      { sites: ['Site 999 is not one of the server'] },
    ],
    [
      'for a server that does not exist',
      ({ shop }) => ({ sites: [{ site_id: shop, server_id: 999 }] }),
      { sites: ['Server 999 does not exist'] },
    ],
    [
      'for a site that is named twice',
      ({ shop, second }) => ({
        sites: [second, second].map((server_id) => ({ site_id: shop, server_id })),
      }),
      { sites: ['Must name site 1 once'] },
    ],
  ])('%s', async (_, bodyOf, fields) => {
    await using all = await lostServer()

    const { status, body } = await all.recover(bodyOf(all))

    expect([status, body.fields, (await all.show()).declared_at]).toEqual([422, fields, null])
  })

  test('by the call for other bulk operations, which confirms nothing', async () => {
    await using all = await lostServer()

    const { status, body } = await all.dashboard.call('POST', '/api/bulk-operations', {
      ...{ type: 'site.recover', params: { sites: all.sites } },
      targets: { site_ids: [all.shop] },
    })

    expect([status, body.fields]).toEqual([
      422,
      { type: ['Is started by POST /api/servers/:server_id/lost'] },
    ])
  })

  test('for a site whose name the new server has, which the others do not notice', async () => {
    await using all = await lostServer()
    const { dashboard, second, shop, first, recover } = all
    const [own] = await dashboard.db.read.select().from(sites).where(eq(sites.id, shop))
    if (!own) throw new Error('no site')
    const { id: _, ...row } = own
    await dashboard.db.write((queries) =>
      queries
        .insert(sites)
        .values({ ...row, server_id: second, user: 'other', managed: false, found: true }),
    )

    const { body } = await recover({ sites: all.sites })

    const { counts } = await bulkEnded(dashboard, body.bulk_operation.id)
    const items = await dashboard.call(
      'GET',
      `/api/bulk-operations/${body.bulk_operation.id}/items?status=failed`,
    )
    const [kept] = await dashboard.db.read.select().from(sites).where(eq(sites.id, shop))
    expect([counts.success, counts.failed]).toEqual([1, 1])
    expect(items.body.items[0].error.message).toBe(
      'shop.example is a name of shop.example, and localhost has it: remove one of them first',
    )
    // The record is still that of the lost server.
    expect([kept?.server_id, kept?.status]).toEqual([first, 'active'])
  })

  test('by the constraint when the new server gets a site of the name at the same moment', async () => {
    await using all = await lostServer()
    const { dashboard, first, shop, recover } = all
    await dashboard.db.write((queries) =>
      queries.run(sql`create trigger race before update of server_id on sites
        when new.domain = 'shop.example' begin
          insert into sites (server_id, domain, apex, user, php, tier, tls, managed, status, created_at)
          values (new.server_id, 'shop.example', 'shop.example', 'other', '8.2', 'small', 'none', 0,
            'active', '2026-01-01T00:00:00.000Z'); end`),
    )

    const { body } = await recover({ sites: all.sites })

    const { counts, id } = await bulkEnded(dashboard, body.bulk_operation.id)
    const { items } = (await dashboard.call('GET', `/api/bulk-operations/${id}/items`)).body
    expect([counts.success, counts.failed, items[0].error]).toEqual([
      1,
      1,
      {
        error: 'Conflict',
        message: 'The server has a site of this name: remove one of them first',
      },
    ])
    const rows = await dashboard.db.read.select().from(sites).where(eq(sites.apex, 'shop.example'))
    expect(rows.map((row) => [row.id, row.server_id, row.status])).toEqual([
      [shop, first, 'active'],
    ])
  })
})
