import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { SCAN_LIMITS, ScanBudget, siteTree } from '#agent/kernel/scan/access.ts'
import { eachFolder } from '#tests/support/each-folder.ts'

const treeOf = (path: string) => siteTree(path, new ScanBudget(SCAN_LIMITS, () => 0))

let root = ''
eachFolder((path) => {
  root = path
  mkdirSync(`${root}/site/a/b`, { recursive: true })
  writeFileSync(`${root}/site/a/b/file`, 'inside')
  writeFileSync(`${root}/secret`, 'outside')
})

test('reads files and folders with their types', () => {
  const tree = treeOf(`${root}/site`)

  expect(tree.head('a/b/file', 3)).toBe('ins')
  expect(tree.head('/a//b/file', 99)).toBe('inside')
  expect(tree.list('a/b/')).toEqual([{ name: 'file', kind: 'file' }])
  expect(tree.list('')).toEqual([{ name: 'a', kind: 'directory' }])
  expect(tree.stat('a/b')?.kind).toBe('directory')
  expect(tree.stat('a/b/file')?.size).toBe(6)
})

test.each([
  '../secret',
  'a/../../secret',
  'a/b/link',
  'way/secret',
  'a',
  'none',
  'a/none/file',
  'a\0b',
])('reads nothing from %j', (path) => {
  symlinkSync(`${root}/secret`, `${root}/site/a/b/link`)
  symlinkSync(root, `${root}/site/way`)

  expect(treeOf(`${root}/site`).head(path, 99)).toBeUndefined()
})

test('lists nothing through a link', () => {
  symlinkSync(root, `${root}/site/way`)

  expect(treeOf(`${root}/site`).list('way')).toBeUndefined()
  expect(treeOf(`${root}/site`).stat('way')?.kind).toBe('link')
})

test('stays in the folder that it opened when a link takes its place', () => {
  const tree = treeOf(`${root}/site`)
  expect(tree.head('a/b/file', 99)).toBe('inside')
  renameSync(`${root}/site/a`, `${root}/site/old`)
  mkdirSync(`${root}/b`)
  writeFileSync(`${root}/b/file`, 'outside')
  symlinkSync(root, `${root}/site/a`)

  expect(tree.head('a/b/file', 99)).toBe('inside')
})

test('sees changes between two runs, and leaves nothing open', async () => {
  const tree = treeOf(`${root}/site`)
  for (let number = 0; number < 200; number++) {
    mkdirSync(`${root}/site/f${number}`)
    tree.list(`f${number}`)
  }
  await Promise.resolve()
  rmSync(`${root}/site/a`, { recursive: true })

  expect(tree.list('a/b')).toBeUndefined()
  await Promise.resolve()
  const before = readdirSync('/proc/self/fd').length
  tree.list('f1')
  await Promise.resolve()
  expect(readdirSync('/proc/self/fd').length).toBe(before)
})

test('reads below a site tree, and never through a link in it', () => {
  mkdirSync(`${root}/site/inner`, { recursive: true })
  mkdirSync(`${root}/neighbour`)
  writeFileSync(`${root}/neighbour/wp-config.php`, 'secret')
  writeFileSync(`${root}/site/inner/a.php`, 'hello')
  symlinkSync('../neighbour/wp-config.php', `${root}/site/wp-config.php`)
  symlinkSync('../neighbour', `${root}/site/plugins`)
  const tree = treeOf(`${root}/site`)

  expect(tree.head('inner/a.php', 4)).toBe('hell')
  expect(tree.head('wp-config.php', 100)).toBeUndefined()
  expect(tree.head('plugins/wp-config.php', 100)).toBeUndefined()
  expect(tree.head('../neighbour/wp-config.php', 100)).toBeUndefined()
  expect(tree.head('inner/../../neighbour/wp-config.php', 100)).toBeUndefined()
  expect(tree.head('inner', 100)).toBeUndefined()
  expect(tree.list('plugins')).toBeUndefined()
  expect(tree.list('inner')).toEqual([{ name: 'a.php', kind: 'file' }])
  expect(tree.list('')).toHaveLength(4)
  expect(tree.stat('wp-config.php')?.kind).toBe('link')
  expect(tree.stat('inner/a.php')?.size).toBe(5)
})
