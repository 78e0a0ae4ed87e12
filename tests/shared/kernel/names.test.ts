import { expect, test } from 'bun:test'
import { isIP } from 'node:net'
import fc from 'fast-check'
import {
  apexOf,
  canonicalDomain,
  isCovered,
  isHostname,
  isIpLiteral,
} from '#shared/kernel/names.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'
import { runs } from '#tests/support/runs.ts'

const longest = [63, 63, 63, 61].map((length) => 'a'.repeat(length)).join('.')
const tooLong = [63, 63, 63, 62].map((length) => 'a'.repeat(length)).join('.')

test.each([
  ['a plain name', 'example.com', 'example.com'],
  ['upper case', 'Example.COM', 'example.com'],
  ['one trailing dot', 'example.com.', 'example.com'],
  ['a U-label', 'münchen.de', 'xn--mnchen-3ya.de'],
  ['an upper-case U-label', 'MÜNCHEN.DE', 'xn--mnchen-3ya.de'],
  ['a U-label in decomposed letters', 'mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
  ['an A-label', 'xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['an upper-case A-label', 'XN--MNCHEN-3YA.DE', 'xn--mnchen-3ya.de'],
  ['a sharp s, which IDNA 2008 keeps', 'faß.de', 'xn--fa-hia.de'],
  ['a homograph as what it is', 'аррӏе.com', 'xn--80ak6aa92e.com'],
  ['an internationalised top-level domain', 'пример.рф', 'xn--e1afmkfd.xn--p1ai'],
  ['full-width letters', 'ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com'],
  ['letters that NFKC composes', 'ⅷ.com', 'viii.com'],
  ['a right-to-left label', 'אב.com', 'xn--4dbc.com'],
  ['a label of 63 characters', `${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ['a name of 253 characters', longest, longest],
  ['a label of digits before the last', '1.2.3.4.com', '1.2.3.4.com'],
  ['a last label with a letter', 'example.1a', 'example.1a'],
])('accepts %s', (_, typed, canonical) => {
  expect(canonicalDomain(typed)).toBe(canonical)
})

test.each([
  ['nothing', ''],
  ['a dot', '.'],
  ['a single label', 'localhost'],
  ['a top-level domain', 'com'],
  ['two trailing dots', 'example.com..'],
  ['a leading dot', '.example.com'],
  ['an empty label', 'a..b.com'],
  ['a path', 'example.com/../x'],
  ['a fragment', 'example.com#x'],
  ['a query', 'example.com?x'],
  ['a port', 'example.com:80'],
  ['a scheme', 'http://example.com'],
  ['user information', 'root@example.com'],
  ['a percent escape', 'exa%6dple.com'],
  ['a newline', 'exa\nmple.com'],
  ['a newline at the end', 'example.com\n'],
  ['a carriage return', 'example.com\rx'],
  ['a tab', 'exa\tmple.com'],
  ['NUL', 'example.com\0.evil.com'],
  ['a space', 'exa mple.com'],
  ['a backslash', 'a\\b.com'],
  ['a semicolon', 'a;reboot.com'],
  ['a command substitution', '$(id).com'],
  ['backticks', '`id`.com'],
  ['double quotes', '"a".com'],
  ['single quotes', "'a'.com"],
  ['braces', '{a,b}.com'],
  ['a wildcard', '*.example.com'],
  ['an underscore', 'a_b.com'],
  ['a leading hyphen', '-a.com'],
  ['a trailing hyphen', 'a-.com'],
  ['a label of 64 characters', `${'a'.repeat(64)}.com`],
  ['a name of 254 characters', tooLong],
  ['a U-label that is too long as A-label', `${'ü'.repeat(60)}.de`],
  ['an IPv4 address', '127.0.0.1'],
  ['a short IPv4 form', '1.2.3'],
  ['a decimal IPv4 form', '2130706433'],
  ['an octal IPv4 form', '0177.0.0.1'],
  ['a hexadecimal IPv4 form', '0x7f.1'],
  ['a full-width IPv4 address', '１２７.0.0.1'],
  ['an IPv6 address', '::1'],
  ['an IPv6 address in brackets', '[::1]'],
  ['a last label of digits', 'example.123'],
  ['a last label in hexadecimal', 'example.0x7f'],
  ['a last label of Arabic digits', 'example.١٢٣'],
  ['an ideographic full stop', 'example。com'],
  ['a soft hyphen', 'a\u00adb.com'],
  ['a zero-width joiner', 'a\u200db.com'],
  ['a zero-width space', 'a\u200bb.com'],
  ['a right-to-left override', '\u202eabc.com'],
  ['a letter that NFKC turns into a slash', '℀.com'],
  ['a label that begins with a combining mark', '\u0301a.com'],
  ['left-to-right and right-to-left letters in one label', 'אa.com'],
  ['an emoji', '💩.la'],
  ['an A-label of nothing', 'xn--.com'],
  ['an A-label that decodes to nothing', 'xn--a.com'],
])('refuses %s', (_, typed) => {
  expect(canonicalDomain(typed)).toBeUndefined()
})

const anyName = fc.oneof(
  fc.domain(),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'aB1-.xn\u00fc\u00df\u0301/%:@_ '), maxLength: 30 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((part) => `${part}.com`),
)

test('gives only names in lower-case ASCII that a configuration file can hold', () => {
  const plain =
    /^(?=.{4,253}$|.{3}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/
  fc.assert(
    fc.property(anyName, (name) => {
      const domain = canonicalDomain(name)
      if (domain !== undefined) expect(domain).toMatch(plain)
    }),
    runs(2000),
  )
})

test('leaves a canonical name as it is', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const domain = canonicalDomain(name)
      if (domain !== undefined) expect(canonicalDomain(domain)).toBe(domain)
    }),
    runs(2000),
  )
})

test('accepts every ordinary domain in any case and with a trailing dot', () => {
  forAll(fc.domain(), (name) => {
    expect(canonicalDomain(name)).toBe(name.toLowerCase())
    expect(canonicalDomain(`${name.toUpperCase()}.`)).toBe(name.toLowerCase())
  })
})

test.each([
  ['www.example.com', 'example.com'],
  ['example.com', 'example.com'],
  ['www.com', 'www.com'],
  ['www.www.example.com', 'www.example.com'],
  ['wwwx.example.com', 'wwwx.example.com'],
])('counts %s as %s', (domain, apex) => {
  expect(apexOf(domain)).toBe(apex)
})

test.each([
  ['a.example', 'a.example', true],
  ['x.a.example', '*.a.example', true],
  ['*.a.example', '*.a.example', true],
  ['a.example', '*.a.example', false],
  ['x.y.a.example', '*.a.example', false],
  ['*.x.a.example', '*.a.example', false],
  ['xa.example', '*.a.example', false],
])('whether %s is covered by %s: %p', (name, written, expected) => {
  expect(isCovered(name, written)).toBe(expected)
})

test.each([
  'web1',
  'web1.example.com',
  'a-b.example',
  '1host.example',
  'xn--mnchen-3ya.de',
  longest,
  '10.0.0.1',
  '255.255.255.255',
  '::1',
  '2001:db8::7',
  '::ffff:10.0.0.1',
])('accepts the host %s', (host) => {
  expect(isHostname(host)).toBe(true)
})

test.each([
  '',
  '.',
  'web1.',
  '.web1',
  'a..b',
  '-web1',
  'web1-',
  'web_1',
  'web 1',
  'web1:22',
  'root@web1',
  'web1/x',
  'web1\n',
  'web1;reboot',
  '$(id)',
  '[::1]',
  'fe80::1%eth0',
  ':::',
  '::0:',
  '1::2::3',
  '256.1.1.1',
  '01.2.3.4',
  '1.2.3',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  'web1.0x7f',
  `${longest}a`,
  'a'.repeat(64),
])('refuses the host %p', (host) => {
  expect(isHostname(host)).toBe(false)
})

test('accepts only addresses that the runtime accepts', () => {
  const near = fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.'), maxLength: 24 })
  fc.assert(
    fc.property(fc.oneof(fc.ipV4Extended(), fc.ipV6(), near), (address) => {
      if (isIpLiteral(address)) expect(isIP(address)).not.toBe(0)
    }),
    runs(3000),
  )
})

test('accepts every ordinary address', () => {
  const hexadecimal = fc.ipV6().filter((address) => !address.includes('.'))
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), hexadecimal), (address) => {
      expect(isIpLiteral(address)).toBe(true)
      expect(isHostname(address)).toBe(true)
    }),
    runs(1000),
  )
})
