import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { siteTree } from '#agent/host/real/tree.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tree-'))
  mkdirSync(`${root}/site/a/b`, { recursive: true })
  writeFileSync(`${root}/site/a/b/file`, 'inside')
  writeFileSync(`${root}/secret`, 'outside')
})
afterEach(() => rmSync(root, { recursive: true }))

test('reads files, folders and what they are', () => {
  const tree = siteTree(`${root}/site`)

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

  expect(siteTree(`${root}/site`).head(path, 99)).toBeUndefined()
})

test('lists nothing through a link', () => {
  symlinkSync(root, `${root}/site/way`)

  expect(siteTree(`${root}/site`).list('way')).toEqual([])
  expect(siteTree(`${root}/site`).stat('way')?.kind).toBe('link')
})

test('stays in the folder that it opened when a link takes its place', () => {
  const tree = siteTree(`${root}/site`)
  expect(tree.head('a/b/file', 99)).toBe('inside')
  renameSync(`${root}/site/a`, `${root}/site/old`)
  mkdirSync(`${root}/b`)
  writeFileSync(`${root}/b/file`, 'outside')
  symlinkSync(root, `${root}/site/a`)

  expect(tree.head('a/b/file', 99)).toBe('inside')
})

test('sees what changed between two pieces of work, and leaves nothing open', async () => {
  const tree = siteTree(`${root}/site`)
  for (let number = 0; number < 200; number++) {
    mkdirSync(`${root}/site/f${number}`)
    tree.list(`f${number}`)
  }
  await Promise.resolve()
  rmSync(`${root}/site/a`, { recursive: true })

  expect(tree.list('a/b')).toEqual([])
  await Promise.resolve()
  const before = readdirSync('/proc/self/fd').length
  tree.list('f1')
  await Promise.resolve()
  expect(readdirSync('/proc/self/fd').length).toBe(before)
})
