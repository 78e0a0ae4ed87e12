import { Buffer } from 'node:buffer'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'

/** The answer of PHP-FPM 8.4 to `/.fpm-status?json`, as FastCGI has it. */
const BODY = `Content-type: application/json\r\n\r\n${JSON.stringify({
  ...{ pool: 'site', 'process manager': 'dynamic', 'start time': 1, 'start since': 60 },
  ...{ 'accepted conn': 7, 'listen queue': 0, 'idle processes': 2, 'active processes': 3 },
  ...{ 'total processes': 5, 'max active processes': 4, 'max children reached': 0 },
  'slow requests': 0,
})}`

function record(type: number, content: Buffer): Buffer {
  const header = Buffer.from([1, type, 0, 1, content.length >> 8, content.length & 255, 0, 0])
  return Buffer.concat([header, content])
}
const ANSWER = Buffer.concat([record(6, Buffer.from(BODY)), record(3, Buffer.alloc(8))])

const paths = (await Bun.stdin.text()).split('\n')
await Promise.all(
  paths.map((path) => {
    mkdirSync(dirname(path), { recursive: true })
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(ANSWER))
    })
    return new Promise<void>((resolve) => server.listen(path, resolve))
  }),
)
console.log('ready')
