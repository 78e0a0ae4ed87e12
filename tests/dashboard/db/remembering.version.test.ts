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

/** What is another one after the work. */
async function changes(work: () => Promise<unknown>): Promise<string> {
  const before = client.version()
  await work()
  const after = client.version()
  if (before === undefined || after === undefined) throw new Error('unknown')
  const changed = [before.substance !== after.substance && SUBSTANCE]
  return [...changed, before.readings !== after.readings && ONLY].filter(Boolean).join(' and ')
}

const NOTHING = ''
const ONLY = 'readings'
const SUBSTANCE = 'substance'
const BOTH = `${SUBSTANCE} and ${ONLY}`

test('is another one after each commit, which may have stored only readings', async () => {
  const cases: [string, () => Promise<unknown>][] = [
    [NOTHING, () => client.execute('select * from things')],
    [ONLY, () => client.execute(READING)],
    [ONLY, () => client.batch([READING, { sql: READING, args: [] }], 'write')],
    [ONLY, () => client.batch(['select 1', READING], 'write')],
    [NOTHING, () => client.execute('update things set value = 3 where value is not 2')],
    [NOTHING, () => client.execute('delete from things where value = 9 returning value')],
    [SUBSTANCE, () => client.execute(INSERT)],
    [BOTH, () => client.batch([READING, INSERT], 'write')],
    [SUBSTANCE, () => client.execute('insert into things values (1) returning value')],
    [
      SUBSTANCE,
      () => client.execute('with one as (select 1) insert into things select * from one'),
    ],
    [SUBSTANCE, () => other.execute(INSERT)],
    [SUBSTANCE, () => other.execute(READING)],
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

  expect(changed).toBe(SUBSTANCE)
})

test('sees a commit of others that a reading follows', async () => {
  const changed = await changes(async () => {
    await other.execute(INSERT)
    await client.execute(READING)
  })

  expect(changed).toBe(BOTH)
})
