import { describe, expect, test } from 'bun:test'
import { items, sitesOn, start } from '#tests/support/dashboard/bulk.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

describe('the targets of a bulk operation', () => {
  test('are all servers with a tag, or all their sites in use except discovered ones', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const [a, b] = [
      await sitesOn(dashboard, agent, 'a.example', 'imported.example', 'failed.example'),
      await sitesOn(dashboard, agent, 'b.example'),
    ]
    await dashboard.call('PATCH', `/api/servers/${a}`, { tags: ['blue', 'x'] })
    await dashboard.call('PATCH', `/api/servers/${b}`, { tags: ['bluebell'] })
    await dashboard.db.write((queries) =>
      queries.run("update sites set managed = 0, found = 1 where domain = 'imported.example'"),
    )
    await dashboard.db.write((queries) =>
      queries.run("update sites set status = 'failed' where domain = 'failed.example'"),
    )
    const targets = { tag: 'blue' }
    const of = async (body: object) =>
      (await items(dashboard, await start(dashboard, { targets, ...body }))).map(
        ({ domain, status }) => (status === 'skipped' ? `${domain} skipped` : domain),
      )

    const skipped = 'imported.example skipped'
    expect(await of({})).toEqual(['a.example', skipped])
    expect(await of({ type: 'site.delete', params: {} })).toEqual([
      'a.example',
      'failed.example',
      skipped,
    ])
    expect(await of({ type: 'server.sync', params: {} })).toEqual(['127.0.0.1'])
    expect(await of({ targets: { tag: 'blue', site_ids: [2, 2], server_ids: [a] } })).toEqual([
      'a.example',
      skipped,
    ])
  })

  test.each([
    [{ targets: { site_ids: [1, 77, 78] } }, { targets: ['No such site: 77, 78'] }],
    [{ targets: { server_ids: [9] } }, { targets: ['No such server: 9'] }],
    [{ targets: { tag: 'none' } }, { targets: ['No site is selected'] }],
    [{ targets: {} }, { targets: ['No site is selected'] }],
    [
      { targets: { sites: [1], tags: ['blue'] } },
      { targets: ['Must not have sites, tags: the keys are site_ids, server_ids, tag'] },
    ],
    [{}, { targets: ['Targets are required'] }],
    [
      { type: 'server.sync', params: {}, targets: { site_ids: [1] } },
      { targets: ['server.sync is for servers, not for sites'] },
    ],
    [{ params: { tier: 'huge' } }, { tier: ['Must be small, medium or large'] }],
    [{ params: [] }, { params: ['Must be a JSON object'] }],
    [{ type: 'site.update', params: {} }, { params: ['Must name php or tier'] }],
    [{ params: { tier: 'small', dry_run: true } }, { params: ['Must not have dry_run'] }],
    [
      { type: 'site.update', params: { tier: 'small', xmlrpc: true } },
      { params: ['Must not have xmlrpc'] },
    ],
    [{ type: 'site.scan', params: { slug: 'akismet' } }, { params: ['Must not have slug'] }],
    [{ parallel: 21 }, { parallel: ['Must be a whole number between 1 and 20'] }],
    [{ pause_after: 0 }, { pause_after: ['Must be a whole number between 1 and 10000'] }],
  ])('%j is 422', async (body, fields) => {
    await using dashboard = await makeDashboard()
    await sitesOn(dashboard, { port: 1 }, 'a.example')
    const targets = { targets: { site_ids: [1] } }
    const whole = { type: 'pool.apply', params: { tier: 'small' }, ...targets, ...body }
    const call = Object.keys(body).length === 0 ? { ...whole, targets: undefined } : whole

    expect(await dashboard.call('POST', '/api/bulk-operations', call)).toEqual({
      status: 422,
      body: { error: 'Validation failed', fields },
    })
  })

  test('are returned without starting anything', async () => {
    await using dashboard = await makeDashboard()
    await sitesOn(dashboard, { port: 1 }, 'a.example')
    const call = { type: 'site.delete', targets: { server_ids: [1] }, dry_run: true }

    expect(await dashboard.call('POST', '/api/bulk-operations', call)).toEqual({
      status: 200,
      body: { targets: [{ server_id: 1, site_id: 1, domain: 'a.example' }], skipped: [] },
    })
    const { body } = await dashboard.call('GET', '/api/bulk-operations')
    expect(body).toEqual({ bulk_operations: [] })
  })
})
