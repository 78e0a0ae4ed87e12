import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '#dashboard/db/connect.ts'
import { Revision } from '#dashboard/db/revision.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'revision-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function table(name: string) {
  const file = join(folder, name)
  const client = connect({ url: `file:${file}` })
  await client.executeMultiple('PRAGMA journal_mode = WAL; create table numbers (value)')
  return { file, client }
}

test('changes with each commit of any connection, and with nothing else', async () => {
  const { file, client } = await table('one.db')
  using other = connect({ url: `file:${file}` })
  const revision = new Revision(file)
  const seen = [revision.current(), revision.current()]
  const after = async (sql: string, by = client) => {
    await by.execute(sql)
    seen.push(revision.current())
  }

  await after('insert into numbers values (1)')
  await after('select * from numbers')
  await after('insert into numbers values (2)', other)
  await after('delete from numbers where value = 7')
  await after('update numbers set value = 3 where value = 2', other)
  const open = await client.transaction('write')
  await open.execute('insert into numbers values (4)')
  seen.push(revision.current())
  await open.commit()
  seen.push(revision.current())
  revision.close()
  client.close()

  const [first = 0] = seen
  expect(seen.map((one) => Number(one) - first)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4])
})

test('is unknown while there is no file, and never the same again', async () => {
  const { file, client } = await table('two.db')
  const revision = new Revision(file)
  const first = revision.current()
  revision.close()
  client.close()

  await rename(file, `${file}.away`)
  const away = revision.current()
  await rename(`${file}.away`, file)
  const again = revision.current()
  revision.close()

  expect(away).toBeUndefined()
  expect([typeof first, typeof again, first === again]).toEqual(['number', 'number', false])
})
