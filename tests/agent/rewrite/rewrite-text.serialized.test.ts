import { describe, expect, test } from 'bun:test'
import { bytesOf, rewrittenText } from '#tests/support/rewrite/rewritten.ts'

const text = (value: string) => rewrittenText(bytesOf(value)).text

describe('serialised values', () => {
  test.each([
    ['a string', 's:19:"https://old.example";', 's:25:"https://brand-new.example";'],
    [
      'a string in a string in an array',
      'a:1:{s:1:"a";s:27:"s:19:"https://old.example";";}',
      'a:1:{s:1:"a";s:33:"s:25:"https://brand-new.example";";}',
    ],
    [
      'a key',
      'a:1:{s:19:"https://old.example";b:1;}',
      'a:1:{s:25:"https://brand-new.example";b:1;}',
    ],
    [
      'private fields of an unknown class, references and enums',
      'O:5:"Thing":3:{s:8:"\0Thing\0a";s:16:"//old.example/é";i:1;R:2;i:2;E:7:"Suit:No";}',
      'O:5:"Thing":3:{s:8:"\0Thing\0a";s:22:"//brand-new.example/é";i:1;R:2;i:2;E:7:"Suit:No";}',
    ],
    [
      'an object with a format of its own',
      'C:11:"ArrayObject":52:{x:i:0;a:1:{i:0;s:19:"https://old.example";};m:a:0:{}}',
      'C:11:"ArrayObject":58:{x:i:0;a:1:{i:0;s:25:"https://brand-new.example";};m:a:0:{}}',
    ],
    [
      'JSON in a string',
      's:33:"{"u":"https:\\/\\/old.example\\/ü"}";',
      's:39:"{"u":"https:\\/\\/brand-new.example\\/ü"}";',
    ],
    [
      'a string in JSON',
      '{"a":"s:24:\\"https:\\/\\/old.example\\/\\u00e9\\n\\"\\";","b":"\\/"}',
      '{"a":"s:30:\\"https:\\/\\/brand-new.example\\/\\u00e9\\n\\"\\";","b":"\\/"}',
    ],
    [
      'a string in JSON in JSON',
      '{"a":"{\\"b\\":\\"s:19:\\\\\\"https:\\\\\\/\\\\\\/old.example\\\\\\";\\"}"}',
      '{"a":"{\\"b\\":\\"s:25:\\\\\\"https:\\\\\\/\\\\\\/brand-new.example\\\\\\";\\"}"}',
    ],
    [
      'a URL-encoded string',
      's%3A20%3A%22https%3A%2F%2Fold.example%2F%22%3B',
      's%3A26%3A%22https%3A%2F%2Fbrand-new.example%2F%22%3B',
    ],
    [
      'a URL-encoded array',
      'c=a%3A1%3A%7Bi%3A0%3Bs%3A19%3A%22https%3A%2F%2Fold.example%22%3B%7D',
      'c=a%3A1%3A%7Bi%3A0%3Bs%3A25%3A%22https%3A%2F%2Fbrand-new.example%22%3B%7D',
    ],
    [
      'a URL-encoded string with plain signs',
      's:13:%22%2F%2Fold.example%22;',
      's:19:%22%2F%2Fbrand-new.example%22;',
    ],
    [
      'a string in HTML',
      's:20:&quot;https://old.example&amp;&quot;;',
      's:26:&quot;https://brand-new.example&amp;&quot;;',
    ],
    [
      'a string whose length counts the bytes of another character set',
      's:25:"https://old.example/Caféñ";',
      's:31:"https://brand-new.example/Caféñ";',
    ],
  ])('%s', (_, before, after) => {
    expect(text(before)).toBe(bytesOf(after))
  })

  test.each([
    ['a wrong length', 'a:1:{i:0;s:99:"https://old.example";}'],
    ['a wrong length in JSON', '{"a":"s:99:\\"https://old.example\\";"}'],
    ['an unknown escape', 's:19:\\\\"https://old.example\\\\";'],
    ['a double URL encoding', 's%253A19%253A%2522https%253A%252F%252Fold.example%2522%253B'],
    ['a double HTML encoding', 's:19:&amp;quot;https://old.example&amp;quot;;'],
  ])('%s is reported and stays', (_, value) => {
    expect(rewrittenText(value)).toEqual({ text: value, forms: [], left: ['damaged'] })
  })

  test('a wrong length stays when an address of the same length is replaced', () => {
    const rules = [{ from: '//old.example', to: '//new.example' }]

    expect(rewrittenText('s:99:"//old.example";', rules).text).toBe('s:99:"//new.example";')
  })

  test('the string after a wrong length gets its new length', () => {
    const value = 'a:2:{i:0;s:9:"a";i:1;s:13:"//old.example";}'

    expect(text(value)).toBe('a:2:{i:0;s:9:"a";i:1;s:19:"//brand-new.example";}')
  })

  test('an unknown format of a class is reported and stays', () => {
    const value = 'C:1:"A":19:{https://old.example}'

    expect(rewrittenText(value)).toEqual({ text: value, forms: [], left: ['opaque'] })
  })

  test('a thousand levels end', () => {
    let value = 'https://old.example'
    for (let level = 0; level < 1000; level++) value = `s:${value.length}:"${value}";`

    expect(rewrittenText(value)).toEqual({ text: value, forms: [], left: ['nested'] })
  })

  test('a megabyte of lengths that claim everything ends', () => {
    const value = `${'s:999999:\\"'.repeat(100_000)} https://old.example`

    expect(text(value).endsWith('https://brand-new.example')).toBe(true)
  })
})

test('of a binary value only serialised strings are rewritten', () => {
  const value = '\0\u0001https://old.example s:13:"//old.example";'

  expect(rewrittenText(value, undefined, { opaque: true })).toEqual({
    text: '\0\u0001https://old.example s:19:"//brand-new.example";',
    forms: ['plain!'],
    left: ['opaque'],
  })
})
