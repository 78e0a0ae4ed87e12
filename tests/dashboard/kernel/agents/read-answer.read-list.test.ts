import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ListReader, parseJson } from '#dashboard/kernel/agents/read-answer.ts'
import { runs } from '#tests/support/runs.ts'

const encoder = new TextEncoder()

/** The entries of a text that arrives in pieces of these sizes, over and over. */
function read(text: string, sizes: readonly number[] = [1 << 20]): unknown[] {
  const entries: unknown[] = []
  const reader = new ListReader('sites', (entry) => entries.push(parseJson(entry)))
  const bytes = encoder.encode(text)
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    reader.add(bytes.subarray(from, from + size))
    from += size
  }
  reader.end()
  return entries
}

test('reads every list like a parser of the complete text, whatever its pieces', () => {
  const answer = fc.tuple(
    fc.array(fc.jsonValue()),
    fc.dictionary(
      fc.string().filter((name) => name !== 'sites' && name !== '__proto__'),
      fc.jsonValue(),
    ),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
    fc.constantFrom(0, 2),
  )
  fc.assert(
    fc.property(answer, ([sites, more, sizes, indent]) => {
      const text = JSON.stringify({ ...more, sites, later: [more] }, null, indent)
      expect(read(text, sizes)).toEqual(JSON.parse(JSON.stringify(sites)))
    }),
    runs(500),
  )
})

const notJson = 'The agent sent an answer that is not JSON'
const tooLarge = 'The agent sent an answer that is too large'
test.each([
  ['nothing', '', notJson],
  ['HTML', '<html></html>', notJson],
  ['null', 'null', notJson],
  ['a list', '[{"sites":[]}]', notJson],
  ['no list of that name', '{"other":[]}', notJson],
  ['a text of that name', '{"sites":"[]"}', notJson],
  ['a list of that name further down', '{"a":{"sites":[1]}}', notJson],
  ['two lists of that name', '{"sites":[1],"sites":[2]}', notJson],
  ['a list that does not end', '{"sites":[1,2', notJson],
  ['a list that ends with a comma', '{"sites":[1,]}', notJson],
  ['a list that begins with a comma', '{"sites":[,1]}', notJson],
  ['an entry that ends with another bracket', '{"sites":[{"a":1]]}', notJson],
  ['something after the end', '{"sites":[]} x', notJson],
  ['more brackets than were opened', '{"sites":[]}]}', notJson],
  ['an entry without end', `{"sites":["${'x'.repeat(70_000)}`, tooLarge],
  ['brackets without end', `{"sites":[${'['.repeat(70_000)}`, tooLarge],
  ['spaces without end', ' '.repeat(70_000), tooLarge],
  ['fields without end', `{${'"a":[],'.repeat(10_000)}`, tooLarge],
])('refuses %s', (_, text, message) => {
  expect(() => read(text, [7, 4096])).toThrow(message)
})
