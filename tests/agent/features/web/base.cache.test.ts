import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { renderCacheRules } from '#agent/features/web/base.ts'
import { forAll } from '#tests/support/for-all.ts'

/** The value that a map of the rules gives to a text: ngx_http_map_module, the first match decides. */
function mapped(name: string, text: string): string {
  const body = new RegExp(`^map .* \\$${name} \\{\n([^}]*)\\}`, 'm').exec(renderCacheRules())?.[1]
  const lines = (body ?? '')
    .trim()
    .split('\n')
    .map((line) => line.trim().slice(0, -1))
  const rules = lines.map((line) => /^("[^"]*"|\S+) (.*)$/.exec(line)?.slice(1) ?? [])
  for (const [pattern = '', value = ''] of rules) {
    const [, sign, expression] = /^"(~\*?)(.*)"$/.exec(pattern) ?? []
    if (expression === undefined) continue
    if (new RegExp(expression, sign === '~*' ? 'i' : '').test(text)) return value
  }
  return rules.find(([pattern]) => pattern === 'default')?.[1] ?? ''
}

const stored = (uri: string) => mapped('hosting_skip_uri', uri) === '0'
const anonymous = (cookies: string) => mapped('hosting_skip_cookie', cookies) === '0'

test.each([
  ['/', true],
  ['/?', true],
  ['/summer/', true],
  ['/%d0%bb%d0%b5%d1%82%d0%be/', true],
  ['/summer/?utm_source=news&utm_medium=email', true],
  ['/summer/?fbclid=IwAR0_x-y', true],
  ['/?_gl=1*1abc*_ga*MTI&gclid=Cj0&gad_source=1', true],
  ['/?utm_source', true],
  ['/?utm_source=a&&utm_medium=b', false],
  ['/?s=lamp', false],
  ['/?utm_source=news&s=lamp', false],
  ['/?s=lamp&utm_source=news', false],
  ['/?utm_source=a&xutm_source=b', false],
  ['/?fbclid[]=1', false],
  ['/?utm%5fsource=a', false],
  ['/?UTM_SOURCE=a', false],
  ['/?p=3&fbclid=1', false],
  ['/wp-login.php', false],
  ['/wp-admin/', false],
  ['/wp-json/wp/v2/posts', false],
  ['/blog/wp-json/', false],
  ['/cart/', false],
  ['/cart', false],
  ['/cart/?utm_source=news', false],
  ['/de/checkout/order-received/7/', false],
  ['/my-account/orders/', false],
  ['/cart-2/', false],
  ['/cartoons/', true],
  ['//cart/', false],
  ['/%63art/', false],
  ['/a/../cart/', false],
  ['/feed/', false],
  ['/wp-sitemap.xml', false],
  ['http://elsewhere.example/', false],
  ['', false],
])('stores %p: %p', (uri, expected) => {
  expect(stored(uri)).toBe(expected)
})

test.each([
  ['', true],
  [
    '_ga=GA1.2.3; _fbp=fb.1; _hjSession_12=x; sbjs_session=pgs%3D1; wp_consent_marketing=allow',
    true,
  ],
  ['a=PHPSESSID', true],
  ['wordpress_logged_in_0123=ann', false],
  ['_ga=1; woocommerce_items_in_cart=1', false],
  ['_ga=1;wp_woocommerce_session_0123=t_1', false],
  ['comment_author_0123=Ann', false],
  ['wp-postpass_0123=x', false],
  ['PHPSESSID=x', false],
  ['edd_items_in_cart=1', false],
  ['__Host-session=x', false],
  ['shop_session=x', false],
])('treats a visitor with the cookies %p as anonymous: %p', (cookies, expected) => {
  expect(anonymous(cookies)).toBe(expected)
})

const TRACKED = [
  'utm_source',
  'utm_campaign',
  'fbclid',
  'gclid',
  'gbraid',
  'wbraid',
  'msclkid',
  'mc_cid',
  'mc_eid',
  '_ga',
  'ttclid',
  'twclid',
  'yclid',
  'igshid',
  'dclid',
] as const
const value = fc.string({ unit: fc.constantFrom(...'aZ0-_.%*=~+?/') })
const tracking = fc
  .tuple(fc.constantFrom(...TRACKED), value)
  .map(([name, text]) => `${name}=${text}`)
const other = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), value)
  .filter(([name]) => !/^(utm_|pk_|mtm_)/.test(name) && !TRACKED.some((known) => known === name))
  .filter(([name]) => stored(`/?${name}=1`) === false)
  .map(([name, text]) => `${name}=${text}`)

test('ignores advertising arguments in any order, and never an argument of the site', () => {
  const lists = fc.array(tracking, { minLength: 1, maxLength: 6 })
  forAll(lists, (list) => expect(stored(`/a/?${list.join('&')}`)).toBe(true))
  forAll(lists, other, fc.nat(), (list, own, at) => {
    const mixed = list.toSpliced(at % (list.length + 1), 0, own)
    expect(stored(`/a/?${mixed.join('&')}`)).toBe(false)
  })
})

test('passes only parts of the key to PHP when a page may be stored', () => {
  const rules = renderCacheRules()

  expect(rules).toContain('"GET 000" 1;')
  expect(rules).toContain(
    'map $hosting_stored $hosting_asked_uri {\n    default $request_uri;\n    1 $hosting_path;\n}',
  )
  expect(rules).toContain(
    'map $hosting_stored $hosting_asked_query {\n    default $query_string;\n    1 "";\n}',
  )
})
