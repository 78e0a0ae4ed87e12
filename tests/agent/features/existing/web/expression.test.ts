import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { expression } from '#agent/features/existing/web/expression.ts'
import { forAll } from '#tests/support/for-all.ts'

const LONG = `${'a'.repeat(200)}!`

test.each([
  ['\\.php$', '/index.php', true],
  ['\\.php$', '/index.html', false],
  ['^/(.*\\.(css|js|png|jpe?g))$', '/theme/x.jpg', true],
  ['^(?P<site>.+)\\.shop\\.example$', 'a.shop.example', true],
  ['(?i)^/Page', '/page', true],
  ['^/(?:[a-z]+/)*x$', '/a/b/x', true],
  ['[a-z(*+]{3}\\($', 'abc(', true],
  ['(', 'x', undefined],
  ['(?U)x', 'x', undefined],
])('%s and %s: %p', (source, text, expected) => {
  expect(expression(source, false)?.matches(text)).toBe(expected)
})

test('has groups by number and name', () => {
  const captures = expression('^(www\\.)?(?<domain>.+)$', true)?.captures('shop.example')
  expect(Object.fromEntries(captures ?? [])).toEqual({
    ...{ 0: 'shop.example', 1: '', 2: 'shop.example', domain: 'shop.example' },
  })
})

test.each([
  '^(a+)+$',
  '^(a|a)*$',
  '^(a?)*$',
  `^${'(a*)'.repeat(12)}$`,
  `^${'a?'.repeat(60)}${'a'.repeat(60)}$`,
  '^((a{1,9}){1,9}){1,9}$',
  `${'.*'.repeat(9)}x`,
  'x'.repeat(20_000),
])('matches nothing with %s, which would take for ever', (source) => {
  expect(expression(source, false)?.matches(LONG) ?? false).toBe(false)
})

test('no expression throws', () => {
  const part = fc.constantFrom('a', '(', ')', '|', '*', '+', '?', '{2,}', '[', ']', '\\', '^', '.')
  forAll(fc.array(part, { maxLength: 30 }), (parts) => {
    expression(parts.join(''), false)?.captures('aaaa.example')
  })
})
