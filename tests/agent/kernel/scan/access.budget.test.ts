// tier: gate
import { expect, test } from 'bun:test'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { SCAN_LIMITS, ScanBudget, siteTree } from '#agent/kernel/scan/access.ts'
import { eachFolder } from '#tests/support/each-folder.ts'

let root = ''
eachFolder((path) => {
  root = path
})

const NAMES = ['a', 'b', 'c', 'd']

test('lists no more entries than the budget allows, and then none', () => {
  for (const name of NAMES) mkdirSync(`${root}/${name}`)
  writeFileSync(`${root}/a/file`, 'text')
  const budget = new ScanBudget({ ...SCAN_LIMITS, entries: 3 }, () => 0)
  const tree = siteTree(root, budget)

  expect(tree.list('')?.length).toBe(3)
  expect(budget.reached).toBe('entries')
  expect([tree.list('a'), tree.head('a/file', 9), tree.stat('a')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('reads a tree of exactly the budget completely', () => {
  for (const name of NAMES) writeFileSync(`${root}/${name}`, 'text')
  const budget = new ScanBudget({ entries: 4, bytes: 16, ms: 1 }, () => 0)
  const tree = siteTree(root, budget)

  expect(tree.list('')?.map(({ name }) => tree.head(name, 99))).toEqual(NAMES.map(() => 'text'))
  expect(budget.reached).toBeNull()
})

test('does not read a file that exceeds the remaining bytes', () => {
  for (const name of NAMES) writeFileSync(`${root}/${name}`, 'text')
  const budget = new ScanBudget({ ...SCAN_LIMITS, bytes: 10 }, () => 0)
  const tree = siteTree(root, budget)

  expect(NAMES.map((name) => tree.head(name, 99))).toEqual(['text', 'text', undefined, undefined])
  expect(budget.reached).toBe('bytes')
})

test('reads nothing after its time limit', () => {
  writeFileSync(`${root}/file`, 'text')
  let now = 5000
  const budget = new ScanBudget({ ...SCAN_LIMITS, ms: 100 }, () => now)
  const tree = siteTree(root, budget)

  now = 5099
  expect([tree.head('file', 9), budget.reached]).toEqual(['text', null])
  now = 5100
  expect([tree.head('file', 9), budget.reached]).toEqual([undefined, 'time'])
  now = 0
  expect([tree.head('file', 9), budget.reached]).toEqual([undefined, 'time'])
})

test('does not read a folder of more than 2 MiB', () => {
  const name = 'x'.repeat(235)
  // A folder in memory (tmpfs) counts 20 bytes for each entry, whatever its name is.
  for (let number = 0; statSync(root).size <= 2 << 20; number++)
    for (let more = 0; more < 1000; more++) writeFileSync(`${root}/${number}-${more}${name}`, '')
  const budget = new ScanBudget(SCAN_LIMITS, () => 0)

  expect(siteTree(root, budget).list('')).toEqual([])
  expect(budget.reached).toBe('entries')
}, 60_000)
