import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@libsql/client'
import { eq, sql } from 'drizzle-orm'
import { type Database, databaseOnClient, writeAll } from '#dashboard/kernel/db/client.ts'
import { causes, connect } from '#dashboard/kernel/db/connect.ts'
import { fencedBy, StaleLease } from '#dashboard/kernel/db/fence.ts'
import { leases } from '#dashboard/kernel/db/leases-schema.ts'
import { migrate } from '#dashboard/kernel/db/migrations.ts'
import { settings } from '#dashboard/kernel/db/schema.ts'

const FLEET = { name: 'fleet', holder: 'a', token: 3 }
const SERVERS = { name: 'servers 1', holder: 'a', token: 5 }

let folder: string
let client: Client
let db: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fence-'))
  client = connect({ url: `file:${folder}/test.db` })
  await migrate(client)
  db = databaseOnClient(client, true)
  await db.write((queries) =>
    queries.insert(leases).values([FLEET, SERVERS].map((lease) => ({ ...lease, expires: 0 }))),
  )
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true, force: true })
})

const set = (value: number) =>
  db.write((queries) => queries.insert(settings).values({ key: `key${value}`, value }))
const keys = async () => (await db.read.select().from(settings)).map(({ key }) => key).sort()
const take = (name: string) =>
  client.execute({
    sql: `update leases set holder = 'b', token = token + 1 where name = ?`,
    args: [name],
  })

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) =>
      causes(error).some((cause) => cause instanceof StaleLease) ? 'stale' : 'other',
  )

test('a write of the holder is made, and returns what it returns without a lease', async () => {
  const write = () =>
    db.write((queries) =>
      queries.insert(settings).values({ key: 'a', value: 1 }).returning({ key: settings.key }),
    )
  expect(await fencedBy([FLEET, SERVERS], write)).toEqual([{ key: 'a' }])
})

test('no write is made once another dashboard has one of the leases', async () => {
  await fencedBy([FLEET, SERVERS], () => set(1))
  await take('servers 1')

  expect(await failure(fencedBy([FLEET, SERVERS], () => set(2)))).toBe('stale')
  await fencedBy([FLEET], () => set(3))
  await set(4)
  expect(await keys()).toEqual(['key1', 'key3', 'key4'])
  // The refused check itself has changed nothing.
  expect(await db.read.select().from(leases).orderBy(leases.name)).toEqual([
    { ...FLEET, expires: 0 },
    { ...SERVERS, holder: 'b', token: 6, expires: 0 },
  ])
})

test('no statement of a batch is made, wherever it was started', async () => {
  const begun = fencedBy([FLEET], async () => {
    await take('fleet')
    return writeAll(db, (queries) => [
      queries.insert(settings).values({ key: 'a', value: 1 }),
      queries.insert(settings).values({ key: 'b', value: 2 }),
    ])
  })
  expect(await failure(begun)).toBe('stale')
  expect(await keys()).toEqual([])
})

test('the same holder with an earlier token is refused', async () => {
  await db.write((queries) =>
    queries.update(leases).set({ token: 4 }).where(eq(leases.name, 'fleet')),
  )
  expect(await failure(fencedBy([FLEET], () => set(1)))).toBe('stale')
})

test('another failure stays what it is', async () => {
  const wrong = fencedBy([FLEET], () =>
    db.write((queries) => queries.run(sql`insert into nothing`)),
  )
  expect(await failure(wrong)).toBe('other')
})
