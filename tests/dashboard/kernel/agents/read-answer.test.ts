import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readDigest, readJson } from '#dashboard/kernel/agents/read-answer.ts'
import { bodyOf, ServiceError } from '#shared/kernel/errors.ts'

const MAX = 1_000
let answer: (response: ServerResponse) => void
const server = createServer((_, response) => answer(response))

beforeAll(() => new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** What the reader makes of an answer, or why it refuses it. */
async function read<T>(
  reader: (response: IncomingMessage) => Promise<T>,
  write: typeof answer,
): Promise<T | string> {
  answer = write
  const { port } = server.address() as AddressInfo
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject),
  )
  return reader(response).catch(reasonIn)
}
const reasonIn = (error: Error & { code?: string }) =>
  error instanceof ServiceError ? String(bodyOf(error).message) : (error.code ?? error.message)
const json = (response: IncomingMessage) => readJson(response, MAX)

/** Each piece arrives alone. */
async function inPieces(response: ServerResponse, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    response.write(piece)
    await Bun.sleep(5)
  }
  response.end()
}

test('an answer is read whole, however it arrives', async () => {
  expect(await read(json, (response) => inPieces(response, ['{"a"', ':[1,', '2]}']))).toEqual({
    a: [1, 2],
  })
  expect(await read(json, (response) => response.end('"😀"'))).toBe('😀')
  expect(await read(readDigest, (response) => inPieces(response, ['one', ' two']))).toBe(
    createHash('sha256').update('one two').digest('base64url'),
  )
})

test('an answer that is too large or incomplete is refused', async () => {
  const large = 'x'.repeat(MAX + 1)
  expect(await read(json, (response) => response.end(`"${large}"`))).toBe(
    'The agent sent an answer that is too large',
  )
  expect(await read(json, (response) => response.end('<html>'))).toBe(
    'The agent sent an answer that is not JSON',
  )
  const broken = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"a":', () => setTimeout(() => response.destroy(), 20))
  }
  expect(await read(json, broken)).toBe('ECONNRESET')
  expect(await read(readDigest, broken)).toBe('ECONNRESET')
})

test('an answer that is ended while it is read has the reason', async () => {
  const slow = (response: IncomingMessage) => {
    setTimeout(() => response.destroy(new Error('too slow')), 20)
    return json(response)
  }
  expect(await read(slow, (response) => response.write('{'))).toBe('too slow')
})
