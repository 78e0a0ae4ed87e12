import { describe, expect, test } from 'bun:test'
import { bytesOf, rewrittenText } from '#tests/support/rewrite/rewritten.ts'

const text = (value: string) => rewrittenText(bytesOf(value)).text

describe('the spellings of an address', () => {
  test.each([
    ['plain', 'https://old.example/a', 'https://brand-new.example/a'],
    ['without protocol', '"//old.example/a"', '"//brand-new.example/a"'],
    ['json', 'https:\\/\\/old.example\\/a', 'https:\\/\\/brand-new.example\\/a'],
    ['JSON in JSON', 'http:\\\\\\/\\\\\\/old.example', 'http:\\\\\\/\\\\\\/brand-new.example'],
    ['URL-encoded', '?u=https%3A%2F%2Fold.example%2F', '?u=https%3A%2F%2Fbrand-new.example%2F'],
    ['in lower case', 'https%3a%2f%2fold.example%2f', 'https%3a%2f%2fbrand-new.example%2f'],
    ['twice', 'https%253A%252F%252Fold.example', 'https%253A%252F%252Fbrand-new.example'],
    ['with a plain colon', 'https:%2F%2Fold.example', 'https:%2F%2Fbrand-new.example'],
    ['HTML', 'https:&#x2F;&#x2F;old.example', 'https:&#x2F;&#x2F;brand-new.example'],
    ['at the end of a sentence', 'See https://old.example.', 'See https://brand-new.example.'],
  ])('%s', (_, before, after) => {
    expect(text(before)).toBe(after)
  })

  test('are counted by form', () => {
    const value = 'https://old.example https:\\/\\/old.example %2F%2Fold.example'

    expect(rewrittenText(value).forms).toEqual(['plain', 'json', 'url'])
  })
})

describe('what is not the old address stays', () => {
  test.each([
    ['a longer host', 'https://old.example.org/', []],
    ['the end of another host', 'https://notold.example/', []],
    ['a subdomain', 'https://cdn.old.example/', ['subdomain']],
    ['an e-mail address', 'ann@old.example', ['email']],
    ['an encoded e-mail address', 'mailto:ann%40old.example', ['email']],
    ['another port', 'https://old.example:8443/', ['port']],
    ['another protocol', 'ftp:old.example', ['other']],
    ['a bare host', 'old.example', ['other']],
  ])('%s', (_, value, left) => {
    expect(rewrittenText(value)).toEqual({ text: value, forms: [], left })
  })
})

describe('other rules', () => {
  const change = (value: string, from: string, to: string, emails = false) =>
    rewrittenText(value, [{ from, to }], { emails }).text

  test.each([
    [
      'a bare host',
      'on old.example, not@old.example',
      'old.example',
      'on new.example, not@old.example',
    ],
    [
      'a bare host after an escape',
      '{"a":"x\\nold.example"}',
      'old.example',
      '{"a":"x\\nnew.example"}',
    ],
    ['a host with a port', 'http://old.example:8080/', '//old.example:8080', 'http://new.example/'],
    [
      'a path',
      'https:\\/\\/old.example\\/blog\\/a',
      '//old.example/blog',
      'https:\\/\\/new.example\\/a',
    ],
    ['no longer path', '//old.example/blogs', '//old.example/blog', '//old.example/blogs'],
    ['a bare host with a path', 'old.example/blog', 'old.example/blog', 'new.example'],
  ])('%s', (_, value, from, expected) => {
    expect(change(value, from, from.startsWith('//') ? '//new.example' : 'new.example')).toBe(
      expected,
    )
  })

  test('a folder', () => {
    const value = '{"a":"\\/srv\\/www\\/old\\/public\\/x","b":"/srv/www/old/public-2"}'

    expect(change(value, '/srv/www/old/public', '/srv/www/staging/public')).toBe(
      '{"a":"\\/srv\\/www\\/staging\\/public\\/x","b":"/srv/www/old/public-2"}',
    )
  })

  test('e-mail addresses if requested', () => {
    expect(change('ann@old.example', 'old.example', 'new.example', true)).toBe('ann@new.example')
  })

  test('the longest rule decides, and no replacement is replaced again', () => {
    const rules = [
      { from: 'https://old.example', to: 'https://www.old.example' },
      { from: 'https://www.old.example', to: 'https://old.example' },
      { from: 'https://old.example/shop', to: 'https://shop.example' },
    ]

    expect(
      rewrittenText(
        'https://old.example/a https://www.old.example/b https://old.example/shop',
        rules,
      ).text,
    ).toBe('https://www.old.example/a https://old.example/b https://shop.example')
  })
})

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
