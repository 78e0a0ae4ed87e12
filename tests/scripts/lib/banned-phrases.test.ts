import { expect, test } from 'bun:test'
import { englishProblems, problemsIn } from '#scripts/lib/banned-phrases.ts'

const banned = [[/\bunder way\b/i, 'running']] as const
const document = { path: 'README.md', text: '# Title\n\nIt is under way.' }
const source = (text: string) => ({ path: 'shared/a.ts', text })

test('the repository has no banned phrase', async () => {
  expect(await englishProblems('.')).toEqual([])
})

test('refuses a banned phrase in a document', () => {
  expect(problemsIn([document, source('const running = true')], banned)).toEqual([
    'README.md:3: write "running" in: It is under way.',
  ])
})

test('lists all places in the source code', () => {
  const text = '// Under way.\nconst running = true\n// Also under way.'

  expect(problemsIn([source(text)], banned)).toEqual([
    'shared/a.ts:1: write "running" in: // Under way.',
    'shared/a.ts:3: write "running" in: // Also under way.',
  ])
})
