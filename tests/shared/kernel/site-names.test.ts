import { expect, test } from 'bun:test'
import {
  allNamesOf,
  hostOf,
  MAX_NAMES,
  NO_NAMES,
  pairOf,
  problemsOf,
  SiteNames,
  servedNamesOf,
} from '#shared/kernel/site-names.ts'

const namesOf = (given: object) => SiteNames.parse(given)

test.each([
  ['shop.example', ['shop.example', 'www.shop.example']],
  ['www.shop.example', ['www.shop.example', 'shop.example']],
  ['www.example', ['www.example', 'www.www.example']],
  [`${'a.'.repeat(125)}ab`, [`${'a.'.repeat(125)}ab`]],
])('%s has these two forms', (domain, names) => {
  expect(pairOf(domain)).toEqual(names)
})

test('names become A-labels, and a redirect is permanent and keeps the path by default', () => {
  const names = namesOf({ aliases: ['Bücher.Example'], redirects: [{ domain: 'OLD.example' }] })

  expect(names).toEqual({
    www: 'serve',
    aliases: ['xn--bcher-kva.example'],
    redirects: [{ domain: 'old.example', status: 301, keep_path: true }],
  })
})

test('serves its domain, its www form and its aliases; redirects are names as well', () => {
  const names = namesOf({
    www: 'redirect',
    aliases: ['b.example'],
    redirects: [{ domain: 'c.example' }],
  })
  const site = { domain: 'a.example', names }

  expect(servedNamesOf(site)).toEqual(['a.example', 'b.example'])
  expect(allNamesOf(site)).toEqual(['a.example', 'b.example', 'www.a.example', 'c.example'])
  expect(allNamesOf({ domain: 'a.example' })).toEqual(['a.example', 'www.a.example'])
})

test.each([
  ['https://b.example', 'b.example'],
  ['http://b.example:8080/shop/', 'b.example'],
  ['https://B.example', undefined],
  ['ftp://b.example', undefined],
  ['//b.example', undefined],
  ['https://b.example/$request_uri', undefined],
  ['https://b.example/; } server {', undefined],
  ['https://b.example/"', undefined],
  ["https://b.example/'", undefined],
  ['https://b.example/\\', undefined],
  ['https://b.example/{x}', undefined],
  ['https://b.example/#x', undefined],
  ['https://user@b.example/', undefined],
  ['https://b..example/', undefined],
  ['https://127.0.0.1/', undefined],
])('the host of the target %s is %p', (to, host) => {
  expect(hostOf(to)).toBe(host)
  expect(SiteNames.safeParse({ redirects: [{ domain: 'x.example', to }] }).success).toBe(
    host !== undefined,
  )
})

test.each([
  [
    'its own domain',
    { aliases: ['a.example'] },
    { aliases: ['a.example is already a name of this site'] },
  ],
  [
    'its own www form',
    { redirects: [{ domain: 'www.a.example' }] },
    { redirects: ['www.a.example is already a name of this site'] },
  ],
  [
    'a name twice',
    { aliases: ['b.example'], redirects: [{ domain: 'b.example' }] },
    { redirects: ['b.example is already a name of this site'] },
  ],
  [
    'a redirect to itself',
    { redirects: [{ domain: 'b.example', to: 'https://b.example/new' }] },
    { redirects: ['b.example → b.example is a redirect loop'] },
  ],
  [
    'a loop of three',
    {
      redirects: [
        { domain: 'b.example', to: 'https://c.example' },
        { domain: 'c.example', to: 'https://d.example' },
        { domain: 'd.example', to: 'https://b.example' },
      ],
    },
    { redirects: ['b.example → c.example → d.example → b.example is a redirect loop'] },
  ],
])('refuses %s by name', (_, given, problems) => {
  expect(problemsOf('a.example', namesOf(given))).toEqual(problems)
})

test('a chain of redirects that ends is no loop', () => {
  const names = namesOf({
    redirects: [{ domain: 'b.example', to: 'https://c.example' }, { domain: 'c.example' }],
  })

  expect(problemsOf('a.example', names)).toEqual({})
})

test('a site has as many names as a certificate', () => {
  const name = (at: number) => `n${at}.example`
  const list = (length: number) => Array.from({ length }, (_, at) => name(at))
  const many = SiteNames.safeParse({ aliases: list(5000) })
  const split = namesOf({
    aliases: list(50),
    redirects: list(99)
      .slice(50)
      .map((domain) => ({ domain })),
  })

  expect(many.error?.issues.map(({ path, message }) => [path, message])).toEqual([
    [['aliases'], `Must have at most ${MAX_NAMES} names`],
  ])
  expect(problemsOf('a.example', split)).toEqual({
    redirects: [`Must have at most ${MAX_NAMES} names together with the aliases`],
  })
  expect(problemsOf('a.example', namesOf({ aliases: list(MAX_NAMES) }))).toEqual({})
  expect(namesOf({})).toEqual(NO_NAMES)
})

test('an alias may be a wildcard in canonical form, and a redirect may not', () => {
  expect(namesOf({ aliases: ['*.Bücher.Example.'] }).aliases).toEqual(['*.xn--bcher-kva.example'])
  expect(SiteNames.safeParse({ redirects: [{ domain: '*.a.example' }] }).success).toBe(false)
})

test.each(['*', '*.', '*.example', '*.*.a.example', 'x.*.a.example', '*a.example', '*.a;.example'])(
  'refuses %s',
  (name) => {
    const { error } = SiteNames.safeParse({ aliases: [name] })
    expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [
        ['aliases', 0],
        'Must be a domain name such as example.com, or a wildcard such as *.example.com',
      ],
    ])
  },
)

test('a wildcard leaves room for the label of its validation', () => {
  const below = (length: number) => `*.${`${'a'.repeat(58)}.`.repeat(4).slice(0, length - 2)}.a`
  expect(SiteNames.safeParse({ aliases: [below(235)] }).success).toBe(true)
  expect(SiteNames.safeParse({ aliases: [below(236)] }).success).toBe(false)
})

test('has at most five wildcards', () => {
  const wildcards = (count: number) =>
    namesOf({ aliases: Array.from({ length: count }, (_, at) => `*.n${at}.example`) })
  expect(problemsOf('a.example', wildcards(5))).toEqual({})
  expect(problemsOf('a.example', wildcards(6))).toEqual({
    aliases: ['Must have at most 5 wildcards'],
  })
})
