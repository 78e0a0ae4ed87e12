import { expect, test } from 'bun:test'
import { readReport, requestFor } from '#agent/features/wordpress/addresses/addresses.ts'
import { DumpRewriter } from '#agent/programs/rewrite/dump.ts'
import { RewriteRequest } from '#agent/programs/rewrite/request.ts'

const shop = { domain: 'www.shop.example', user: 'shop' }

type To = { domain: string; tls: 'none' | 'letsencrypt' }

function rewritten(text: string, to: To, from = shop): string {
  const request = RewriteRequest.parse(JSON.parse(requestFor(from, { ...to, user: 'copy' })))
  let output = ''
  const rewriter = new DumpRewriter(request, (bytes) => {
    output += Buffer.from(bytes).toString()
  })
  rewriter.push(Buffer.from(`INSERT INTO t (a) VALUES ('${text}');\n`))
  rewriter.end()
  return /\('(.*)'\)/.exec(output)?.[1] ?? ''
}

test.each([
  ['https://www.shop.example/a', 'https://copy.example/a'],
  ['http://shop.example/a', 'https://copy.example/a'],
  ['//shop.example/a', '//copy.example/a'],
  ['shop.example', 'copy.example'],
  ['/srv/www/shop/public/x', '/srv/www/copy/public/x'],
  ['/srv/www/shop2/public/x', '/srv/www/shop2/public/x'],
  ['https://cdn.shop.example/a', 'https://cdn.shop.example/a'],
  ['anna@shop.example', 'anna@shop.example'],
])('%s becomes %s', (from, to) => {
  expect(rewritten(from, { domain: 'copy.example', tls: 'letsencrypt' })).toBe(to)
})

test.each([
  'https://bücher.example/a',
  'https://xn--bcher-kva.example/a',
  'https://www.bücher.example/a',
])('of an internationalised site: %s', (text) => {
  const from = { domain: 'xn--bcher-kva.example', user: 'shop' }
  const to = { domain: 'copy.example', tls: 'letsencrypt' } as const

  expect(rewritten(text, to, from)).toBe('https://copy.example/a')
  expect(
    rewritten(
      'https://copy.example/a',
      { ...to, domain: from.domain },
      {
        ...{ domain: to.domain, user: 'shop' },
      },
    ),
  ).toBe('https://xn--bcher-kva.example/a')
})

test('a copy without a certificate has http, and its own name may have that of the original', () => {
  const to = { domain: 'staging.shop.example', tls: 'none' } as const
  expect(rewritten('https://shop.example/a', to)).toBe('http://staging.shop.example/a')
})

test('reads the last line as the report, and bounds it', () => {
  const left = {
    ...{ table: 't'.repeat(80), column: 'c', reason: 'email', count: 9 },
    examples: ['a'.repeat(200), 'b', 'c', 'd'],
  }
  const report = { replaced: 3, left: Array(50).fill(left), tables: [], bytes: {} }

  const read = readReport(`a warning\n${JSON.stringify(report)}\n`)

  expect([read.replaced, read.left.length]).toEqual([3, 40])
  expect(read.left[0]).toEqual({
    ...{ table: 't'.repeat(64), column: 'c', reason: 'email', count: 9 },
    examples: ['a'.repeat(120), 'b', 'c'],
  })
  expect(() => readReport('killed')).toThrow()
})
