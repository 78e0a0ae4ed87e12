import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { report_settings } from '#dashboard/kernel/db/reports-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { PartGrant, PartGrantName } from '#shared/kernel/rights.ts'
import { addServer, addSite } from '#tests/support/dashboard/backup-attention.ts'
import { EMAIL } from '#tests/support/dashboard/dashboard.ts'
import { dashboardWithSite } from '#tests/support/dashboard/reports.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(fleet)

const NOW = '2026-02-10T00:00:00.000Z'
const LONG_AGO = '2025-12-01T00:00:00.000Z'
const OWNER = 'owner@shop.example'
const OFFICE = 'office@shop.example'
const PATH = '/api/fleet/reports/recipients'
const NO_TARGETS = { site_ids: [], server_ids: [] }

/** Three sites on two servers, of which the second has a tag; the first mails its report. */
async function fleet() {
  const made = await dashboardWithSite(NOW)
  const { dashboard, id: shop } = made
  const { db } = dashboard
  const blog = await addSite(dashboard, 1, { domain: 'blog.example' })
  const tagged = await addServer(dashboard, 'web-2')
  const news = await addSite(dashboard, tagged, { domain: 'news.example' })
  await db.write((queries) =>
    queries.batch([
      queries
        .update(servers)
        .set({ tags: ['press'] })
        .where(eq(servers.id, tagged)),
      queries.insert(report_settings).values({
        site_id: shop,
        enabled: true,
        enabled_at: LONG_AGO,
        recipients: [OWNER],
      }),
    ]),
  )
  const change = (body: object, headers?: object) =>
    dashboard.call('PATCH', PATH, body, { ...headers })
  const stored = async () =>
    Object.fromEntries(
      (await db.read.select().from(report_settings)).map(({ site_id, ...row }) => [
        site_id,
        [row.enabled, row.enabled_at, ...row.recipients],
      ]),
    )
  const entries = async () => {
    const { activities } = (await dashboard.call('GET', '/api/fleet/activity')).body
    return (activities as Record<string, unknown>[])
      .filter(({ type }) => type === 'report.settings')
      .map(({ domain, actor, detail }) => [domain, actor, detail])
      .reverse()
  }
  return {
    ...made,
    ...{ shop, blog, news, tagged, change, stored, entries },
    [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose](),
  }
}

const on = (site_id: number, gives: PartGrantName): PartGrant => ({
  gives,
  tag: null,
  server_id: null,
  site_id,
})

test('addresses are added and removed on many sites at once, each with its entry', async (all) => {
  const { shop, blog, news, tagged, change, stored, entries } = all
  const targets = { site_ids: [blog], server_ids: [1], tag: 'press' }

  const planned = await change({ targets, add: ['Office@shop.example'], dry_run: true })
  expect([await stored(), await entries()]).toEqual([{ [shop]: [true, LONG_AGO, OWNER] }, []])
  const twice = await change({ targets, add: [OFFICE, OFFICE.toUpperCase()] })
  const changed = await change({ targets, add: [OFFICE] })
  const again = await change({ targets, add: [OFFICE] })
  const enabled = await change({ targets: { tag: 'press' }, enable: true })
  const removed = await change({ targets, remove: [OWNER, OFFICE] })

  const site = (site_id: number, domain: string, enabled: boolean, ...recipients: string[]) => ({
    ...{ site_id, server_id: site_id === news ? tagged : 1, domain, enabled, recipients },
  })
  const added = [
    site(blog, 'blog.example', false, OFFICE),
    site(news, 'news.example', false, OFFICE),
    site(shop, 'shop.example', true, OWNER, OFFICE),
  ]
  expect([planned, twice, changed, again, enabled, removed]).toEqual([
    { status: 200, body: { changed: added, skipped: [] } },
    {
      status: 422,
      body: expect.objectContaining({ fields: { add: ['Must not have duplicates'] } }),
    },
    { status: 200, body: { changed: added, skipped: [] } },
    { status: 200, body: { changed: [], skipped: [] } },
    {
      status: 200,
      body: { changed: [site(news, 'news.example', true, OFFICE)], skipped: [] },
    },
    {
      status: 200,
      body: {
        changed: [
          site(blog, 'blog.example', false),
          site(news, 'news.example', false),
          site(shop, 'shop.example', false),
        ],
        skipped: [],
      },
    },
  ])
  expect(await stored()).toEqual({
    [shop]: [false, null],
    [blog]: [false, null],
    [news]: [false, null],
  })
  expect(await entries()).toEqual([
    ['blog.example', EMAIL, `added ${OFFICE}`],
    ['news.example', EMAIL, `added ${OFFICE}`],
    ['shop.example', EMAIL, `added ${OFFICE}`],
    ['news.example', EMAIL, 'turned on'],
    ['blog.example', EMAIL, `removed ${OFFICE}`],
    ['news.example', EMAIL, `removed ${OFFICE}, turned off`],
    ['shop.example', EMAIL, `removed ${OWNER} and ${OFFICE}, turned off`],
  ])
})

test('a report that is on keeps the time since when it is', async (all) => {
  const { shop, news, change, stored } = all
  const targets = { site_ids: [shop, news] }

  await change({ targets, add: [OFFICE], enable: true })

  expect(await stored()).toEqual({
    [shop]: [true, LONG_AGO, OWNER, OFFICE],
    [news]: [true, expect.stringMatching(/^2026-02-10T/), OFFICE],
  })
})

test('a site with too many addresses, and one without any, are skipped', async (all) => {
  const { shop, blog, change, stored } = all
  const many = Array.from({ length: 10 }, (_, at) => `reader-${at}@shop.example`)

  const full = await change({ targets: { site_ids: [shop, blog] }, add: many })
  const none = await change({ targets: { tag: 'press' }, enable: true })

  const skipped = (domain: string, reason: string) => expect.objectContaining({ domain, reason })
  expect(full.body).toMatchObject({
    changed: [{ domain: 'blog.example' }],
    skipped: [skipped('shop.example', 'It would have more than 10 addresses')],
  })
  expect(none.body).toEqual({
    changed: [],
    skipped: [skipped('news.example', 'It has no address')],
  })
  expect((await stored())[shop]).toEqual([true, LONG_AGO, OWNER])
})

test('the sites of a client are those that the client sees', async (all) => {
  const { dashboard, shop, news, tagged, change } = all
  await dashboard.signInWith(
    [],
    [on(shop, 'client'), { ...on(0, 'login'), site_id: null, tag: 'press' }],
  )
  await dashboard.signInWith(['viewer'])

  const { body } = await change({ targets: { client_id: 2 }, add: [OFFICE] })
  const refused = [
    await change({ targets: { client_id: 3 }, add: [OFFICE] }),
    await change({ targets: { client_id: 99 }, add: [OFFICE] }),
  ]

  expect(body.changed.map(({ site_id }: { site_id: number }) => site_id)).toEqual([news, shop])
  const rule = { fields: { targets: ['client_id must be the account of a client'] } }
  expect(refused.map(({ status, body }) => [status, { fields: body.fields }])).toEqual([
    [422, rule],
    [422, rule],
  ])
  expect(tagged).toBe(2)
})

test('no site of somebody else is changed, whatever the call names', async (all) => {
  const { dashboard, shop, blog, news, tagged, change, stored } = all
  await dashboard.signInWith([], [{ ...on(0, 'client'), site_id: null, server_id: 1 }])
  const operator = await dashboard.signInWith([], [on(blog, 'operator'), on(news, 'viewer')])
  const viewer = await dashboard.signInWith(['viewer'])
  const client = await dashboard.signInWith([], [on(blog, 'client')])
  const everything = { site_ids: [blog], tag: 'press', client_id: 2 }

  const named = await Promise.all(
    [shop, news, 999].map((id) =>
      change({ targets: { site_ids: [blog, id] }, add: [OFFICE] }, operator),
    ),
  )
  expect(named.map(({ status, body }) => [status, body.fields])).toEqual(
    [shop, news, 999].map((id) => [422, { targets: [`No such site: ${id}`] }]),
  )
  const onServers = await change({ targets: { server_ids: [tagged] }, add: [OFFICE] }, operator)
  expect(onServers.body.fields).toEqual({ targets: [`No such server: ${tagged}`] })
  expect(await stored()).toEqual({ [shop]: [true, LONG_AGO, OWNER] })
  const { status, body } = await change({ targets: everything, add: [OFFICE] }, operator)

  expect([status, body.changed.map(({ domain }: { domain: string }) => domain)]).toEqual([
    200,
    ['blog.example'],
  ])
  expect(await stored()).toEqual({
    [shop]: [true, LONG_AGO, OWNER],
    [blog]: [false, null, OFFICE],
  })
  for (const headers of [viewer, client])
    expect((await change({ targets: everything, add: [OFFICE] }, headers)).status).toBe(403)
})

test('a call that selects or changes nothing is refused, and discovered and deleted sites stay as they are', async (all) => {
  const { dashboard, shop, blog, change, stored } = all
  await dashboard.db.write((queries) =>
    queries.batch([
      queries.update(sites).set({ status: 'trashed' }).where(eq(sites.id, blog)),
      queries.update(sites).set({ found: true, managed: false }).where(eq(sites.id, shop)),
    ]),
  )
  const refusals = [
    await change({ targets: NO_TARGETS, add: [OFFICE] }),
    await change({ targets: { server_ids: [1] }, add: [OFFICE] }),
    await change({ targets: { site_ids: [blog] }, add: [OFFICE] }),
    await change({ targets: { tag: 'press' } }),
    await change({ targets: { tag: 'press' }, add: [OFFICE], remove: [OFFICE] }),
  ]

  expect(refusals.map(({ status, body }) => [status, body.fields])).toEqual([
    [422, { targets: ['No site is selected'] }],
    [422, { targets: ['No site is selected'] }],
    [422, { targets: ['No site is selected'] }],
    [422, { add: ['Add or remove an address, or turn the reports on'] }],
    [422, { remove: ['Must not have addresses that are added'] }],
  ])
  expect(Object.keys(await stored())).toEqual([`${shop}`])
})
