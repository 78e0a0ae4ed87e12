import { expect, test } from 'bun:test'
import { forgetAllUploads, partsOf, storePart } from '#agent/os/site-database/uploads.ts'
import { PART_BYTES } from '#shared/site-database.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const { domain } = shop
const upload = 'a'.repeat(16)
const full = Buffer.alloc(PART_BYTES, 'x').toString('base64')
const stored = (host: Awaited<ReturnType<typeof server>>) =>
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

test('a new upload removes the former one of the site, and a restart all of them', async () => {
  const host = await server(shop)
  await storePart(host, { domain, upload, part: 0, data: 'YWJj' })
  await storePart(host, { domain, upload: 'b'.repeat(16), part: 0, data: 'YWJj' })
  expect(stored(host)).toEqual([expect.stringContaining('b'.repeat(16))])

  await forgetAllUploads(host)

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
    message: 'Only 1024 MB are free on this server: no upload',
  })
  expect(stored(host)).toEqual([])
})
