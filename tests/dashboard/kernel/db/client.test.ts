import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { deleteExpired } from '#dashboard/kernel/db/retention.ts'
import {
  bulk_events,
  bulk_items,
  bulk_operations,
  operation_events,
  operations,
  servers,
  settings,
} from '#dashboard/kernel/db/schema.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { Dashboard, ending, PASSWORD, until } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended, transcript } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'records-'))
  await work(folder).finally(() => rm(folder, { recursive: true }))
}

describe('the single writer', () => {
  test('waits for another process that holds the lock without blocking the event loop', async () => {
    await inFolder(async (folder) => {
      const db = await openDatabase(`file:${folder}/test.db`)
      const script = `
        const { Database } = require('bun:sqlite')
        const db = new Database(process.argv[1])
        db.run('begin immediate')
        console.log('locked')
        process.stdin.once('data', () => db.run('commit'))`
      const argv = ['bun', '-e', script, `${folder}/test.db`]
      const other = Bun.spawn(argv, { stdin: 'pipe', stdout: 'pipe' })
      await other.stdout.getReader().read()

      const writes = [1, 2, 3].map((value) =>
        db.write((queries) => queries.insert(settings).values({ key: String(value), value })),
      )
      // The lock is only given back when this process still does other things.
      for (let tick = 0; tick < 5; tick++) await Bun.sleep(20)
      const before = await db.read.select().from(settings)
      other.stdin.write('commit')
      await other.stdin.end()
      await Promise.all(writes)

      expect(before).toEqual([])
      expect(await db.read.select().from(settings)).toHaveLength(3)
      await other.exited
      db.close()
    })
  })

  test('replaces a connection that cannot write', async () => {
    await inFolder(async (folder) => {
      const db = await openDatabase(`file:${folder}/test.db`)
      await db.read.run(sql`pragma query_only = on`)

      await db.write((queries) => queries.insert(settings).values({ key: 'a', value: 1 }))

      expect(await db.read.select().from(settings)).toHaveLength(1)
      db.close()
    })
  })

  test('continues after a failed write', async () => {
    await inFolder(async (folder) => {
      const db = await openDatabase(`file:${folder}/test.db`)
      const insert = () =>
        db.write((queries) => queries.insert(settings).values({ key: 'a', value: 1 }))

      const results = await Promise.allSettled([insert(), insert()])
      await db.write((queries) => queries.insert(settings).values({ key: 'b', value: 2 }))

      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(await db.read.select().from(settings)).toHaveLength(2)
      db.close()
    })
  })
})

test('expired records are deleted: events first, operations later, none that run', async () => {
  await inFolder(async (folder) => {
    const db = await openDatabase(`file:${folder}/test.db`)
    const now = new Date('2026-12-31T00:00:00Z')
    const home = { name: 'a', hostname: 'a', port: 1, user: 'root', tags: [], created_at: '' }
    await db.write((queries) => queries.insert(servers).values(home))
    const ages = { new: '2026-12-30', old: '2026-11-01', ancient: '2026-01-01' }
    for (const [id, finished_at] of Object.entries(ages)) {
      const facts = { type: 'site.create' as const, server_id: 1, domain: 'a', params: {} }
      const times = { deadline_at: '', created_at: finished_at, finished_at }
      const row = { id, ...facts, ...times, status: 'success' as const }
      await db.write((queries) => queries.insert(operations).values(row))
      const event = { operation_id: id, id: 1, event: 'complete' as const, data: {} }
      await db.write((queries) => queries.insert(operation_events).values(event))
    }

    await deleteExpired(db, now)

    const left = await db.read.select({ id: operations.id }).from(operations)
    const events = await db.read
      .select({ id: operation_events.operation_id })
      .from(operation_events)
    expect(left.map(({ id }) => id).sort()).toEqual(['new', 'old'])
    expect(events).toEqual([{ id: 'new' }])
    db.close()
  })
})

test('an expired bulk operation is deleted after its events', async () => {
  await inFolder(async (folder) => {
    const db = await openDatabase(`file:${folder}/test.db`)
    const ages = { going: null, old: '2026-11-01', ancient: '2026-01-01' }
    for (const [id, finished_at] of Object.entries(ages)) {
      const facts = { type: 'server.sync' as const, params: {}, parallel: 4, pause_after: 3 }
      const row = { id, ...facts, created_at: '2026-01-01', finished_at, status: 'failed' as const }
      const place = { server_id: 1, domain: 'a', status: 'failed' as const }
      await db.write((queries) => queries.insert(bulk_operations).values(row))
      await db.write((queries) =>
        queries.insert(bulk_items).values({ bulk_id: id, position: 1, ...place }),
      )
      const event = { bulk_id: id, id: 1, event: 'log' as const, data: {} }
      await db.write((queries) => queries.insert(bulk_events).values(event))
    }

    await deleteExpired(db, new Date('2026-12-31T00:00:00Z'))

    const left = await db.read.select({ id: bulk_operations.id }).from(bulk_operations)
    const items = await db.read.select({ id: bulk_items.bulk_id }).from(bulk_items)
    const events = await db.read.select({ id: bulk_events.bulk_id }).from(bulk_events)
    expect(left.map(({ id }) => id).sort()).toEqual(['going', 'old'])
    expect(items.map(({ id }) => id).sort()).toEqual(['going', 'old'])
    expect(events).toEqual([{ id: 'going' }])
    db.close()
  })
})

const DAY_MS = 24 * 3600_000

/** A dashboard whose disk is full while `full` is true; each write checks it. */
async function onDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'disk-'))
  const db = await openDatabase(`file:${folder}/test.db`)
  const disk = { full: () => false }
  const write: Database['write'] = (work) => {
    const error = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    return disk.full() ? Promise.reject(error) : db.write(work)
  }
  const clock = new HeldClock()
  const dashboard = new Dashboard(folder, { ...db, write }, { clock })
  await dashboard.signIn()
  return { dashboard, disk, clock }
}

/** The same, with an operation that has printed a line and waits for `held`. */
async function inTheMiddle() {
  const agent = new FakeAgent()
  const made = await onDisk()
  const { dashboard } = made
  const held = Promise.withResolvers<void>()
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Before'
    await held.promise
    yield 'After'
    return { status: 'ok', domain }
  })
  const id = await createSite(dashboard, await dashboard.addServer(agent))
  await until(async () => (await dashboard.db.read.query.operation_events.findMany())[0])
  return { ...made, agent, held, id, ...ending(dashboard, agent) }
}

describe('while the disk is full', () => {
  test('an ending operation is neither lost nor repeated, however long the disk is full', async () => {
    await using all = await inTheMiddle()
    const { agent, clock, dashboard, disk, held, id } = all

    disk.full = () => true
    held.resolve()
    const broken = (times: number) =>
      until(
        () =>
          dashboard.log.filter((line) => line.includes('operation failed unexpectedly')).length >=
          times,
      )
    await broken(1)
    clock.move(DAY_MS)
    await broken(3)
    disk.full = () => false

    expect((await ended(dashboard, id)).status).toBe('success')
    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"Before"}',
      '2 log {"message":"After"}',
      '3 complete {"status":"ok","domain":"shop.example"}',
    ])
    expect(agent.started.get(id)).toBe(1)
  })

  test('no deadline ends an operation that could not be stored', async () => {
    await using all = await inTheMiddle()
    const { clock, dashboard, disk, held, id } = all
    let writes = 0
    disk.full = () => {
      writes += 1
      if (writes === 2) clock.move(DAY_MS)
      return writes === 1 || writes === 3
    }

    held.resolve()

    expect((await ended(dashboard, id)).status).toBe('success')
    expect(writes).toBeGreaterThan(3)
  })

  test('a change is refused with the reason, and reading continues', async () => {
    const { dashboard: made, disk, clock } = await onDisk()
    await using dashboard = made
    const token = await dashboard.call('POST', '/api/auth/tokens', {
      name: 'script',
      password: PASSWORD,
    })
    clock.move(4 * DAY_MS)
    disk.full = () => true

    const refused = await dashboard.call('POST', '/api/servers', { hostname: 'a.example.com' })
    const renewable = await dashboard.send('GET', '/api/servers')
    const authorization = `Bearer ${token.body.plaintext}`
    const scripted = await dashboard.call('GET', '/api/servers', undefined, {
      cookie: '',
      authorization,
    })

    expect(refused).toEqual({
      status: 500,
      body: {
        error: 'Internal error',
        message: expect.stringMatching(
          /^The disk of the dashboard is full; the log has more under request id \S+$/,
        ),
      },
    })
    expect([renewable.status, renewable.headers.getSetCookie()]).toEqual([200, []])
    expect(scripted).toEqual({ status: 200, body: { servers: [] } })
  })
})
