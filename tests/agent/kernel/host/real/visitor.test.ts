import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { decodeAnswer, encodeRequest } from '#agent/kernel/host/fastcgi.ts'
import { ping, visitor } from '#agent/kernel/host/real/visitor.ts'

const folder = mkdtempSync(`${tmpdir()}/fpm-`)
const path = `${folder}/fpm.sock`
const servers: Server[] = []
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

async function listening(answer: (socket: Socket, asked: Buffer) => void): Promise<void> {
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (asked: Buffer) => answer(socket, asked))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(path, resolve))
}

const record = (type: number, text: string) =>
  Buffer.concat([Buffer.from([1, type, 0, 1, 0, text.length, 0, 0]), Buffer.from(text)])
const END = record(3, '\0'.repeat(8))
const PONG = 'Content-type: text/plain;charset=UTF-8\r\n\r\npong'

test('a request follows the FastCGI specification', () => {
  const long = 'v'.repeat(200)
  const bytes = encodeRequest({ A: 'bc', L: long })
  const params = [1, 2, ...Buffer.from('Abc'), 1, 0x80, 0, 0, 200, ...Buffer.from(`L${long}`)]
  expect([...bytes]).toEqual([
    ...[1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    ...[1, 4, 0, 1, 0, params.length, 0, 0, ...params],
    ...[1, 4, 0, 1, 0, 0, 0, 0],
    ...[1, 5, 0, 1, 0, 0, 0, 0],
  ])
})

test('an answer is complete at its end, whatever its pieces', () => {
  const padded = Buffer.from([1, 6, 0, 1, 0, 2, 3, 0, ...Buffer.from('ab'), 0, 0, 0])
  const whole = Buffer.concat([padded, record(7, 'a warning'), record(6, 'cd'), END])
  for (let at = 0; at < whole.length; at++)
    expect(decodeAnswer(whole.subarray(0, at))).toBeUndefined()
  expect(decodeAnswer(whole)).toBe('abcd')
  expect(decodeAnswer(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).toBe('')
})

test('PHP-FPM answers when it returns pong', async () => {
  let asked = ''
  await listening((socket, bytes) => {
    asked += bytes.toString('latin1')
    socket.write(record(6, PONG))
    setTimeout(() => socket.end(END), 5)
  })
  expect(await visitor.pingFpm(path)).toBe('pong')
  expect(asked).toContain('/.fpm-ping')
})

test.each<[string, (socket: Socket) => void]>([
  ['ends the connection', (socket) => socket.end()],
  ['says something else', (socket) => socket.end(Buffer.concat([record(6, 'pong?'), END]))],
  ['never stops', (socket) => socket.write(Buffer.alloc(1 << 20, record(6, 'x')))],
])('PHP-FPM that %s does not answer', async (_, answer) => {
  await listening(answer)
  expect(await visitor.pingFpm(path)).toBe('other')
})

test('a silent PHP-FPM times out, like a socket without a listener', async () => {
  await listening(() => undefined)
  expect(await ping(path, 100)).toBe('silent')
  expect(await visitor.pingFpm(`${folder}/none.sock`)).toBe('refused')
})

test('requests a page at the address and port of its site, by its name', async () => {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url} ${request.headers['user-agent']}`)
    response.end('a page')
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(Object(server.address()).port))
  })
  const place = { address: '127.0.0.1', port }

  const visit = { host: 'a.example', path: '/', tls: false, ...place }

  const visited = await visitor.visit([visit])
  await visitor.visit([{ ...visit, is_elsewhere: true }])

  const page = { status: 200, body: 'a page', from: '127.0.0.1' }
  expect(visited).toMatchObject([page])
  expect(asked).toEqual([
    `a.example:${port} / HostingControl-health (bot; this server itself)`,
    `a.example:${port} / HostingControl-certificate (bot; checks where a domain name leads)`,
  ])
  server.close()
})

test('a visit ends after its own time limit', async () => {
  const server = createServer((socket) => void sockets.push(socket))
  servers.push(server)
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(Object(server.address()).port))
  })
  const visit = { host: 'a.example', path: '/', tls: false, address: '127.0.0.1', port }

  const [visited] = await visitor.visit([{ ...visit, timeout_ms: 50 }])

  expect(visited).toEqual({ failed: 'timeout', ms: expect.any(Number) })
  expect(visited?.ms).toBeLessThan(3000)
})
