import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { sizeProblems } from '#scripts/lib/file-sizes.ts'

const file = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) })

test('no file of the repository exceeds its limit', async () => {
  expect(sizeProblems(await readSources('.'))).toEqual([])
})

test('refuses more than 200 lines, and growth of a larger file', () => {
  const files = [file('a.ts', 200), file('b.ts', 201), file('c.ts', 231)]

  expect(sizeProblems(files, { 'c.ts': 230 })).toEqual([
    'b.ts has 201 lines, at most 200',
    'c.ts has 231 lines, at most 230',
  ])
})

test('a file that became small or was deleted leaves the list', () => {
  expect(sizeProblems([file('a.ts', 200)], { 'a.ts': 230, 'b.ts': 220 })).toEqual([
    'a.ts is small or gone: remove it from the list',
    'b.ts is small or gone: remove it from the list',
  ])
})
