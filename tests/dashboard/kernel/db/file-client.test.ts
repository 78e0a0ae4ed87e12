import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Client, InArgs, InStatement, ResultSet } from '@libsql/client'
import { connect } from '#dashboard/kernel/db/connect.ts'
import { fileClient } from '#dashboard/kernel/db/file-client.ts'

let folder: string
let plain: Client
let client: Client

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-client-'))
  plain = connect({ url: `file:${folder}/test.db` })
  await plain.executeMultiple(`PRAGMA journal_mode = WAL;
    create table things (id integer primary key, name text unique, size real, part blob)`)
  client = fileClient(plain, `${folder}/test.db`, 100)
})

afterEach(async () => {
  client.close()
  await rm(folder, { recursive: true })
})

const insert = (name: unknown, size: unknown = 1) => ({
  sql: 'insert into things (name, size) values (?, ?)',
  args: [name, size] as InArgs,
})
/** What a caller can see of an answer or an error, as text. */
async function seen(work: Promise<unknown>): Promise<string> {
  const shown = (row: object) => [Object.entries(row), Array.prototype.slice.call(row)]
  const of = ({ columns, columnTypes, rows, rowsAffected, lastInsertRowid }: ResultSet) => ({
    ...{ columns, columnTypes, rows: rows.map(shown), rowsAffected, lastInsertRowid },
  })
  try {
    const found = (await work) as ResultSet | ResultSet[]
    return inspect(Array.isArray(found) ? found.map(of) : of(found), { depth: 9 })
  } catch (error) {
    const { name, message, code, extendedCode, rawCode, statementIndex } = Object(error)
    // A wrong value has an error of our own words.
    return inspect({
      name,
      message: code ? message : '',
      code,
      extendedCode,
      rawCode,
      statementIndex,
    })
  }
}

describe('a client that remembers its statements answers like the other one', () => {
  const SAME: [string, InStatement][] = [
    ['numbers, texts and null', 'select 1 as one, 2.5 as half, null as nothing, ? as given'],
    ['columns with the same name', 'select 1 as id, 2 as id, 3 as other'],
    ['no rows', 'select * from things where id = 7'],
    ['a change', insert('new')],
    [
      'a change that returns rows',
      { sql: 'insert into things (name) values (?) returning id', args: ['back'] },
    ],
    ['values by name', { sql: 'select :a as a, @b as b', args: { a: true, b: new Date(5) } }],
    ['bytes', { sql: 'select ? as part', args: [new Uint8Array([1, 2, 3])] }],
    ['a large number', { sql: 'select ? as large', args: [9007199254740991n] }],
    ['a syntax error', 'selec'],
    ['an unknown table', 'select * from nowhere'],
    ['a violated constraint', insert('taken')],
    ['too large a number', 'select 9007199254740993 as large'],
    ['a number that is none', insert('bad', Number.NaN)],
    ['a missing value', { sql: 'select ?', args: [undefined] as never }],
  ]

  test.each(SAME)('%s', async (what, statement) => {
    const given = what.startsWith('numbers')
      ? { sql: String(statement), args: ['text'] }
      : statement
    const answers = []
    for (const one of [plain, client]) {
      await one.execute('delete from things')
      await one.execute(insert('taken'))
      answers.push(await seen(one.execute(given)))
    }
    expect(answers[1]).toBe(answers[0])
  })

  test.each<[string, InStatement[]]>([
    ['all of a batch', [insert('a'), 'select name from things', insert('b')]],
    ['a batch whose second statement fails', [insert('a'), insert('taken'), insert('c')]],
  ])('%s', async (_, statements) => {
    const answers = []
    for (const one of [plain, client]) {
      await one.execute('delete from things')
      await one.execute(insert('taken'))
      const batch = await seen(one.batch(statements))
      answers.push([batch, await seen(one.execute('select name from things order by name'))])
    }
    expect(answers[1]).toEqual(answers[0])
  })
})

describe('a client that remembers its statements', () => {
  test('repeats a statement with other values, after errors too', async () => {
    for (const name of ['a', 'b']) await client.execute(insert(name))
    await expect(client.execute(insert('a'))).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' })
    await expect(client.execute('selec')).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
    await client.execute(insert('c', null))

    const { rows } = await client.execute('select name, size from things order by name')
    expect(rows.map(({ name, size }) => [name, size])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', null],
    ])
  })

  test('sees the writes of other connections at once, also after it has read', async () => {
    const count = async () => (await client.execute('select count(*) as n from things')).rows[0]?.n
    const before = await count()
    await plain.execute(insert('elsewhere'))
    const after = await count()
    await expect(client.execute('select 9007199254740993 as n from things')).rejects.toThrow()
    await plain.execute(insert('elsewhere again'))

    expect([before, after, await count()]).toEqual([0, 1, 2])
  })

  test('sees a changed table', async () => {
    await client.execute(insert('a'))
    const all = 'select name from things'
    await client.execute(all)
    await plain.executeMultiple('alter table things add column more text default 1')

    expect((await client.execute(all)).rows[0]?.name).toBe('a')
    expect((await client.execute('select more from things')).rows[0]?.more).toBe('1')
  })

  test('fails while another process writes, and works when that has ended', async () => {
    const other = await plain.transaction('write')
    await expect(client.execute(insert('a'))).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
    await expect(client.batch([insert('a')])).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
    await other.commit()

    await client.batch([insert('a')], 'write')
    expect((await plain.execute('select name from things')).rows).toHaveLength(1)
  })

  test('keeps its answers right when it has forgotten statements', async () => {
    for (const round of [1, 2])
      for (let place = 0; place < 600; place++) {
        const { rows } = await client.execute({
          sql: `select ${place} as place, ? as round`,
          args: [round],
        })
        expect([rows[0]?.place, rows[0]?.round]).toEqual([place, round])
      }
  })

  test('can be used after it was connected again', async () => {
    await client.execute(insert('a'))
    await client.reconnect()
    expect((await client.execute('select name from things')).rows).toHaveLength(1)
  })
})
