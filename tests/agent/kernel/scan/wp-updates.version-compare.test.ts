import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareVersions } from '#agent/kernel/scan/wp-updates.ts'
import { forAll } from '#tests/support/for-all.ts'

/** As PHP 8.2 answers. */
test.each([
  ['5.7.2', '5.8', -1],
  ['5.10', '5.9', 1],
  ['1.0', '1.0.0', -1],
  ['1.0', '1.0', 0],
  ['1.07', '1.7', 0],
  ['7.1-beta2', '7.1-RC1', -1],
  ['7.1-RC1', '7.1', -1],
  ['7.1', '7.1pl1', -1],
  ['7.1-alpha', '7.1-beta', -1],
  ['1.0dev', '1.0alpha', -1],
  ['1.0-anything', '1.0-dev', 1],
  ['1.0-unknown', '1.0-dev', -1],
  ['1.0-1', '1.0.1', 0],
  ['', '1.0', -1],
  ['1.0', '', 1],
  ['', '', 0],
  ['trunk', '1.0', -1],
] as const)('%s against %s is %d', (one, other, order) => {
  expect(compareVersions(one, other)).toBe(order)
})

test('is antisymmetric', () => {
  const version = fc.stringMatching(/^[0-9a-z.+_-]{0,20}$/)
  forAll(version, version, (one, other) => {
    expect(compareVersions(one, other) + compareVersions(other, one)).toBe(0)
  })
})
