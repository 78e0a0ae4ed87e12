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
