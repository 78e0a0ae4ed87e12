import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#agent/host/real/database.ts'
import { databaseServer } from '#tests/support/database-server.ts'

const folder = await mkdtemp(join(tmpdir(), 'mariadb-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('reports immediately that MariaDB is not running', async () => {
  const database = openDatabase({ socket: join(folder, 'nobody.sock'), option_files: [] })

  await expect(database.admin('answers')).rejects.toMatchObject({ problem: 'stopped' })
})

test('queries a hanging database once, and then pauses', async () => {
  const socket = join(folder, 'silent.sock')
  let connections = 0
  const silent = createServer(() => {
    connections++
  })
  await new Promise<void>((resolve) => silent.listen(socket, resolve))
  const database = openDatabase({ socket, option_files: [], connect_ms: 300 })

  await expect(database.admin('answers')).rejects.toMatchObject({ problem: 'silent' })
  const again = Array.from({ length: 200 }, () => database.admin('answers'))
  const outcomes = await Promise.allSettled(again)

  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  expect(connections).toBe(1)
  silent.close()
})

test('a query that comes while another one connects does not end its connection', async () => {
  const socket = join(folder, 'slow.sock')
  const pooled = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  // The first connection tests the account, the second one is that of the pool.
  const server = databaseServer({
    async greets(connection) {
      if (connection === 2) pooled.resolve()
      if (connection > 1) await go.promise
    },
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  const database = openDatabase({ socket, option_files: [] })

  const first = database.admin('answers')
  await pooled.promise
  const others = [database.admin('answers'), database.admin('answers')]
  await Bun.sleep(50)
  go.resolve()

  expect(await Promise.all([first, ...others])).toEqual([[], [], []])
  server.close()
})

test('a query waits while statements of others use all connections', async () => {
  const socket = join(folder, 'busy.sock')
  const go = Promise.withResolvers<void>()
  const server = databaseServer({
    answers: (sql) => (sql.startsWith('SELECT 1') ? go.promise : Promise.resolve()),
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  // The pool refuses after twice this time.
  const database = openDatabase({ socket, option_files: [], connect_ms: 400 })

  const others = Array.from({ length: 4 }, () => database.admin('answers'))
  await Bun.sleep(50)
  const last = database.admin('answers')
  setTimeout(go.resolve, 900)

  expect(await Promise.all([...others, last])).toEqual([[], [], [], [], []])
  server.close()
})
