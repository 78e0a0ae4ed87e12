import { expect, test } from 'bun:test'
import { defaultsOf, readServers, takenFrom } from '#agent/features/existing/web/nginx-servers.ts'
import { placesBeside, specificAddresses } from '#agent/features/web/listen-places.ts'
import { notesAbout } from '#agent/features/web/listening-notes.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const OWN = '# Made by Hosting Control. Changes in this file are overwritten.'

/** As `nginx -T` prints files that nginx.conf includes from conf.d and sites-enabled. */
function dump(files: Record<string, string>): string {
  const main = 'http { include conf.d/*.conf; include /etc/nginx/sites-enabled/*; }'
  return Object.entries({ 'nginx.conf': main, ...files })
    .map(([name, text]) => `# configuration file /etc/nginx/${name}:\n${text}\n`)
    .join('')
}

const listening = (...listens: string[]) =>
  readServers(
    dump({
      'sites-enabled/old': `server { ${listens.map((listen) => `listen ${listen};`).join(' ')} }`,
    }),
  )

test('separates its own servers from others, in the order of nginx', async () => {
  const found = await readServers(
    dump({
      'sites-enabled/hosting-a.example.conf': `${OWN}\nserver { server_name a.example; }`,
      'sites-enabled/hosting-like.conf': 'server { server_name like.example; }',
      'conf.d/first.conf': 'server { listen 8080; server_name First.example; }',
    }),
  )

  expect(found.all.map(({ names }) => names[0])).toEqual([
    'first.example',
    'a.example',
    'like.example',
  ])
  expect(found.others.map(({ names }) => names[0])).toEqual(['first.example', 'like.example'])
})

test('reads included files, also for an unknown pattern', async () => {
  const { others } = await readServers(
    dump({
      'sites-enabled/a': 'server { include snippets/names; }',
      'snippets/names': 'server_name a.example; listen 10.0.0.5:80;',
      'odd/b': 'server { server_name b.example; }',
    }),
  )

  expect(others.map(({ names }) => names)).toEqual([['a.example'], ['b.example']])
  expect(others[0]?.listens).toEqual([{ address: '10.0.0.5', port: 80, words: [] }])
})

test('unknown names go to the first server, or to the default server', async () => {
  const { all } = await readServers(
    dump({
      'sites-enabled/a': 'server { listen 80; } server { listen 443 ssl; }',
      'sites-enabled/b': 'server { listen 80; listen [::]:443 ssl default_server; }',
      'sites-enabled/c': 'server { listen 443 ssl default_server; listen unix:/run/x.sock; }',
    }),
  )

  const paths = [...defaultsOf(all)].map(([key, { path }]) => `${key} ${path.at(-1)}`)
  expect(paths.sort()).toEqual(['*:443 c', '*:80 a', '[::]:443 b'])
})

test.each([
  ['*.example', 'shop.example', true],
  ['*.example', 'example', false],
  ['.shop.example', 'shop.example', true],
  ['shop.*', 'shop.example', true],
  ['~^(?P<name>.+)\\.example$', 'shop.example', true],
  ['~^(?<broken', 'shop.example', false],
  ['shop.example', 'shop.example', false],
  ['_', 'shop.example', false],
])('%s takes %s: %j', async (written, name, expected) => {
  const found = await readServers(
    dump({ 'sites-enabled/old': `server { listen 80; server_name "${written}"; }` }),
  )

  expect(takenFrom(found, name) !== undefined).toBe(expected)
})

test.each([
  [['80'], { 80: ['80'], 443: ['443', '[::]:443'] }],
  [['80', '[::]:80'], { 80: ['80', '[::]:80'], 443: ['443', '[::]:443'] }],
  [['10.0.0.5:80'], { 80: ['80', '10.0.0.5:80'], 443: ['443', '[::]:443'] }],
  [['[::]:80 ipv6only=off'], { 80: ['[::]:80'], 443: ['443', '[::]:443'] }],
  [['10.0.0.5:443 ssl'], { 80: ['80', '[::]:80'], 443: ['443', '10.0.0.5:443'] }],
  [['8080'], { 80: ['80', '[::]:80'], 443: ['443', '[::]:443'] }],
])('listens beside %j', async (listens, addresses) => {
  expect(placesBeside(await listening(...listens), true).addresses).toEqual(addresses)
})

test('does not turn HTTP/2 on for other servers', async () => {
  expect(placesBeside(await listening('443 ssl'), true).http2_word).toBe(false)
  expect(placesBeside(await listening('443 ssl http2'), true).http2_word).toBe(true)
  expect(placesBeside(await listening('80'), true).http2_word).toBe(true)
})

test('probes the addresses of this machine that a virtual host names', async () => {
  const host = fakeHost()
  const trie = ['10.0.0.5', '10.0.0.6'].map((one) => `|-- ${one}\n   /32 host LOCAL\n`).join('')
  await host.disk.write('/proc/1/net/fib_trie', trie)
  await host.disk.write(
    '/proc/1/net/if_inet6',
    'fd000000000000000000000000000005 02 40 00 80 eth0\n',
  )
  const named = ['80', '[::]:80', '10.0.0.5:80', '10.0.0.9:80', '[fd00::5]:80', '[fd00::9]:80']
  const vhost = named.map((place) => `listen ${place};\n`).join('')

  expect(await specificAddresses(host, vhost)).toEqual(['10.0.0.5', 'fd00::5'])
})

test.each<[string, string[], boolean, string[]]>([
  ['nothing where others listen as it does', ['80', '[::]:80'], true, []],
  ['nothing of IPv6 where the server has none', ['80'], false, []],
  [
    'that IPv6 is left out',
    ['80'],
    true,
    [
      'Visitors reach port 80 of the site by IPv4 only, since the other sites of this server do not listen on IPv6 there: its name needs no AAAA record.',
    ],
  ],
  [
    'which addresses belong to other servers only',
    ['80', '[::]:80', '10.0.0.5:80'],
    true,
    ['The site also listens on 10.0.0.5:80, because other sites of this server listen there.'],
  ],
])('a plan says %s', (_, listens, ipv6, notes) => {
  expect(notesAbout({ addresses: { 80: listens, 443: ['443', '[::]:443'] } }, ipv6)).toEqual(notes)
})
