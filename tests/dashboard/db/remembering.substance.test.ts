import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@libsql/client'
import { connect } from '#dashboard/db/connect.ts'
import { READINGS } from '#dashboard/db/prepared.ts'
import { type Remembering, remembering } from '#dashboard/db/remembering.ts'

let folder: string
let other: Client
let client: Remembering

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'substance-'))
  const url = `file:${folder}/test.db`
  const plain = connect({ url })
  await plain.executeMultiple('PRAGMA journal_mode = WAL; create table things (value)')
  other = connect({ url })
  client = remembering(plain, `${folder}/test.db`, 100)
})

afterEach(async () => {
  client.close()
  other.close()
  await rm(folder, { recursive: true })
})

const INSERT = 'insert into things values (1)'
const READING = `${READINGS} update things set value = 2`

/** Whether it is another one after the work. */
async function changes(work: () => Promise<unknown>): Promise<boolean> {
  const before = client.substance()
  await work()
  const after = client.substance()
  if (before === undefined || after === undefined) throw new Error('unknown')
  return before !== after
}

test('is the same after reads and readings, and another one after every other commit', async () => {
  const cases: [boolean, () => Promise<unknown>][] = [
    [false, () => client.execute('select * from things')],
    [false, () => client.execute(READING)],
    [false, () => client.batch([READING, { sql: READING, args: [] }], 'write')],
    [false, () => client.batch(['select 1', READING], 'write')],
    [false, () => client.execute('update things set value = 3 where value is not 2')],
    [false, () => client.execute('delete from things where value = 9 returning value')],
    [true, () => client.execute(INSERT)],
    [true, () => client.batch([READING, INSERT], 'write')],
    [true, () => client.execute('insert into things values (1) returning value')],
    [true, () => client.execute('with one as (select 1) insert into things select * from one')],
    [true, () => other.execute(INSERT)],
    [true, () => other.execute(READING)],
  ]

  for (const [place, [expected, work]] of cases.entries())
    expect([place, await changes(work)]).toEqual([place, expected])
})

test('is another one after a transaction, which has a connection of its own', async () => {
  const changed = await changes(async () => {
    const open = await client.transaction('write')
    await open.execute(INSERT)
    await open.commit()
  })

  expect(changed).toBe(true)
})

test('sees a commit of others that a reading follows', async () => {
  const changed = await changes(async () => {
    await other.execute(INSERT)
    await client.execute(READING)
  })

  expect(changed).toBe(true)
})
