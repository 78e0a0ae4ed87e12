import { expect, test } from 'bun:test'
import { NewPrimary, namesAfter } from '#shared/domains/primary-domain.ts'
import { NO_NAMES, type SiteNames } from '#shared/kernel/site-names.ts'

const led = (...domains: string[]) =>
  domains.map((domain) => ({ domain, status: 301 as const, keep_path: true }))

const to = (domain: string, target: string, more: object = {}) => ({
  ...{ domain, to: target, status: 301 as const, keep_path: true },
  ...more,
})
const MOVED = { status: 302 as const, keep_path: false }

const after = (names: Partial<SiteNames>, given: object, domain = 'old.example') =>
  namesAfter({ domain, names: { ...NO_NAMES, ...names } }, NewPrimary.parse(given))

test.each<[string, Partial<SiteNames>, object, SiteNames]>([
  [
    'redirects both former names by default',
    { aliases: ['a.example'] },
    { primary: 'new.example' },
    { www: 'serve', aliases: ['a.example'], redirects: led('old.example', 'www.old.example') },
  ],
  [
    'takes the new name, with and without www, from aliases and redirects',
    { aliases: ['new.example', 'b.example'], redirects: led('www.new.example') },
    { primary: 'new.example', former: 'none' },
    { www: 'serve', aliases: ['b.example'], redirects: [] },
  ],
  [
    'still shows the former names that showed the site',
    { www: 'redirect' },
    { primary: 'new.example', former: 'alias' },
    { www: 'redirect', aliases: ['old.example'], redirects: led('www.old.example') },
  ],
  [
    'leads redirects to a name that is given up to the new one',
    {
      redirects: [
        to('a.example', 'https://old.example:8443/x', MOVED),
        to('b.example', 'http://www.old.example'),
        to('c.example', 'https://very-old.example/'),
      ],
    },
    { primary: 'new.example', former: 'none' },
    {
      ...{ www: 'serve', aliases: [] },
      redirects: [
        to('a.example', 'https://new.example:8443/x', MOVED),
        to('b.example', 'http://new.example'),
        to('c.example', 'https://very-old.example/'),
      ],
    },
  ],
  [
    'keeps the target of a redirect that is still a name of the site',
    { redirects: [to('a.example', 'https://old.example/x')] },
    { primary: 'new.example', former: 'alias' },
    {
      ...{ www: 'serve', aliases: ['old.example', 'www.old.example'] },
      redirects: [to('a.example', 'https://old.example/x')],
    },
  ],
  [
    'only turns the pair of a name around',
    {},
    { primary: 'www.old.example' },
    { www: 'redirect', aliases: [], redirects: [] },
  ],
  [
    'serves both of a pair on request',
    {},
    { primary: 'www.old.example', former: 'alias' },
    { www: 'serve', aliases: [], redirects: [] },
  ],
])('%s', (_, names, given, expected) => {
  expect(after(names, given)).toEqual(expected)
})
