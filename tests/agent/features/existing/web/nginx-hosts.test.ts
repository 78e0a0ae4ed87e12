import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { apacheHosts } from '#agent/features/existing/web/apache-hosts.ts'
import { parseApache } from '#agent/features/existing/web/apache-lines.ts'
import { chooseSites } from '#agent/features/existing/web/choose-sites.ts'
import { parseNginx } from '#agent/features/existing/web/nginx-config.ts'
import { nginxHosts } from '#agent/features/existing/web/nginx-hosts.ts'
import { forAll } from '#tests/support/for-all.ts'

const sitesOf = (text: string) => chooseSites(nginxHosts(parseNginx(text)), new Set())
const shown = (text: string) =>
  sitesOf(text).map(({ domain, names, docroot, kind }) => [domain, names.join(' '), docroot, kind])

test.each([
  [
    'two folders on 80: the one with PHP',
    `server { listen 80; server_name a.example; root /one; }
     server { listen 8443 ssl; server_name a.example; root /two; location ~ \\.php$ { fastcgi_pass 127.0.0.1:9000; } }`,
    [['a.example', 'a.example', '/one', 'files']],
  ],
  [
    'a nested expression before one of the server',
    `server { server_name a.example; root /r; location / { location ~ page { root /inner; } }
      location ~ page { root /outer; } }`,
    [['a.example', 'a.example', '/inner', 'files']],
  ],
  [
    'no expression after ^~',
    `server { server_name a.example; root /r; location ^~ / { root /prefix; } location ~ page { root /no; } }`,
    [['a.example', 'a.example', '/prefix', 'files']],
  ],
  [
    'a variable that is set twice in different ways',
    `server { server_name a.example; set $r /one; if ($host = b) { set $r /two; } root $r; }`,
    [['a.example', 'a.example', '', 'files']],
  ],
  [
    'a proxy that asks itself',
    `server { listen 80; server_name a.example; location / { proxy_pass http://127.0.0.1:80; } }`,
    [['a.example', 'a.example', '', 'proxy']],
  ],
  [
    'two proxies that ask each other',
    `server { listen 80; server_name a.example; location / { proxy_pass http://127.0.0.1:81; } }
     server { listen 81; server_name a.example; location / { proxy_pass http://127.0.0.1:80; } }`,
    [['a.example', 'a.example', '', 'proxy']],
  ],
  [
    'a wildcard beside a name',
    `server { server_name a.example *.a.example; root /r; }`,
    [['a.example', 'a.example *.a.example', '/r', 'files']],
  ],
  ['closed, without a folder', `server { server_name a.example; return 403; }`, []],
  ['a default that refuses', `server { listen 80 default_server; root /r; return 444; }`, []],
])('%s', (_, text, expected) => {
  expect(shown(text)).toEqual(expected)
})

test('a map that refers to itself has no value', () => {
  const map = 'map $a $b { default $c; } map $b $c { default $b; }'
  expect(shown(`${map} server { server_name a.example; root $b; }`)).toEqual([
    ['a.example', 'a.example', '', 'files'],
  ])
})

const word = fc.constantFrom(
  ...['server', 'location', 'root', 'return', '301', '/', '~', '=', '^~', '\\.php$', '(', '$x'],
  ...['server_name', 'a.example', '*.a.example', '_', 'listen', '80', 'unix:/x', 'set', 'map'],
  ...['fastcgi_pass', 'proxy_pass', 'http://x', 'if', '$host', 'try_files', '@x', 'upstream', '~('],
)

test('no configuration of nginx throws, and no name belongs to two sites', () => {
  const token = fc.oneof(word, fc.constantFrom('{', '}', ';'))
  forAll(fc.array(token, { maxLength: 80 }), (tokens) => {
    const names = sitesOf(tokens.join(' ')).flatMap((site) =>
      site.names.filter((name) => name !== '_'),
    )
    expect(new Set(names).size).toBe(names.length)
  })
})

test('no configuration of Apache throws', () => {
  const part = fc.constantFrom(
    ...[
      '<VirtualHost *:80>',
      '</VirtualHost>',
      '<Directory /x>',
      'ServerName a.example',
      '<If "x">',
    ],
    ...[
      'DocumentRoot "/x',
      'SetHandler proxy:unix:/x|fcgi://y',
      '\\',
      '<',
      '</',
      '"',
      'RewriteRule ^ x',
    ],
    ...['<FilesMatch "(">', 'ProxyPass / http://x', 'Redirect 503 /', 'ServerAlias *'],
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join('\n')),
  )
  forAll(text, (source) => {
    const directives = parseApache(source)
    chooseSites(apacheHosts({ directives, modules: new Set() }), new Set())
  })
})

test('Apache: a handler applies to its folder, and not to another one', () => {
  const host = (root: string) => `<VirtualHost *:80>
    ServerName ${root}.example
    DocumentRoot /srv/${root}
  </VirtualHost>`
  const directives = parseApache(`${host('one')}\n${host('two')}
    <Directory /srv/one>
      <FilesMatch \\.php$>
        SetHandler "proxy:unix:/run/one.sock|fcgi://localhost"
      </FilesMatch>
    </Directory>`)
  const sites = chooseSites(apacheHosts({ directives, modules: new Set() }), new Set())

  expect(sites.map(({ domain, php }) => [domain, php.address])).toEqual([
    ['one.example', '/run/one.sock'],
    ['two.example', ''],
  ])
})
