import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { unseededInputs } from '#scripts/lib/random-inputs.ts'

test('random inputs of tests follow from the seed of the run', async () => {
  expect(unseededInputs(await readSources('.'))).toEqual([])
})

test.each(['fc.assert(property)', 'fc.assert(property, { numRuns: 9 })', 'ask(Math.random())'])(
  'finds %s',
  (text) => {
    expect(unseededInputs([{ path: 'tests/a.test.ts', text }])).toEqual(['tests/a.test.ts'])
  },
)

test.each(['fc.assert(property, runs(9))', 'new Random(seed())'])('does not find %s', (text) => {
  expect(unseededInputs([{ path: 'tests/a.test.ts', text }])).toEqual([])
})
