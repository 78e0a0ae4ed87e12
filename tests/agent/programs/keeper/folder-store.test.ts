import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#agent/kernel/config.ts'
import { folderStore } from '#agent/programs/keeper/folder-store.ts'
import { folderReader } from '#agent/programs/storage/serve.ts'
import { realHost } from '#agent/real-host.ts'

const host = realHost(readConfig({}).settings)
const folder = await mkdtemp(join(tmpdir(), 'store-'))
afterAll(() => rm(folder, { recursive: true }))

test('the report in a folder takes the place of earlier ones, and is no repository', async () => {
  const store = folderStore(host, folder)
  await mkdir(join(folder, 'hosting-keeper/keys'), { recursive: true })
  await Bun.write(join(folder, 'hosting-keeper/keys', 'f'.repeat(64)), 'garbage')

  const texts = ['{"signature":"list"}', '{"signature":"two"}']
  await store.report(['{"signature":"one"}'])
  await store.report(texts)

  const names = await readdir(join(folder, 'hosting-keeper/keys'))
  const digests = texts.map((text) => createHash('sha256').update(text).digest('hex'))
  expect(names.sort()).toEqual(digests.sort())
  const found = await folderReader(folder).keys(['hosting-keeper', 'none'])
  expect([found.get('hosting-keeper')?.sort(), found.get('none')]).toEqual([texts, []])
  expect(await store.repositories()).toEqual([])
})

test('drafts of packs are removed when they are a day old', async () => {
  // Only the folder with the packs of a repository counts.
  const root = join(folder, 'data')
  const data = join(root, 'shop/data/ab')
  await mkdir(data, { recursive: true })
  const pack = 'ab'.repeat(32)
  const now = Date.now() / 1000
  for (const [name, hours] of [
    ...[[pack, 30] as const, [`${pack}-tmp-1`, 30] as const, [`${pack}-tmp-2`, 20] as const],
  ]) {
    await Bun.write(join(data, name), 'data')
    await utimes(join(data, name), now, now - hours * 3600)
  }

  const config = join(root, 'shop/config')
  await Bun.write(config, 'config')
  await utimes(config, now, now - 30 * 3600)

  await folderStore(host, root).removeDrafts('shop')
  await folderStore(host, root).removeDrafts('none')

  expect((await readdir(data)).sort()).toEqual([pack, `${pack}-tmp-2`])
  expect(await Bun.file(config).text()).toBe('config')
})
