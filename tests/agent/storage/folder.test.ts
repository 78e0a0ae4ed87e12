import { expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderReader } from '#agent/storage/folder.ts'

test('a repository in a folder gets its configuration as a whole, also after an interruption', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const repository = join(folder, 'shop')
  await mkdir(repository)
  await writeFile(join(repository, 'config.draft'), 'half of anoth', { mode: 0o400 })

  await folderReader(folder).addConfig('shop', Buffer.from('whole'))

  expect(await readdir(repository)).toEqual(['config'])
  expect(await readFile(join(repository, 'config'), 'utf8')).toBe('whole')
  expect((await stat(join(repository, 'config'))).mode & 0o777).toBe(0o400)
  await rm(folder, { recursive: true })
})
