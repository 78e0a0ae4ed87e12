import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#agent/kernel/host/real/database.ts'

/** Protocol 10, with mysql_native_password: https://mariadb.com/kb/en/connection/ */
const GREETING = Buffer.concat([
  Buffer.from('\x0a11.8.0-MariaDB\0'),
  Buffer.from([1, 0, 0, 0, ...Buffer.from('saltsalt'), 0]),
  // Capabilities, in two halves around the character set (utf8mb4) and the status.
  Buffer.from([0xff, 0xf7, 45, 2, 0, 0xff, 0x81, 21, ...new Array<number>(10).fill(0)]),
  Buffer.from('saltsaltsalt\0mysql_native_password\0'),
])
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0])
const QUIT = 1

const packet = (sequence: number, body: Buffer) =>
  Buffer.concat([Buffer.from([body.length, 0, 0, sequence]), body])

interface Options {
  /** Called for each connection, from 1 on, before its greeting. */
  greets?: (connection: number) => Promise<void>
  /** Called for each statement before its answer. */
  answers?: (sql: string) => Promise<void>
}

/** A server that lets everyone in and answers each statement with OK, when the test wants it to. */
function databaseServer({ greets, answers }: Options): Server {
  let connections = 0
  return createServer(async (socket) => {
    socket.on('error', () => undefined)
    connections++
    await greets?.(connections)
    socket.write(packet(0, GREETING))
    for await (const { sequence, body } of packets(socket)) {
      if (sequence === 0 && body[0] === QUIT) break
      if (sequence === 0) await answers?.(body.subarray(1).toString())
      socket.write(packet(sequence + 1, OK))
    }
    socket.end()
  })
}

async function* packets(socket: Socket) {
  let rest = Buffer.alloc(0)
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUIntLE(0, 3)) {
      const end = 4 + rest.readUIntLE(0, 3)
      yield { sequence: rest[3] ?? 0, body: rest.subarray(4, end) }
      rest = rest.subarray(end)
    }
  }
}

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
