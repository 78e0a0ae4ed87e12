import { describe, expect, test } from 'bun:test'
import { writtenHosts } from '#agent/programs/rewrite/rules.ts'
import { bytesOf, rewrittenDump, rewrittenText } from '#tests/support/rewrite/rewritten.ts'

const HOST = 'bücher.example'
const rules = [HOST, 'xn--bcher-kva.example'].flatMap((name) => [
  { from: `https://${name}`, to: 'https://new.example' },
  { from: `//${name}`, to: '//new.example' },
  { from: name, to: 'new.example' },
])
const change = (text: string) => rewrittenText(bytesOf(text), rules)

test('a host of ASCII has one form, an internationalised one those of its encodings', () => {
  expect(writtenHosts('old.example')).toEqual(['old.example'])
  expect(writtenHosts(HOST)).toEqual([
    bytesOf(HOST),
    'b\\u00fccher.example',
    'b\\u00FCcher.example',
    'b\\\\u00fccher.example',
    'b\\\\u00FCcher.example',
    'b\\\\\\\\u00fccher.example',
    'b\\\\\\\\u00FCcher.example',
    'b%c3%bccher.example',
    'b%C3%BCcher.example',
    'b%25c3%25bccher.example',
    'b%25C3%25BCcher.example',
  ])
  expect(writtenHosts('𝒂.example')[1]).toBe('\\ud835\\udc82.example')
})

describe('an internationalised host is replaced', () => {
  test.each([
    ['in ASCII', 'https://xn--bcher-kva.example/a', 'https://new.example/a', ['plain']],
    ['as people write it', 'https://bücher.example/ä', 'https://new.example/ä', ['plain']],
    ['in JSON', '"https:\\/\\/b\\u00fccher.example"', '"https:\\/\\/new.example"', ['json']],
    ['in JSON without escapes', '"https://bücher.example"', '"https://new.example"', ['plain']],
    [
      'in other JSON',
      '"https://b\\u00FCcher.example\\u0022',
      '"https://new.example\\u0022',
      ['plain'],
    ],
    ['ASCII in JSON', 'https:\\/\\/xn--bcher-kva.example', 'https:\\/\\/new.example', ['json']],
    [
      'in JSON in JSON',
      'https:\\\\\\/\\\\\\/b\\\\u00fccher.example',
      'https:\\\\\\/\\\\\\/new.example',
      ['json_twice'],
    ],
    [
      'URL-encoded',
      '?u=https%3A%2F%2Fb%C3%BCcher.example',
      '?u=https%3A%2F%2Fnew.example',
      ['url'],
    ],
    ['serialised', `s:24:"https://bücher.example/";`, `s:20:"https://new.example/";`, ['plain!']],
    [
      'serialised in JSON',
      '"s:24:\\"https:\\/\\/b\\u00fccher.example\\/\\";"',
      '"s:20:\\"https:\\/\\/new.example\\/\\";"',
      ['plain!'],
    ],
    ['alone', 'Visit bücher.example.', 'Visit new.example.', ['plain']],
  ])('%s', (_, before, text, forms) => {
    expect(change(before)).toEqual({ text: bytesOf(text), forms, left: [] })
  })

  test('in a dump, also with hexadecimal values', () => {
    const hex = Buffer.from('https://bücher.example').toString('hex')
    const before = `INSERT INTO t (a) VALUES ('b\\\\u00fccher.example'),('„bücher.example“'),(0x${hex});\n`
    const { dump, report } = rewrittenDump(before, { rules })

    const after = Buffer.from('https://new.example').toString('hex')
    expect(dump.toString()).toBe(
      `INSERT INTO t (a) VALUES ('new.example'),('„new.example“'),(0x${after});\n`,
    )
    expect([report.replaced, report.left]).toEqual([3, []])
  })
})

describe('the end of an internationalised host stays', () => {
  const RULES = [{ from: 'cher.example', to: 'new.example' }]
  const stays = { forms: [], left: [] }

  test.each([
    'bücher.example',
    'b\\u00fccher.example',
    'b%C3%BCcher.example',
    'b&#252;cher.example',
    'bu\u0308cher.example',
  ])('%s', (written) => {
    const text = bytesOf(`https://${written}/`)
    expect(rewrittenText(text, RULES)).toEqual({ text, ...stays })
  })

  test.each(['„', '\\u201e', '%E2%80%9E', '&#8222;', '網', '\\n'])(
    'but a host of its own after %s is replaced',
    (before) => {
      const { text } = rewrittenText(bytesOf(`${before}cher.example`), RULES)
      expect(text).toBe(bytesOf(`${before}new.example`))
    },
  )
})

test('a host that begins with an escape deeper than any known one stays', () => {
  const written = `"${'\\'.repeat(8)}u00fcber.example"`
  const { text } = rewrittenText(written, [{ from: 'über.example', to: 'new.example' }])
  expect(text).toBe(written)
})
