// tier: gate
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { startDueBackups } from '#dashboard/features/backups/start-due-backups.ts'
import { backup_settings, backup_targets, backups } from '#dashboard/kernel/db/backup-schema.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { activities, operations } from '#dashboard/kernel/db/schema.ts'
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

const sweep = (dashboard: Dashboard) => startDueBackups(dashboard.deps)

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
      await startDueBackups({ ...dashboard.deps, db: { ...dashboard.db, read } })
      return reads
    }
    await addSite(dashboard, server_id)
    const one = await statements()
    for (let more = 0; more < 49; more++) await addSite(dashboard, server_id)

    expect([one, await statements()]).toEqual([4, 4])
  })
})

/** Backups that run at once on servers with three due sites each: one without and one with a tag. */
async function running(settings: Record<string, number>, per_server: number | null = null) {
  await using all = await fleet()
  const { dashboard, agent, forward, server_id } = all
  const hold = Promise.withResolvers<void>()
  const made = agent.works.get('backup.create')
  agent.works.set('backup.create', async function* (params) {
    yield 'Saving the files'
    await hold.promise
    if (!made) throw new Error('the agent makes no backup')
    return yield* made(params)
  })
  const tagged = await home(dashboard, agent)
  await dashboard.call('PATCH', `/api/servers/${tagged}`, { tags: ['big'] })
  const rules = [{ tag: 'big', every: 'default', target_id: null, per_server }]
  const { version } = (await dashboard.call('GET', '/api/backup-rules')).body
  await dashboard.call('PUT', '/api/backup-rules', { rules, version })
  for (const [key, value] of Object.entries(settings)) {
    await dashboard.call('PUT', `/api/settings/${key}`, { value })
  }
  for (let site = 0; site < 3; site++) {
    for (const id of [server_id, tagged]) await addSite(dashboard, id)
  }
  forward(16.5 * HOUR_MS)
  await sweep(dashboard)
  await sweep(dashboard)

  const rows = await dashboard.db.read.select().from(operations)
  const started = rows.filter(({ type }) => type === 'backup.create')
  hold.resolve()
  await dashboard.signIn()
  for (const { id } of started) await ended(dashboard, id)
  return [server_id, tagged].map((id) => started.filter((row) => row.server_id === id).length)
}

test.each<[string, Parameters<typeof running>, number[]]>([
  ['one on each server without a setting', [{}], [1, 1]],
  ['as many as the setting says', [{ backups_per_server: 2 }], [2, 2]],
  ['as many as the rule of a tag of the server says', [{}, 3], [1, 3]],
  ['fewer on a server with such a tag', [{ backups_per_server: 3 }, 1], [3, 1]],
])('automatic backups run at the same time: %s', async (_, given, expected) => {
  expect(await running(...given)).toEqual(expected)
})

test('automatic backups of all servers together are limited by their own setting', async () => {
  const [one = 0, other = 0] = await running({ backups_per_server: 3, backups_at_once: 5 })

  expect(one + other).toBe(5)
})

test('a backup is tried once an hour while the storage is unreachable, and caught up after that', async () => {
  await using all = await fleet()
  const { dashboard, agent, forward, server_id } = all
  const saves = agent.works.get('backup.create')
  const message = 'restic: dial tcp 192.0.2.1:8000: connect: connection refused'
  // biome-ignore lint/correctness/useYield: a work without messages
  agent.works.set('backup.create', async function* () {
    throw new Refused({ error: 'Internal error', message })
  })
  await addSite(dashboard, server_id)
  forward(2 * DAY_MS)
  await dashboard.signIn()
  const shown = async () => {
    const { sites } = (await dashboard.call('GET', '/api/fleet/backups')).body
    const [{ state, last_error }] = sites
    return { state, last_error }
  }

  for (let minutes = 0; minutes < 300; minutes += 10) {
    await sweep(dashboard)
    await finish(dashboard)
    forward(10 * 60_000)
  }

  expect(await begun(dashboard)).toHaveLength(5)
  expect(await shown()).toEqual({ state: 'never', last_error: message })
  if (saves) agent.works.set('backup.create', saves)
  forward(HOUR_MS)
  await sweep(dashboard)
  await finish(dashboard)
  expect(await shown()).toEqual({ state: 'ok', last_error: null })
  forward(HOUR_MS)
  await sweep(dashboard)
  expect(await begun(dashboard)).toHaveLength(6)
})
