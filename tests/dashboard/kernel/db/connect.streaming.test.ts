import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, ResultSet } from '@libsql/client'
import { openHttp } from '@libsql/hrana-client'
import { connect, StreamPool, streamingClient } from '#dashboard/kernel/db/connect.ts'
import { Sqld } from '#scripts/lib/sqld.ts'
import { freePort } from '#tests/support/start-script.ts'

let folder: string
let server: Sqld
let plain: Client
let client: Client
/** The batons that were sent: undefined opens a stream. */
let batons: unknown[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'streaming-'))
  server = await Sqld.prepare(folder, await freePort())
  await server.start()
  const address = { url: server.url, token: (await Bun.file(server.token_file).text()).trim() }
  plain = connect(address)
  await plain.execute('create table things (name text unique, value)')
  const recorded = async (request: Request) => {
    batons.push((await request.clone().json()).baton)
    return fetch(request)
  }
  const streams = new StreamPool(() => openHttp(address.url, address.token, recorded))
  client = streamingClient(connect(address), streams)
})

beforeEach(async () => {
  batons = []
  await plain.execute('delete from things')
})

afterAll(async () => {
  client.close()
  plain.close()
  await server.kill()
  await rm(folder, { recursive: true })
})

const opened = () => batons.filter((baton) => baton === undefined).length

test('the results are those of the client of @libsql/client', async () => {
  const values = [1, 1.5, null, 'text', new Uint8Array([1, 2]).buffer]
  const statements = [
    ...values.map((value) => ({ sql: 'insert into things (value) values (?)', args: [value] })),
    'select * from things',
    { sql: 'select :one as a, @two as b', args: { one: 1, two: 'x' } },
    'update things set value = 2 where value = 1',
  ]
  const shape = (result: ResultSet) => ({
    ...result,
    rows: result.rows.map((row) => [...Array.from(row), { ...row }]),
    toJSON: undefined,
  })
  const run = async (on: Client) => {
    await plain.execute('delete from things')
    const alone = await on.execute('select 1 as one')
    const [sql, args] = ['select ? as value', ['x']] as const
    return [alone, await on.execute(sql, [...args]), ...(await on.batch(statements, 'write'))]
  }
  const [own, theirs] = [await run(client), await run(plain)]

  expect(own.map(shape)).toEqual(theirs.map(shape))
})

test('statements one after another use one stream, those at the same time others', async () => {
  await client.reconnect()
  const together = (count: number) =>
    Promise.all(Array.from({ length: count }, () => client.execute('select 1')))
  const seen: number[] = []
  for (const count of [1, 1, 30, 8]) {
    await together(count)
    seen.push(opened())
  }

  // Twenty at a time, of which eight stay open.
  expect(seen.slice(0, 2)).toEqual([1, 1])
  expect(seen[2]).toBeGreaterThanOrEqual(20)
  expect(seen[3]).toBe(seen[2] ?? 0)
})

test('a failed batch changes nothing, and names its statement', async () => {
  const insert = "insert into things (name) values ('one')"
  const failure = await client.batch([insert, insert], 'write').catch((error: unknown) => error)
  const theirs = await plain.batch([insert, insert], 'write').catch((error: unknown) => error)

  const parts = ({ name, message, code, statementIndex, cause }: Record<string, unknown>) => [
    ...[name, message, code, statementIndex, (cause as Error).message],
  ]
  expect(parts(failure as never)).toEqual(parts(theirs as never))
  expect((await client.execute('select * from things')).rows).toEqual([])
})

test('a failed statement is reported as there, and its stream is used again', async () => {
  await client.execute('select 1')
  batons = []
  const failure = await client.execute('select nothing').catch((error: unknown) => error)
  const theirs = await plain.execute('select nothing').catch((error: unknown) => error)
  await client.execute('select 1')

  const { name, message, code } = failure as Record<string, unknown>
  const { name: n, message: m, code: c } = theirs as Record<string, unknown>
  expect([name, message, code]).toEqual([n, m, c])
  expect(opened()).toBe(0)
})

test('a stream sees what others have written', async () => {
  await client.execute('select * from things')
  await plain.execute("insert into things (name) values ('new')")

  expect((await client.execute('select name from things')).rows[0]?.name).toBe('new')
})

test('statements continue after a restart of the server, on other streams', async () => {
  await client.execute('select 1')
  await server.kill()
  await expect(client.execute('select 1')).rejects.toThrow()
  await server.start()
  await client.execute("insert into things (name) values ('one')")
  await server.kill()
  await server.start()
  await client.batch(["insert into things (name) values ('two')"], 'write')

  expect((await plain.execute('select count(*) as them from things')).rows[0]?.them).toBe(2)
})

test('reconnecting opens others', async () => {
  await client.execute('select 1')
  await client.reconnect()
  batons = []
  await client.execute('select 1')

  expect(opened()).toBe(1)
})
