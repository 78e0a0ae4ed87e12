import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readNginxConfig } from '#agent/features/existing/vhosts.ts'
import { parseNginx } from '#agent/features/existing/web/nginx-config.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { forAll } from '#tests/support/for-all.ts'

const leaf = (name: string, ...args: string[]) => ({ name, args, block: undefined })

test('nests blocks, joins lines, and skips comments', () => {
  const text = `
server { # the site
    listen 80; listen [::]:80;
    server_name a.example
        www.a.example;
    location ~ \\.php$ { fastcgi_pass "unix:/run/a b.sock"; }
    set $a '#;{}'; return 301 https://\${host}/x#y;
}
`

  expect(parseNginx(text)).toEqual([
    {
      name: 'server',
      args: [],
      block: [
        leaf('listen', '80'),
        leaf('listen', '[::]:80'),
        leaf('server_name', 'a.example', 'www.a.example'),
        {
          name: 'location',
          args: ['~', '\\.php$'],
          block: [leaf('fastcgi_pass', 'unix:/run/a b.sock')],
        },
        leaf('set', '$a', '#;{}'),
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is nginx's own variable
        leaf('return', '301', 'https://${host}/x#y'),
      ],
    },
  ])
})

test('follows includes, in the order of their names', async () => {
  const host = fakeHost()
  const files = {
    '/etc/nginx/nginx.conf': 'http { include conf.d/*.conf; include /etc/nginx/sites-enabled/*; }',
    '/etc/nginx/conf.d/b.conf': 'b 1;',
    '/etc/nginx/conf.d/a.conf': 'a 1; include snippets/c;',
    '/etc/nginx/conf.d/a.conf.bak': 'no 1;',
    '/etc/nginx/snippets/c': 'c 1;',
    '/etc/nginx/sites-enabled/d':
      'server { include ../../srv/x; include /srv/?/*.conf; include none; }',
    '/srv/x': 'x 1;',
    '/srv/y/y.conf': 'y 1;',
    '/srv/yy/y.conf': 'no 1;',
  }
  for (const [path, text] of Object.entries(files)) await host.disk.write(path, text)

  expect(await readNginxConfig(host)).toEqual([
    {
      name: 'http',
      args: [],
      block: [
        leaf('a', '1'),
        leaf('c', '1'),
        leaf('b', '1'),
        { name: 'server', args: [], block: [leaf('x', '1'), leaf('y', '1')] },
      ],
    },
  ])
})

test('terminates when files include each other', async () => {
  const host = fakeHost()
  await host.disk.write('/etc/nginx/nginx.conf', 'include a; include b; include nginx.conf;')
  await host.disk.write('/etc/nginx/a', 'a 1; include b; include a;')
  await host.disk.write('/etc/nginx/b', 'b 1; include a;')

  const names = (await readNginxConfig(host)).map(({ name }) => name)

  expect(names).toEqual(['a', 'b', 'b', 'a'])
})

test('omits blocks that are nested endlessly', async () => {
  const host = fakeHost()
  await host.disk.write('/etc/nginx/nginx.conf', 'a {'.repeat(50_000))

  expect(await readNginxConfig(host)).toMatchObject([{ name: 'a', block: [{ name: 'a' }] }])
})

test('reads the folders of sites if there is no nginx.conf', async () => {
  const host = fakeHost()
  await host.disk.write('/etc/nginx/sites-enabled/a', 'server { }')

  expect(await readNginxConfig(host)).toEqual([{ name: 'server', args: [], block: [] }])
})

test('reads back every word that can be quoted', () => {
  const word = fc.string({ unit: anyCharacter }).filter((text) => !/[\\"]/.test(text))
  forAll(fc.array(word, { maxLength: 5 }), (words) => {
    const text = `name ${words.map((inner) => `"${inner}"`).join(' ')};`
    expect(parseNginx(text)).toEqual([leaf('name', ...words)])
  })
})

test('neither throws nor hangs on any text', () => {
  const part = fc.constantFrom('{', '}', ';', '"', "'", '\\', '$', '${', '#', '\n', ' ', 'a')
  const text = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 200 }).map((all) => all.join('')),
  )
  forAll(text, (source) => {
    parseNginx(source)
  })
})

test.each([
  ['{', undefined],
  ['}', undefined],
  ['"\\', undefined],
  ["'\\'", undefined],
  ['a\\', undefined],
  ['${', '$'],
  ['server {', 'server'],
  ['# ', undefined],
])('reads a quarter of a megabyte of %j to its end', (part, name) => {
  const [first, ...rest] = parseNginx(part.repeat(250_000 / part.length))

  expect([first?.name, rest]).toEqual([name, []])
})
