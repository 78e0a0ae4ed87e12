import { expect, test } from 'bun:test'
import { renderClosedMap, renderClosedPage } from '#agent/features/web/closed-page.ts'
import { shop } from '#tests/support/agent/debian.ts'

test('an open site has no closing', () => {
  expect([renderClosedMap(shop), renderClosedPage(shop)]).toEqual(['', ''])
})

test('a suspended site answers 503 everywhere but at the tokens of ACME', () => {
  const suspended = { ...shop, user: 'shop-1', suspended: true } as const
  const [, variable] = /map \S+ (\$hosting_closed_[0-9a-f]{16}) \{/.exec(
    renderClosedMap(suspended),
  ) ?? ['', '']

  expect(renderClosedMap(suspended)).toContain(
    'default 1;\n    "~^1" "";\n    "~^0/\\.well-known/acme-challenge/" "";',
  )
  const text = renderClosedPage(suspended)
  expect(text).toContain(`if (${variable}) {\n        return 503;\n    }`)
  expect(text).toContain('auth_basic off;')
  expect(text).toContain('add_header Retry-After 86400 always;')
  expect(/return 503 '([^']+)';/.exec(text)?.[1]).toStartWith('<!doctype html>')
})

test('a message of the owner is text, whatever it contains', () => {
  const message = `Back "soon"'; } $host \\ <b>\n€`
  const site = { ...shop, settings: { maintenance: { allow: ['::1', '10.0.0.0/8'], message } } }

  expect(renderClosedMap(site)).toContain('    ::1 1;\n    10.0.0.0/8 1;\n')
  const [, page = ''] = /return 503 '([^']+)';\n/.exec(renderClosedPage(site)) ?? []
  expect(page).toContain('Back &#34;soon&#34;&#39;; &#125; &#36;host &#92; &#60;b&#62;&#10;&#8364;')
  expect(page).not.toMatch(/[$\\]/)
})

test('the longest page fits into a string of nginx', () => {
  const message = '€'.repeat(300)
  const site = { ...shop, settings: { maintenance: { allow: [], message } } }

  const [, page = ''] = /return 503 '([^']+)';\n/.exec(renderClosedPage(site)) ?? []
  expect(Buffer.byteLength(page)).toBeLessThan(4000)
})
