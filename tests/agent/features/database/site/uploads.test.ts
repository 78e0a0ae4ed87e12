import { expect, test } from 'bun:test'
import {
  markTried,
  partsOf,
  removeAllUploads,
  storePart,
  uploadRemoved,
} from '#agent/features/database/site/uploads.ts'
import { PART_BYTES } from '#shared/database/site-database.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const { domain } = shop
const upload = 'a'.repeat(16)
const full = Buffer.alloc(PART_BYTES, 'x').toString('base64')
type Host = Awaited<ReturnType<typeof server>>
const stored = (host: Host) =>
  Object.keys(host.disk.all).filter((path) => /uploads.*\/\d{5}$/.test(path))

test('stores the parts of an upload in order, and the same part again', async () => {
  const host = await server(shop)
  for (const [part, data] of [
    [0, full],
    [1, 'YWJj'],
    [1, 'YWJjZGVm'],
  ] as const)
    expect(await storePart(host, { domain, upload, part, data })).toEqual({ part })

  const { paths, bytes } = await partsOf(host, { user: 'shop', upload, part_count: 2 })

  expect([paths.length, bytes]).toEqual([2, PART_BYTES + 6])
  expect(paths).toEqual(stored(host))
  for (const path of paths) expect((await host.disk.stat(path))?.mode).toBe(0o600)
})

const idOf = (letter: string) => letter.repeat(16)
async function withUploads(...letters: string[]) {
  const host = await server(shop)
  const start = (letter: string, importing?: string[], part = 0) =>
    storePart(host, { domain, upload: idOf(letter), part, data: 'YWJj' }, importing)
  for (const letter of letters) await start(letter)
  return { host, start }
}
const uploads = (host: Host) => stored(host).map((path) => path.split('/').at(-2)?.[0])

test('parallel uploads are independent, and a fourth one is refused', async () => {
  const { host, start } = await withUploads('a', 'b', 'c')

  await expect(start('d')).rejects.toMatchObject({
    code: 'conflict',
    message: `3 dumps for ${domain} are being uploaded: try again 2 minutes after they ended`,
  })
  await start('b')
  expect(uploads(host)).toEqual(['a', 'b', 'c'])
})

test('a new upload removes abandoned ones', async () => {
  const { host, start } = await withUploads('a', 'b', 'c')
  host.time += 61_000
  await start('a', [], 1)
  host.time += 61_000

  await start('d')

  expect(uploads(host)).toEqual(['a', 'a', 'd'])
})

test('one of which a former part comes again is not abandoned, nor any after the clock is set back', async () => {
  const { host, start } = await withUploads('a')
  await start('a', [], 1)
  host.time += 121_000
  await start('a')
  await start('b')
  expect(uploads(host)).toEqual(['a', 'a', 'b'])

  host.time -= 60_000
  await start('c')
  expect(uploads(host)).toEqual(['a', 'a', 'b', 'c'])

  host.time -= 3_600_000
  await start('d')
  expect(uploads(host)).toEqual(['d'])
})

test('no new upload begins while the site has an import', async () => {
  const { host, start } = await withUploads('a', 'b')

  await expect(start('c', [idOf('a')])).rejects.toMatchObject({
    code: 'conflict',
    message: `An import into the database of ${domain} is running: wait for its end`,
  })
  await start('b', [idOf('a')])
  expect(uploads(host)).toEqual(['a', 'b'])
})

test('an upload begins with its first part', async () => {
  const { host, start } = await withUploads()

  await expect(start('a', [], 1)).rejects.toMatchObject({
    code: 'conflict',
    message: 'This upload no longer exists: upload the dump again',
  })
  await start('a')
  await start('a', [], 1)
  expect(uploads(host)).toEqual(['a', 'a'])
})

test('an upload whose import failed does not count, and the next one removes it', async () => {
  const { host, start } = await withUploads('a', 'b', 'c')
  await markTried(host, 'shop', idOf('b'))

  await start('d')

  expect(uploads(host)).toEqual(['a', 'c', 'd'])
})

test('no part of a dump that is being imported is replaced', async () => {
  const { host } = await withUploads('a')

  const again = storePart(host, { domain, upload, part: 0, data: 'eHl6' }, [upload])

  await expect(again).rejects.toMatchObject({
    code: 'conflict',
    message: 'This upload is being imported: send another dump as a new upload',
  })
  expect(stored(host).map((path) => host.disk.text(path))).toEqual(['YWJj'])
})

test('an import removes its own upload, and the folder of the site with the last one', async () => {
  const { host } = await withUploads('a', 'b')
  await uploadRemoved(host, 'shop', idOf('a')).apply()
  expect(uploads(host)).toEqual(['b'])

  await uploadRemoved(host, 'shop', idOf('b')).apply()

  expect(await host.disk.stat('/var/lib/hosting-agent/uploads/shop')).toBeUndefined()
})

test('a restart of the agent removes all uploads', async () => {
  const { host } = await withUploads('a')

  await removeAllUploads(host)

  expect(stored(host)).toEqual([])
})

test('refuses a part of an unknown site, and one on a full disk', async () => {
  const host = await server(shop)
  const part = { domain, upload, part: 0, data: 'YWJj' }
  await expect(storePart(host, { ...part, domain: 'nobody.example' })).rejects.toMatchObject({
    code: 'not_found',
  })
  host.files.space = async () => ({ free: 2 ** 30, total: 2 ** 40 })

  await expect(storePart(host, part)).rejects.toMatchObject({
    code: 'conflict',
    message: 'Only 1024 MB are free on this server: the upload is refused',
  })
  expect(stored(host)).toEqual([])
})
