// tier: gate
import { describe, expect, test } from 'bun:test'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { startDuePurges } from '#dashboard/features/sites/trash/start-due-purges.ts'
import { activities, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { newOperation } from '#dashboard/kernel/engine/enqueue.ts'
import { insertOperation } from '#dashboard/kernel/engine/queries.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import {
  becomes,
  DAY_MS,
  domain,
  movable,
  site,
  statusOf,
  trashed,
  trashOf,
} from '#tests/support/dashboard/trash.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { found } from '#tests/support/found-sites.ts'

const plain = { php: '8.2', tier: 'small', tls: 'none' } as const

describe('at the end of its time in the trash', () => {
  test('a site is purged without a user', async () => {
    const { clock, forward } = movable()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    await trashed(dashboard, agent)

    forward(14 * DAY_MS - 60_000)
    await dashboard.signIn()
    await startDuePurges(dashboard.deps)
    expect(await statusOf(dashboard)).toBe('trashed')
    forward(120_000)
    await startDuePurges(dashboard.deps)

    await becomes(dashboard, undefined)
    const rows = await dashboard.db.read.select().from(activities)
    const purged = rows.filter(({ type }) => type === 'site.purge')
    expect(purged).toMatchObject([{ domain, status: 'success', user_id: null }])
  })

  test('a failed purge is retried a day later, not every minute', async () => {
    const { clock, forward } = movable()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    await trashed(dashboard, agent)
    agent.works.set('site.purge', async function* () {
      yield 'Purging'
      throw new Refused({ error: 'Internal error', message: 'The user is busy' })
    })
    const purges = async () =>
      (await dashboard.call('GET', '/api/operations?type=site.purge')).body.operations

    forward(15 * DAY_MS)
    await dashboard.signIn()
    await startDuePurges(dashboard.deps)
    const [first] = await purges()
    await ended(dashboard, first.id)
    await startDuePurges(dashboard.deps)

    expect((await purges()).length).toBe(1)
    expect(await trashOf(dashboard)).toMatchObject([{ status_reason: 'The user is busy' }])
    forward(DAY_MS + 60_000)
    await startDuePurges(dashboard.deps)
    expect((await purges()).length).toBe(2)
  })
})

describe('a purge is never queued', () => {
  const purges = async (dashboard: Dashboard) =>
    (await dashboard.call('GET', '/api/operations?type=site.purge')).body.operations
  const began = ({ began }: FakeAgent) => began.filter((work) => work.startsWith('site.purge'))
  const refused = () => Response.json({ error: 'Unauthorized' }, { status: 401 })

  test('by age, it names the days, and by a user, none', async () => {
    const { clock, forward } = movable()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    await trashed(dashboard, agent)
    agent.works.set('site.purge', async function* () {
      yield 'Purging'
      throw new Refused({ error: 'Conflict', message: 'Not yet' })
    })

    forward(15 * DAY_MS)
    await dashboard.signIn()
    await startDuePurges(dashboard.deps)
    await becomes(dashboard, 'trashed')
    await until(async () => (await purges(dashboard))[0]?.status === 'failed')
    await dashboard.call('POST', `${site}/purge`, { domain })
    await until(async () => (await purges(dashboard)).length === 2 && began(agent).length === 2)

    const of = (days: number) =>
      `site.purge ${JSON.stringify({ domain, confirm: domain, trashed_days: days })}`
    expect(began(agent)).toEqual([of(14), of(0)])
  })

  test('it fails at once while the agent refuses requests, and is not sent later', async () => {
    const { clock, forward } = movable()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    await trashed(dashboard, agent)
    agent.answers.set('/exec', refused)

    forward(20 * DAY_MS)
    await dashboard.signIn()
    await startDuePurges(dashboard.deps)
    const failed = await until(async () => {
      const [first] = await purges(dashboard)
      return first?.finished_at !== null && first
    })
    agent.answers.delete('/exec')
    await Bun.sleep(100)

    expect(failed).toMatchObject({ status: 'failed', attempts: 1 })
    expect(began(agent)).toEqual([])
    expect(await statusOf(dashboard)).toBe('trashed')
  })

  test('nothing is started on a server that is offline', async () => {
    const { clock, forward } = movable()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    await trashed(dashboard, agent)
    await dashboard.db.write((queries) => queries.update(servers).set({ status: 'offline' }))

    forward(20 * DAY_MS)
    await dashboard.signIn()
    await startDuePurges(dashboard.deps)

    expect(await purges(dashboard)).toEqual([])
  })

  test('one that another process has not sent is not sent any more', async () => {
    const { clock, forward } = movable()
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ clock })
    await trashed(dashboard, agent)
    const [target] = await dashboard.db.read.select().from(servers)
    const [record] = await dashboard.db.read.select().from(sites)
    if (!target || !record) throw new Error('No records')
    // Queued by a dashboard whose clock was 20 days ahead.
    forward(20 * DAY_MS)
    const params = { domain, confirm: domain, trashed_days: 0 }
    const call = { server: target, site: record, params, actor: null, wait_for_agent: true }
    const operation = newOperation(dashboard.deps, { type: 'site.purge', ...call })
    await insertOperation(dashboard.db, operation, record.id, () => [])

    forward(-20 * DAY_MS)
    await dashboard.deps.worker.resume()

    expect(await ended(dashboard, operation.id)).toMatchObject({
      status: 'failed',
      error: {
        message: 'It was not sent at once, because the dashboard had stopped: start it again',
      },
    })
    expect(began(agent)).toEqual([])
  })
})

describe('a sync', () => {
  const sync = (dashboard: Dashboard) => backgroundSync(dashboard.deps, 1)

  test('records sites that were restored by other means', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    await trashed(dashboard, agent)
    agent.sites = [found(domain)]

    await sync(dashboard)

    expect(await statusOf(dashboard)).toBe('active')
    expect(await trashOf(dashboard)).toEqual([])
  })

  test('marks a site missing that is in no trash any more, and it can be deleted', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    await trashed(dashboard, agent)
    agent.trash = []

    await sync(dashboard)

    expect(await statusOf(dashboard)).toBe('missing')
    agent.answers.set('/exec', () => Response.json({ error: 'Not found' }, { status: 404 }))
    await dashboard.call('DELETE', site)
    await becomes(dashboard, undefined)
  })

  test('finds sites in the trash of a server that this dashboard does not know, and they can be restored', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const deleted_at = '2026-01-01T00:00:00.000Z'
    const facts = { php: '8.4', tier: 'large', tls: 'none' } as const
    agent.trash = [{ domain, user: 'shop', size: 1, deleted_at, restorable: true, ...facts }]
    await dashboard.addServer(agent)

    await sync(dashboard)

    const [entry] = await trashOf(dashboard)
    expect(entry).toMatchObject({ id: 1, domain, status: 'trashed', trashed_at: deleted_at })
    expect(Date.parse(entry.purge_at)).toBeGreaterThan(Date.now() + 13 * DAY_MS)
    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    expect(body.site).toMatchObject({ user: 'shop', managed: false, ...facts })
    expect((await dashboard.call('POST', `${site}/restore`)).status).toBe(202)
    await becomes(dashboard, 'active')
    const restored = (await dashboard.call('GET', '/api/fleet/sites/1')).body.site
    expect(restored).toMatchObject({ managed: true, ...facts })
  })

  test('of a server that reports an impossible size keeps every trash readable', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const facts = { user: 'shop', deleted_at: '2026-01-01T00:00:00.000Z', restorable: true }
    const kind = { php: '8.4', tier: 'small', tls: 'none' } as const
    agent.trash = [{ domain, size: 1e17, ...facts, ...kind }]
    await dashboard.addServer(agent)

    await sync(dashboard)

    expect(await trashOf(dashboard)).toEqual([])
  })

  test('of a server that does not report its trash works', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    agent.answers.set('/trash', () => new Response('no', { status: 500 }))
    agent.sites = [found(domain)]
    await dashboard.addServer(agent)

    await sync(dashboard)

    expect(await statusOf(dashboard)).toBe('active')
  })

  test('finds sites that were deleted by other means', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    await dashboard.addServer(agent)
    await dashboard.call('POST', '/api/servers/1/sites', { domain })
    await becomes(dashboard, 'active')
    const deleted_at = '2026-01-01T00:00:00.000Z'
    agent.sites = []
    agent.trash = [{ domain, user: 'shop', size: 1, deleted_at, restorable: true, ...plain }]

    await sync(dashboard)

    const [entry] = await trashOf(dashboard)
    expect(entry).toMatchObject({ status: 'trashed', trashed_at: deleted_at, size: 1 })
    expect(Date.parse(entry.purge_at)).toBeGreaterThan(Date.now() + 13 * DAY_MS)
  })
})
