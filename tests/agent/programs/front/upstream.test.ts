import { afterEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ListeningServer, listen } from '#agent/kernel/http/listen.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { createFront } from '#agent/programs/front/serve.ts'
import { upstreamAt } from '#agent/programs/front/upstream.ts'

const open: ListeningServer[] = []
const folders: string[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop()
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

/** A front on loopback before a root half that answers as a test wants. */
async function frontOf(answer?: (request: Request) => Response | Promise<Response>) {
  const folder = await mkdtemp(join(tmpdir(), 'front-'))
  folders.push(folder)
  const socket = join(folder, 'root.sock')
  if (answer) open.push(await listen(answer, { socket }))
  return frontAt(socket)
}

async function frontAt(socket: string) {
  const front = createFront({
    gate: openGate,
    enrolling: async () => true,
    upstream: upstreamAt(socket),
    report: (error) => {
      throw error
    },
  })
  const listening = await listen(front, { address: '127.0.0.1', port: 0 })
  open.push(listening)
  return listening.url
}

test('forwards method, path, body and relevant headers, and returns the answer', async () => {
  const url = await frontOf(async (request) => {
    const { method, headers } = request
    const seen = ['authorization', 'content-type', 'last-event-id', 'operation-id', 'x-other']
    const path = request.url.slice(request.url.indexOf('/', 8))
    const body = { method, path, text: await request.text(), seen: seen.map((n) => headers.get(n)) }
    return Response.json(body, { status: 418, headers: { 'www-authenticate': 'Hosting x' } })
  })

  const response = await fetch(`${url}/exec?a=%2F`, {
    method: 'POST',
    body: '{"é":1}',
    headers: {
      authorization: 'Hosting t',
      'content-type': 'application/json',
      'last-event-id': '7',
      'operation-id': 'op1',
      'x-other': 'no',
    },
  })

  expect([response.status, response.headers.get('www-authenticate')]).toEqual([418, 'Hosting x'])
  expect(await response.json()).toEqual({
    method: 'POST',
    path: '/exec?a=%2F',
    text: '{"é":1}',
    seen: ['Hosting t', 'application/json', '7', 'op1', null],
  })
})

test('forwards each event immediately, and stops when its reader disconnects', async () => {
  const gone = Promise.withResolvers<void>()
  let next: (text: string) => void = () => undefined
  const url = await frontOf(() => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        next = (text) => controller.enqueue(new TextEncoder().encode(text))
        next('one')
      },
      cancel: () => gone.resolve(),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  const reader = new AbortController()

  const response = await fetch(`${url}/operations/x/events`, { signal: reader.signal })
  const chunks = response.body?.getReader()
  const read = async () => new TextDecoder().decode((await chunks?.read())?.value)

  expect(await read()).toBe('one')
  next('two')
  expect(await read()).toBe('two')
  reader.abort()
  await gone.promise
})

test('answers 503 with the time of the next attempt while the root half does not run', async () => {
  const response = await fetch(`${await frontOf()}/metrics`)

  expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
    503,
    '1',
    { error: 'Agent offline', message: 'The agent is starting' },
  ])
})

test('does not say so when the root half ends with a request that it may have taken', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'front-'))
  folders.push(folder)
  const socket = join(folder, 'root.sock')
  const root = createServer((connection) => {
    connection.once('data', () => connection.destroy())
  })
  await new Promise<void>((done) => root.listen(socket, done))
  const url = await frontAt(socket)

  const response = await fetch(`${url}/exec`, { method: 'POST', body: '{}' })

  root.close()
  expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
    503,
    null,
    { error: 'Agent offline', message: 'The agent ended before it answered' },
  ])
})
