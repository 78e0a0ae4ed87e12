import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { files } from '#agent/host/real/files.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'files-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('writes whole files with the mode asked for and leaves no temporary one', async () => {
  await files.write(`${root}/a/b.conf`, 'text', { mode: 0o600 })

  expect(await files.read(`${root}/a/b.conf`)).toBe('text')
  expect(statSync(`${root}/a/b.conf`).mode & 0o777).toBe(0o600)
  expect(await files.list(`${root}/a`)).toEqual([{ name: 'b.conf', kind: 'file' }])
})

test('knows nothing of what is missing', async () => {
  expect(await files.read(`${root}/none`)).toBeUndefined()
  expect(await files.stat(`${root}/none/below`)).toBeUndefined()
  expect(await files.list(`${root}/none`)).toEqual([])
  await files.remove(`${root}/none`)
})

test('refuses to read more than it was told to', async () => {
  writeFileSync(`${root}/big`, 'x'.repeat(100))

  await expect(files.read(`${root}/big`, 99)).rejects.toThrow('larger than 99 bytes')
})

test('removes a link, not what it points to', async () => {
  writeFileSync(`${root}/target`, 'kept')
  symlinkSync(`${root}/target`, `${root}/link`)

  await files.remove(`${root}/link`)

  expect(await files.read(`${root}/target`)).toBe('kept')
})

test('reads below a site tree, and never through a link in it', () => {
  mkdirSync(`${root}/site/inner`, { recursive: true })
  mkdirSync(`${root}/neighbour`)
  writeFileSync(`${root}/neighbour/wp-config.php`, 'secret')
  writeFileSync(`${root}/site/inner/a.php`, 'hello')
  symlinkSync('../neighbour/wp-config.php', `${root}/site/wp-config.php`)
  symlinkSync('../neighbour', `${root}/site/plugins`)
  const tree = files.tree(`${root}/site`)

  expect(tree.head('inner/a.php', 4)).toBe('hell')
  expect(tree.head('wp-config.php', 100)).toBeUndefined()
  expect(tree.head('plugins/wp-config.php', 100)).toBeUndefined()
  expect(tree.head('../neighbour/wp-config.php', 100)).toBeUndefined()
  expect(tree.head('inner/../../neighbour/wp-config.php', 100)).toBeUndefined()
  expect(tree.head('inner', 100)).toBeUndefined()
  expect(tree.list('plugins')).toEqual([])
  expect(tree.list('inner')).toEqual([{ name: 'a.php', kind: 'file' }])
  expect(tree.list('')).toHaveLength(3)
  expect(tree.stat('wp-config.php')?.kind).toBe('link')
  expect(tree.stat('inner/a.php')?.size).toBe(5)
})
