import { describe, expect, test } from 'bun:test'
import { listSiteRows } from '#dashboard/sync/queries.ts'
import { planSync } from '#dashboard/sync/sync-plan.ts'
import {
  type Dashboard,
  DisposableAgent,
  makeDashboard,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import { inventory, mixed, refused, siteOf, sync } from '#tests/support/dashboard/mixed-server.ts'
import { created, found } from '#tests/support/dashboard/sites.ts'

const types = async (dashboard: Dashboard) => {
  const { body } = await dashboard.call('GET', '/api/activity?domain=plain.example')
  return body.activities.map(({ type, status }: Record<string, string>) => `${type} ${status}`)
}

describe('a discovered site', () => {
  test('has no pool to resize', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const server = await mixed(dashboard, agent)
    const pool = { user: 'plain', php_version: '8.2', tier: 'large' }

    expect(await dashboard.call('POST', `${server}/pool-apply`, pool)).toEqual(refused)
  })

  test('is scanned, and its database password is read', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const server = await mixed(dashboard, agent)

    const scan = await dashboard.send('POST', `${server}/wp-scan`, { site_id: 1 })
    const password = await dashboard.call('POST', `${server}/sites/1/db-password`)

    expect(await scan.text()).toContain('event: complete')
    expect(password).toEqual({ status: 200, body: { password: 'of plain' } })
    expect(await siteOf(dashboard, 1)).toMatchObject({
      ...{ managed: false, found: true, tier: null, health: null },
      ...{ inventory, updates: { plugins: 1, themes: null, core: false } },
    })
    expect(await types(dashboard)).toEqual(['site.db_password success', 'site.scan success'])
  })

  test('becomes a managed site when its agent reports that it created it', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const server = await mixed(dashboard, agent)
    agent.usage = [created('plain.example')]
    agent.sites = [...agent.sites, found('made.example')]

    await sync(dashboard)

    expect(await siteOf(dashboard, 1)).toMatchObject({
      managed: false,
      found: false,
      tier: 'small',
    })
    const pool = { user: 'plain', php_version: '8.2', tier: 'large' }
    expect((await dashboard.call('POST', `${server}/pool-apply`, pool)).status).toBe(200)
  })
})

describe('an unknown value of a discovered site', () => {
  test('is stored with its reason until it is known, and is not a change', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const unknown = { php: 'no_pool', tls: 'certificate_unreadable' }
    agent.sites = [found('plain.example', { php: '', closed: true, unknown })]
    await dashboard.addServer(agent)
    await sync(dashboard)
    expect(await siteOf(dashboard, 1)).toMatchObject({ closed: true, unknown })
    const before = await listSiteRows(dashboard.db, 1)
    const sites = new Map(agent.sites.map((site) => [site.domain, site]))
    expect((await planSync(before, { sites, whole: true })).updates).toEqual([])

    agent.sites = [found('plain.example', { php: '8.2' })]
    await sync(dashboard)

    expect(await siteOf(dashboard, 1)).toMatchObject({ closed: false, unknown: {}, php: '8.2' })
  })
})

describe('bulk operations', () => {
  test('skip discovered sites with the reason, in the plan and in the outcome', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    await mixed(dashboard, agent)
    const plain = { server_id: 1, site_id: 1, domain: 'plain.example', error: refused.body }
    const made = { server_id: 1, site_id: 2, domain: 'made.example' }
    const call = { type: 'pool.apply', params: { tier: 'large' } }

    for (const targets of [{ site_ids: [1, 2] }, { server_ids: [1] }]) {
      const planned = { ...call, targets, dry_run: true }
      expect(await dashboard.call('POST', '/api/bulk-operations', planned)).toEqual({
        status: 200,
        body: { targets: [made], skipped: [plain] },
      })
    }
    const { body } = await dashboard.call('POST', '/api/bulk-operations', {
      ...call,
      targets: { site_ids: [1, 2] },
    })
    const path = `/api/bulk-operations/${body.bulk_operation.id}`
    const bulk = await until(async () => {
      const { bulk_operation } = (await dashboard.call('GET', path)).body
      return bulk_operation.finished_at !== null && bulk_operation
    })

    expect([bulk.status, bulk.counts]).toEqual([
      'success',
      { total: 2, waiting: 0, running: 0, success: 1, failed: 0, cancelled: 0, skipped: 1 },
    ])
    const { items } = (await dashboard.call('GET', `${path}/items?status=skipped`)).body
    expect(items).toEqual([{ position: 2, status: 'skipped', operation_id: null, ...plain }])
  })

  test('are refused for discovered sites alone', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    await mixed(dashboard, agent)
    const call = { type: 'site.delete', targets: { site_ids: [1] } }

    expect(await dashboard.call('POST', '/api/bulk-operations', call)).toEqual(refused)
    expect((await siteOf(dashboard, 1)).status).toBe('active')
  })

  test('scan all sites of a server, including discovered ones', async () => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    await mixed(dashboard, agent)
    const call = { type: 'site.scan', targets: { server_ids: [1] }, dry_run: true }

    const { body } = await dashboard.call('POST', '/api/bulk-operations', call)

    expect(body.targets.map(({ domain }: { domain: string }) => domain)).toEqual([
      'plain.example',
      'made.example',
    ])
    expect(body.skipped).toEqual([])
  })
})
