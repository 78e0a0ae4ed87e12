import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { globOf, isGlob } from '#agent/features/existing/web/glob.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'

const fits = (glob: string, path: string) => globOf(glob)(path)

test.each([
  ['/etc/nginx/*.conf', '/etc/nginx/a.conf', true],
  ['/etc/nginx/*.conf', '/etc/nginx/a.conf.bak', false],
  ['/etc/nginx/*.conf', '/etc/nginx/.a.conf', false],
  ['/etc/nginx/.*.conf', '/etc/nginx/.a.conf', true],
  ['/etc/nginx/*.conf', '/etc/nginx/d/a.conf', false],
  ['/home/*/conf/?.conf', '/home/shop/conf/1.conf', true],
  ['/home/*/conf/?.conf', '/home/shop/conf/12.conf', false],
  ['/v/[x-z]*', '/v/yard', true],
  ['/v/[x-z]*', '/v/anna', false],
  ['/v/[!x-z]*', '/v/anna', true],
  ['/v/[]a]b', '/v/]b', true],
  ['/v/[z-a]', '/v/z', true],
  ['/v/a+(b).conf', '/v/a+(b).conf', true],
  ['/v/a\\*b', '/v/a*b', true],
  ['/v/[\\-[]', '/v/[', true],
  ['/v/*a*b*c', '/v/aabbcc', true],
  [`/v/${'*a'.repeat(100)}b`, `/v/${'a'.repeat(250)}`, false],
])('%s and %s: %p', (glob, path, expected) => {
  expect(fits(glob, path)).toBe(expected)
})

test('a path without wildcards matches only itself', () => {
  const path = fc
    .array(fc.string({ unit: anyCharacter, minLength: 1 }), { minLength: 1 })
    .map((parts) => `/${parts.join('/')}`)
    .filter((text) => !isGlob(text) && !text.includes('\\'))
  forAll(path, (text) => {
    expect(fits(text, text)).toBe(true)
    expect(fits(text, `${text}x`)).toBe(false)
  })
})

test('no pattern throws', () => {
  const sign = fc.constantFrom('*', '?', '[', ']', '!', '^', '-', '\\', '/', 'a', 'z', '{', '(')
  const glob = fc.oneof(
    fc.string(),
    fc.array(sign).map((signs) => signs.join('')),
  )
  forAll(glob, fc.string(), (text, path) => {
    fits(text, path)
  })
})
