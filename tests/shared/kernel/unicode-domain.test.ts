import { expect, test } from 'bun:test'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { unicodeIn, unicodeOf } from '#shared/kernel/unicode-domain.ts'

test.each(['bücher.example', 'www.über-größe.example', '例え.jp', 'плохой.рф', 'faß.de'])(
  '%s is read as it was typed',
  (typed) => {
    expect(unicodeOf(canonicalDomain(typed) ?? '')).toBe(typed)
  },
)

test.each([
  'shop.example',
  'xn--.example',
  'xn--a.example',
  'xn--99999999.example',
  'xn--zzzzzzzzzzzzzzz.example',
  'xn--ls8h\u0000.example',
])('%j stays as it is', (domain) => {
  expect(unicodeOf(domain)).toBe(domain)
})

test.each([
  ['Create xn--bcher-kva.example', 'Create bücher.example'],
  ['www.xn--bcher-kva.example, and xn--fa-hia.de: done', 'www.bücher.example, and faß.de: done'],
  ['xn--99999999.example stays', 'xn--99999999.example stays'],
  ['no name', 'no name'],
])('%j is shown as %j', (text, shown) => {
  expect(unicodeIn(text)).toBe(shown)
})
