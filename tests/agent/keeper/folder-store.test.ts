import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#agent/config.ts'
import { folderStore } from '#agent/keeper/folder-store.ts'
import { realHost } from '#agent/real-host.ts'
import { folderReader } from '#agent/storage/folder.ts'

const host = realHost(readConfig({}).settings)
const folder = await mkdtemp(join(tmpdir(), 'store-'))
afterAll(() => rm(folder, { recursive: true }))

test('the report in a folder takes the place of earlier ones, and is no repository', async () => {
  const store = folderStore(host, folder)
  await mkdir(join(folder, 'hosting-keeper/keys'), { recursive: true })
  await Bun.write(join(folder, 'hosting-keeper/keys', 'f'.repeat(64)), 'garbage')

  await store.report('{"signature":"one"}')
  await store.report('{"signature":"two"}')

  const names = await readdir(join(folder, 'hosting-keeper/keys'))
  expect(names).toEqual([createHash('sha256').update('{"signature":"two"}').digest('hex')])
  const found = await folderReader(folder).keys(['hosting-keeper', 'none'])
  expect([found.get('hosting-keeper'), found.get('none')]).toEqual([['{"signature":"two"}'], []])
  expect(await store.repositories()).toEqual([])
})
