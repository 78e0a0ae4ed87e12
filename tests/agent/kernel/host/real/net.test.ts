import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { net } from '#agent/kernel/host/real/net.ts'
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
