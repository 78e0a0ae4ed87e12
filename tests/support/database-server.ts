import { createServer, type Server, type Socket } from 'node:net'

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
export function databaseServer({ greets, answers }: Options): Server {
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
