import { expect, test } from 'bun:test'
import { englishProblems, problemsIn } from '#scripts/lib/english.ts'

const banned = { phrase: /\bunder way\b/i, instead: 'running', left: 1 }
const document = { path: 'README.md', text: '# Title\n\nIt is under way.' }
const source = (text: string) => ({ path: 'shared/a.ts', text })

test('the repository has no banned phrase beyond those that are counted', async () => {
  expect(await englishProblems('.')).toEqual([])
})

test('refuses a banned phrase in a document', () => {
  expect(problemsIn([document], [source('// Under way.')], [banned])).toEqual([
    'README.md:3: write "running" in: It is under way.',
  ])
})

test('lists all places in the source code when there are more than before', () => {
  const text = '// Under way.\nconst running = true\n// Also under way.'

  expect(problemsIn([], [source(text)], [banned])).toEqual([
    'shared/a.ts:1: write "running" in: // Under way.',
    'shared/a.ts:3: write "running" in: // Also under way.',
  ])
})

test('accepts the places that are counted', () => {
  expect(problemsIn([], [source('// Under way.')], [banned])).toEqual([])
})
