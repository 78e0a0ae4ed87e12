import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { net, readAnswer } from '#agent/kernel/host/real/net.ts'
import { eachFolder } from '#tests/support/each-folder.ts'

const MIB = 1 << 20
let folder = ''
eachFolder((path) => {
  folder = path
})

async function download(content: Uint8Array, options: object): Promise<[string, string]> {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  await writeFile(from, content)
  const digest = await net.download(`file://${from}`, to, 'sha256', options)
  return [digest, await readFile(to, 'utf8')]
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

test('computes the digest of the unpacked data', async () => {
  const text = 'program '.repeat(100_000)

  expect(await download(gzipSync(text), { gunzip: true })).toEqual([digestOf(text), text])
})

test('aborts a small download that unpacks to too much', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB))

  const unpacking = download(bomb, { gunzip: true, most: 8 * MIB })

  expect(bomb.length).toBeLessThan(MIB)
  await expect(unpacking).rejects.toThrow('The download is larger than 8 MiB')
  const { size } = Bun.file(join(folder, 'to'))
  expect(size).toBeLessThanOrEqual(8 * MIB)
})

test('aborts an endless download', async () => {
  const coming = download(Buffer.alloc(3 * MIB), { most: 2 * MIB })

  await expect(coming).rejects.toThrow('The download is larger than 2 MiB')
})

test.each([
  ['is not compressed', Buffer.from('program')],
  ['is cut off', gzipSync('program '.repeat(1000)).subarray(0, 30)],
])('refuses a download that %s', async (_, content) => {
  await expect(download(content, { gunzip: true })).rejects.toThrow()
})

describe('the answer of a page', () => {
  async function answerOf(print: (response: ServerResponse) => Promise<unknown>, limit_ms: number) {
    const server = createServer((_, response) => void print(response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      return await readAnswer(request({ host: '127.0.0.1', port, agent: false }), limit_ms)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  test('ends at its limit, although the page prints a little now and then', async () => {
    const answer = answerOf(async (response) => {
      while (!response.destroyed) {
        response.write('still here')
        await Bun.sleep(5)
      }
    }, 100)

    await expect(answer).rejects.toThrow('no whole answer in 0.1 seconds')
  })

  test('is the beginning of a page without an end', async () => {
    const { status, body } = await answerOf(async (response) => {
      while (!response.destroyed) {
        response.write('x'.repeat(1 << 16))
        await Bun.sleep(0)
      }
    }, 30_000)

    expect([status, body.length >= MIB, body.length < 2 * MIB]).toEqual([200, true, true])
  })
})
