import { expect, test } from 'bun:test'
import { unicodeOf } from '#dashboard/web/ui/unicode-domain.ts'
import { canonicalDomain } from '#shared/names.ts'

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
