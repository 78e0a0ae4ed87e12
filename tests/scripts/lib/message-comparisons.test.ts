import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { messageComparisons } from '#scripts/lib/message-comparisons.ts'

const SOURCE = /^(?:agent|dashboard|shared|scripts)\//

test('no code compares a text for people', async () => {
  const sources = (await readSources('.')).filter(({ path }) => SOURCE.test(path))

  expect(messageComparisons(sources)).toEqual([])
})

test.each([
  "if (error.message === 'Endpoint not found') return",
  "if (reason.endsWith('refused the connection')) return",
  'if (/did not answer/.test(reason)) return',
  'if (OFFLINE.test(error.message)) return',
  "const [, left] = message.split('could not undo: ')",
  'if (error.error === ERRORS.offline.error) return',
])('finds %s', (line) => {
  expect(messageComparisons([{ path: 'a.ts', text: `\n${line}\n` }])).toEqual(['a.ts:2'])
})

test.each(["if (error.code === 'offline') return", 'const { message } = error'])(
  'does not find %s',
  (line) => {
    expect(messageComparisons([{ path: 'a.ts', text: line }])).toEqual([])
  },
)
