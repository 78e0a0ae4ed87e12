import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { plainOutput } from '#shared/jobs/job-runs.ts'
import { forAll } from '#tests/support/for-all.ts'

test.each([
  ['plain text\nwith a\ttab', 'plain text\nwith a\ttab'],
  ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
  ['\u001b[31mred\u001b[0m and \u001b]0;title\u0007bold', 'red and bold'],
  ['\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['a\u0000b\u0008c\u009bd', 'abcd'],
  ['safe\u202egnp.exe', 'safegnp.exe'],
  ['[not a sequence]', '[not a sequence]'],
])('shows %j as %j', (text, shown) => {
  expect(plainOutput(text)).toBe(shown)
})

test('leaves no control character but ends of lines and tabs, whatever was printed', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\u001b', '[', ']', '3', 'm', '\r', '\n', '\u0007', 'é', '\u202e'),
  })
  forAll(hostile, (text) => {
    expect(plainOutput(text)).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u)
  })
})
