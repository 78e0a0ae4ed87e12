import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@libsql/client'
import { connect } from '#dashboard/db/connect.ts'
import { copyToFile } from '#dashboard/db/copy.ts'
import { countChanges, countingReadings, VERSION } from '#dashboard/db/counting.ts'
import { deviationsOf } from '#dashboard/db/inspect.ts'
import { migrate } from '#dashboard/db/migrations.ts'
import { READINGS } from '#dashboard/db/prepared.ts'

let folder: string
let url: string
/** Of another program, such as an earlier version of the dashboard. */
let other: Client
let client: Client

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counting-'))
  url = `file:${folder}/test.db`
  other = connect({ url })
  await migrate(other)
  await countChanges(other)
  client = countingReadings(connect({ url }))
  await client.execute("insert into settings (key, value) values ('one', '1')")
})

afterEach(async () => {
  client.close()
  other.close()
  await rm(folder, { recursive: true })
})

async function version() {
  const [row] = (await other.execute(VERSION)).rows
  return { substance: String(row?.substance), readings: String(row?.readings) }
}

/** What is another one after the work. */
async function changes(work: () => Promise<unknown>): Promise<string[]> {
  const before = await version()
  await work()
  const after = await version()
  return (['substance', 'readings'] as const).filter((part) => before[part] !== after[part])
}

const UPDATE = "update settings set value = '2' where key = 'one'"
const READING = `${READINGS} ${UPDATE}`
const INSERT = "insert into settings (key, value) values ('two', '2')"

test('each write that changes a row raises the version, and nothing else does', async () => {
  const [SUBSTANCE, ONLY, NOTHING] = [['substance'], ['readings'], []]
  const cases: [string[], () => Promise<unknown>][] = [
    [NOTHING, () => client.execute('select * from settings')],
    [NOTHING, () => client.execute("update settings set value = '2' where key = 'none'")],
    [NOTHING, () => client.execute("delete from settings where key = 'none'")],
    [
      NOTHING,
      () => client.execute("insert into settings values ('one', '2') on conflict do nothing"),
    ],
    [NOTHING, () => client.execute("insert into news (holder, topic, at) values ('a', 'b', 1)")],
    [NOTHING, () => client.execute("insert into leases values ('a', 'b', 1, 1)")],
    [ONLY, () => client.execute(READING)],
    [ONLY, () => client.batch(['select 1', READING, { sql: READING, args: [] }])],
    [SUBSTANCE, () => client.execute(UPDATE)],
    [SUBSTANCE, () => client.execute({ sql: 'update settings set value = ?', args: ['3'] })],
    [SUBSTANCE, () => client.batch([INSERT, UPDATE], 'write')],
    [SUBSTANCE, () => client.execute("delete from settings where key = 'two' returning key")],
    [SUBSTANCE, () => other.execute(INSERT)],
    [['substance', 'readings'], () => client.batch([READING, UPDATE], 'write')],
  ]

  for (const [place, [expected, work]] of cases.entries())
    expect([place, await changes(work)]).toEqual([place, expected])
})

test('a transaction raises it at its end, and not when it is rolled back', async () => {
  const ended = await changes(async () => {
    const open = await client.transaction('write')
    await open.execute(UPDATE)
    await open.commit()
  })
  const rolledBack = await changes(async () => {
    await client.batch([READING, UPDATE, 'no statement'], 'write').catch(() => undefined)
  })

  expect([ended, rolledBack, await changes(() => client.execute(UPDATE))]).toEqual([
    ['substance'],
    [],
    ['substance'],
  ])
})

test('the results of a batch are those of its own statements', async () => {
  const [read, reading, write] = await client.batch(['select 7 as seven', READING, INSERT], 'write')
  const alone = await client.execute(READING)

  expect(read?.rows[0]?.seven).toBe(7)
  expect([reading?.rowsAffected, write?.rowsAffected, alone.rowsAffected]).toEqual([1, 1, 1])
})

test('every table of the records is counted, but for leases and news', async () => {
  const names = async (sql: string) => (await other.execute(sql)).rows.map((row) => String(row[0]))
  const tables = await names(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name",
  )
  const counted = await names(
    "select tbl_name from sqlite_master where type = 'trigger' and name like 'revision%' group by 1 having count(*) = 3",
  )

  expect(tables.filter((name) => !counted.includes(name))).toEqual([
    ...['__drizzle_migrations', 'leases', 'news', 'revision'],
  ])
})

test('at a later start, only what is missing is made, which raises it', async () => {
  expect(await changes(() => countChanges(other))).toEqual([])
  await other.execute('drop trigger revision_update_settings')
  expect(await changes(() => client.execute(UPDATE))).toEqual([])

  expect(await changes(() => countChanges(other))).toEqual(['substance'])

  expect(await changes(() => client.execute(UPDATE))).toEqual(['substance'])
})

test('it is no part of the records: neither of their check nor of a copy', async () => {
  expect(await deviationsOf(other)).toEqual([])
  await copyToFile({ url }, `${folder}/copy.db`)
  using copy = connect({ url: `file:${folder}/copy.db` })

  expect(await deviationsOf(copy)).toEqual([])
})
