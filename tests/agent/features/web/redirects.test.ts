import { expect, test } from 'bun:test'
import { type Certificate, renderRedirects, securedNames } from '#agent/features/web/redirects.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { shop } from '#tests/support/agent/debian.ts'

const abilities = { ipv6: false, http2_directive: false }
const site = {
  ...shop,
  names: SiteNames.parse({
    www: 'redirect',
    aliases: ['b.example', 'c.example'],
    redirects: [
      { domain: 'old.example', keep_path: false },
      { domain: 'new.example', to: 'https://other.example/shop/', status: 302 },
      { domain: 'older.example', keep_path: false },
    ],
  }),
}
const certificate: Certificate = {
  ...{ fullchain: '/f.pem', privkey: '/k.pem', self_signed: false },
  names: ['shop.example', 'b.example'],
}

/** Lists the names, the ports and the answer of each server block in a configuration. */
const serversIn = (text: string) =>
  text
    .split('\nserver {')
    .slice(1)
    .map((server) => [
      /server_name (.+);/.exec(server)?.[1],
      [...server.matchAll(/listen (\d+)/g)].map(([, port]) => port).join(' '),
      /(return .+);/.exec(server)?.[1],
    ])

test('redirects each name as set, and the same ones together', () => {
  expect(serversIn(renderRedirects({ site, abilities, certificate: undefined }))).toEqual([
    ['www.shop.example', '80', 'return 301 http://shop.example$request_uri'],
    ['old.example older.example', '80', 'return 301 http://shop.example/'],
    ['new.example', '80', 'return 302 https://other.example/shop$request_uri'],
  ])
})

test('with a certificate redirects answer https too, and an alias without one redirects to the site', () => {
  expect(serversIn(renderRedirects({ site, abilities, certificate }))).toEqual([
    ['www.shop.example', '80 443', 'return 301 https://shop.example$request_uri'],
    ['old.example older.example', '80 443', 'return 301 https://shop.example/'],
    ['new.example', '80 443', 'return 302 https://other.example/shop$request_uri'],
    ['c.example', '80', 'return 302 https://shop.example$request_uri'],
  ])
  expect(securedNames(site, certificate)).toEqual(['shop.example', 'b.example'])
})

test('tokens of the authority are served before a redirect', () => {
  const text = renderRedirects({ site, abilities, certificate })

  expect(text.match(/acme-challenge/g)).toHaveLength(4)
  expect(text.indexOf('acme-challenge')).toBeLessThan(text.indexOf('return'))
})

test('a wildcard certificate is valid for one more label', () => {
  const wild = { ...certificate, names: ['*.example', '*.shop.example'] }
  const names = SiteNames.parse({ aliases: ['a.b.example', 'x.shop.example', 'y.example'] })

  expect(securedNames({ ...shop, names }, wild)).toEqual([
    'shop.example',
    'www.shop.example',
    'x.shop.example',
    'y.example',
  ])
})
