import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { backup_settings, backup_targets, backups } from '#dashboard/db/backup-schema.ts'
import type { NewSite } from '#dashboard/db/rows.ts'
import { activities, operations } from '#dashboard/db/schema.ts'
import { backUpDue } from '#dashboard/site-backups/back-up-due.ts'
import { addSite, change, fleet, HOUR_MS, home } from '#tests/support/dashboard/backup-fleet.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { DAY_MS } from '#tests/support/dashboard/trash.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const begun = async ({ db }: Dashboard) => {
  const rows = await db.read.select().from(operations).where(eq(operations.type, 'backup.create'))
  return rows.map(({ id, site_id, actor }) => ({ id, site_id, actor }))
}
const finish = async (dashboard: Dashboard) => {
  for (const { id } of await begun(dashboard)) await ended(dashboard, id)
}
const sweep = (dashboard: Dashboard) => backUpDue(dashboard.deps)

describe('automatic backups', () => {
  test('start in the window of the night, once, without a user, and are activities', async () => {
    await using all = await fleet()
    const { dashboard, forward, server_id } = all
    const site_id = await addSite(dashboard, server_id)
    await sweep(dashboard)
    expect(await begun(dashboard)).toEqual([])

    forward(16.5 * HOUR_MS)
    await Promise.all([1, 2, 3, 4].map(() => sweep(dashboard)))
    await dashboard.signIn()
    await finish(dashboard)
    await sweep(dashboard)

    expect(await begun(dashboard)).toEqual([{ id: expect.any(String), site_id, actor: null }])
    const entries = await dashboard.db.read
      .select({ type: activities.type, status: activities.status, user_id: activities.user_id })
      .from(activities)
      .where(eq(activities.type, 'backup.create'))
    expect(entries).toEqual([{ type: 'backup.create', status: 'success', user_id: null }])
    forward(DAY_MS)
    await sweep(dashboard)
    expect(await begun(dashboard)).toHaveLength(2)
  })

  test('run one at once on a server, and four in the fleet', async () => {
    await using all = await fleet()
    const { dashboard, agent, forward, server_id } = all
    const hold = Promise.withResolvers<void>()
    agent.works.set('backup.create', async function* () {
      yield 'Saving the files'
      await hold.promise
      throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    })
    await addSite(dashboard, server_id)
    await addSite(dashboard, server_id)
    for (let server = 0; server < 5; server++)
      await addSite(dashboard, await home(dashboard, agent))
    forward(16.5 * HOUR_MS)

    await sweep(dashboard)
    await sweep(dashboard)

    const rows = await dashboard.db.read.select().from(operations)
    const homes = rows.filter(({ type }) => type === 'backup.create').map((row) => row.server_id)
    expect([homes.length, new Set(homes).size]).toEqual([4, 4])
    hold.resolve()
    await dashboard.signIn()
    await finish(dashboard)
  })

  test('are retried an hour after a failure or a cancellation', async () => {
    await using all = await fleet()
    const { dashboard, agent, forward, server_id } = all
    // biome-ignore lint/correctness/useYield: a work without messages
    agent.works.set('backup.create', async function* () {
      throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    })
    await addSite(dashboard, server_id)
    forward(2 * DAY_MS)
    await dashboard.signIn()
    await sweep(dashboard)
    await finish(dashboard)

    forward(HOUR_MS - 60_000)
    await sweep(dashboard)
    expect(await begun(dashboard)).toHaveLength(1)
    forward(120_000)
    await sweep(dashboard)
    expect(await begun(dashboard)).toHaveLength(2)
    await finish(dashboard)
  })

  test('run outside the window when they are late by 12 hours', async () => {
    await using all = await fleet()
    const { dashboard, forward, server_id } = all
    await addSite(dashboard, server_id)
    await change(dashboard, server_id, 'offline')
    forward(17 * HOUR_MS)
    await sweep(dashboard)
    await change(dashboard, server_id, 'online')
    forward(12 * HOUR_MS)
    await sweep(dashboard)
    expect(await begun(dashboard)).toEqual([])

    forward(7.1 * HOUR_MS)
    await sweep(dashboard)

    expect(await begun(dashboard)).toHaveLength(1)
    await dashboard.signIn()
    await finish(dashboard)
  })

  test.each<[string, Partial<NewSite>]>([
    ['found', { found: true, managed: false }],
    ['ignored', { ignored_at: '2026-01-01T00:00:00.000Z', managed: false }],
    ['trashed', { status: 'trashed' }],
    ['failed', { status: 'failed' }],
  ])('do not start for a %s site', async (_, more) => {
    await using all = await fleet()
    await addSite(all.dashboard, all.server_id, more)
    all.forward(3 * DAY_MS)

    await sweep(all.dashboard)

    expect(await begun(all.dashboard)).toEqual([])
  })

  test('do not start without a kit, without a checked target, and where they are off', async () => {
    await using bare = await fleet({ ready: false })
    await addSite(bare.dashboard, bare.server_id)
    bare.forward(3 * DAY_MS)
    await sweep(bare.dashboard)
    expect(await begun(bare.dashboard)).toEqual([])

    await using all = await fleet()
    const { db } = all.dashboard
    const off = await addSite(all.dashboard, all.server_id)
    await db.write((queries) =>
      queries.insert(backup_settings).values({ site_id: off, every: 'off' }),
    )
    all.forward(3 * DAY_MS)
    await sweep(all.dashboard)
    await addSite(all.dashboard, all.server_id)
    await db.write((queries) => queries.update(backup_targets).set({ checked_at: null }))
    await sweep(all.dashboard)
    expect(await begun(all.dashboard)).toEqual([])
    expect(await db.read.select().from(backups)).toEqual([])
  })

  test('are read in as many statements for fifty sites as for one', async () => {
    await using all = await fleet()
    const { dashboard, server_id } = all
    const statements = async () => {
      let reads = 0
      const read = new Proxy(dashboard.db.read, {
        get(target, name) {
          if (name === 'select') reads += 1
          return Reflect.get(target, name)
        },
      })
      await backUpDue({ ...dashboard.deps, db: { ...dashboard.db, read } })
      return reads
    }
    await addSite(dashboard, server_id)
    const one = await statements()
    for (let more = 0; more < 49; more++) await addSite(dashboard, server_id)

    expect([one, await statements()]).toEqual([4, 4])
  })
})
