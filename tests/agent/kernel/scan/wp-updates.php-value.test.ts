import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { mapAt, type PhpValue, parsePhpValue, textAt } from '#agent/kernel/scan/wp-updates.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'

const fixture = (name: string) =>
  readFileSync(
    new URL(`../../../support/fixtures/wordpress/${name}.ser`, import.meta.url),
    'utf8',
  ).trim()

test('reads what WordPress writes after a good check', () => {
  const plugins = parsePhpValue(fixture('update-plugins.online'))
  const offer = mapAt(plugins, 'response')?.get('akismet/akismet.php')

  expect(textAt(offer, 'new_version')).toBe('5.9')
  expect([...(mapAt(plugins, 'checked') ?? [])]).toEqual([
    ['akismet/akismet.php', '5.8'],
    ['hello.php', '1.7.2'],
  ])
})

test('counts lengths in bytes', () => {
  expect(parsePhpValue('a:2:{i:0;s:5:"Café";i:1;s:4:"😀";}')).toEqual(
    new Map([
      ['0', 'Café'],
      ['1', '😀'],
    ]),
  )
})

test('reads the fields of any object and ignores references', () => {
  const text = 'O:9:"PDOObject":2:{s:1:"a";b:1;s:1:"b";R:2;}'

  expect(parsePhpValue(text)).toEqual(
    new Map<string, PhpValue>([
      ['a', true],
      ['b', null],
    ]),
  )
})

test('keeps a key named __proto__ a key', () => {
  const value = parsePhpValue('a:1:{s:9:"__proto__";a:1:{s:7:"checked";i:1;}}')

  expect(mapAt(value, 'checked')).toBeUndefined()
  expect(Object.hasOwn(Object.prototype, 'checked')).toBe(false)
})

test.each([
  ['a negative length, which walks backwards', 'a:900000000:{i:0;s:0:"";i:0;s:-13:"'],
  ['a count beyond the text', 'a:999999999:{i:0;i:1;}'],
  ['a length beyond the text', 's:99:"short";'],
  ['a length with an exponent', 's:1e9:"a";'],
  ['a class with a format of its own', 'C:5:"Class":2:{ab}'],
  ['an enum', 'E:7:"Suit:No";'],
  ['a list as a key', 'a:1:{a:0:{}i:1;}'],
  ['a missing end', 'a:1:{i:0;i:1;'],
  ['anything after the end', 'i:1;i:2;'],
  ['nothing', ''],
  ['JSON', '{"a":1}'],
  ['a thousand levels', `${'a:1:{i:0;'.repeat(1000)}i:1;${'}'.repeat(1000)}`],
  ['a million levels', 'a:1:{i:0;'.repeat(900_000)],
  ['more than 8 MiB', `s:9000000:"${'a'.repeat(9_000_000)}";`],
])('refuses %s', (_, text) => {
  expect(parsePhpValue(text)).toBeUndefined()
})

const bytes = (text: string) => new TextEncoder().encode(text).length

function serialize(value: PhpValue): string {
  if (value === null) return 'N;'
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  if (typeof value === 'number') return `i:${value};`
  if (typeof value === 'string') return `s:${bytes(value)}:"${value}";`
  const fields = [...value].map(([key, inner]) => serialize(key) + serialize(inner))
  return `a:${value.size}:{${fields.join('')}}`
}

const values = fc.letrec<{ value: PhpValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: anyCharacter }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 5 }).map((list) => new Map(list)),
  ),
})).value

test('reads back every value that PHP can write', () => {
  forAll(values, (value) => {
    expect(parsePhpValue(serialize(value))).toEqual(value)
  })
})

test('neither throws nor hangs on damaged data', () => {
  const damaged = fc
    .tuple(values.map(serialize), fc.nat(), fc.nat(), fc.string({ maxLength: 6 }))
    .map(([text, at, length, put]) => {
      const start = at % (text.length + 1)
      return text.slice(0, start) + put + text.slice(start + (length % 8))
    })
  forAll(damaged, (text) => {
    parsePhpValue(text)
  })
})

test('counts invalid UTF-8 in bytes as PHP does', () => {
  const bytes = Buffer.from('s:4:"it\x92s";', 'latin1')

  expect(parsePhpValue(bytes)).toBe('it\ufffds')
})
