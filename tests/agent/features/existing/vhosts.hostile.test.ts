// tier: gate
import { expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { listServed } from '#agent/features/existing/vhosts.ts'
import { eachFolder } from '#tests/support/each-folder.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { fill, onFiles } from '#tests/support/rooted-files.ts'

setDefaultTimeout(60_000)

const NGINX = 'nginx: master process /usr/sbin/nginx'
const APACHE = '/usr/sbin/apache2 -k start'
const LITESPEED = 'openlitespeed (lshttpd - main)'
const SITE = 'server { listen 80; server_name shop.example; root /srv/shop; }'
const VHOST = `<VirtualHost *:80>\nServerName shop.example\nDocumentRoot /srv/shop\n</VirtualHost>`

async function served(files: Record<string, string>, line: string) {
  const host = fakeHost()
  for (const [path, text] of Object.entries(files)) await host.disk.write(path, text)
  const { list } = host.files
  let listed = 0
  host.disk.list = async (path: string, most?: number) => {
    listed++
    return await list.call(host.disk, path, most)
  }
  const found = await listServed(host, [{ pid: 7, root: true, line }])
  return { listed, found, domains: found.map(({ domain }) => domain).filter(Boolean) }
}

const nginx = (text: string, more: Record<string, string> = {}) =>
  served({ '/etc/nginx/nginx.conf': `http { ${SITE} ${text} }`, ...more }, NGINX)
const apache = (text: string, more: Record<string, string> = {}) =>
  served({ '/etc/apache2/apache2.conf': `Listen 80\n${VHOST}\n${text}`, ...more }, APACHE)

let root = ''
eachFolder((path) => {
  root = path
})

test('nginx: links in circles, a pipe, a device, a folder and a file that is too large', async () => {
  fill(root, {
    '/etc/nginx/nginx.conf': `http { ${SITE} include sites/*; include */*/*/*/*; include sites/pipe; }`,
    '/etc/nginx/sites/folder/x': '',
    '/etc/nginx/sites/large': 'server { server_name large.example; root /x; }'.repeat(500_000),
    '/etc/nginx/sites/last': 'server { server_name last.example; root /srv/last; }',
  })
  const sites = join(root, '/etc/nginx/sites')
  symlinkSync('self', join(sites, 'self'))
  symlinkSync('..', join(sites, 'up'))
  symlinkSync('/dev/zero', join(sites, 'device'))
  execFileSync('mkfifo', [join(sites, 'pipe')])

  const found = await listServed(onFiles(fakeHost(), root), [{ pid: 7, root: true, line: NGINX }])

  expect(found.map(({ domain }) => domain)).toEqual(['shop.example', 'last.example'])
})

test('nginx: files that include each other', async () => {
  const { domains } = await nginx('include a.conf;', {
    '/etc/nginx/a.conf': 'include b.conf; include b.conf; include a.conf;',
    '/etc/nginx/b.conf': 'include a.conf; include a.conf; include c.conf; include c.conf;',
    '/etc/nginx/c.conf': 'include *.conf; include *.conf;',
  })
  expect(domains).toEqual(['shop.example'])
})

test('nginx: a long file that is included many times', async () => {
  const { domains } = await nginx('include many.conf;', {
    '/etc/nginx/many.conf': 'include long.conf;'.repeat(5000),
    '/etc/nginx/long.conf': 'a b;'.repeat(200_000),
  })
  expect(domains).toEqual(['shop.example'])
})

test('nginx: patterns of many folders', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [`/srv/${at % 20}/${at}/x/y/z.conf`, '']),
  )
  const { domains, listed } = await nginx('include /*/*/*/*/*/*; '.repeat(2000), files)
  expect(domains).toEqual(['shop.example'])
  expect(listed).toBeLessThan(20_000)
})

test('nginx: long words, and blocks in blocks', async () => {
  const { domains } = await nginx(
    `a "${'x'.repeat(2 << 20)}"; b ${'y'.repeat(1 << 20)}; ${'c {'.repeat(100_000)}`,
  )
  expect(domains).toEqual(['shop.example'])
})

test('nginx: a server with many names', async () => {
  const names = Array.from({ length: 30_000 }, (_, at) => `s${at}.example`).join(' ')
  const locations = Array.from({ length: 200 }, (_, at) => `location /${at} { }`).join(' ')
  const { found } = await nginx(`server { server_name ${names}; root /srv/all; ${locations} }`)
  expect(found.map((site) => site.names.length)).toEqual([1, 30_000])
})

test('nginx: many names with a folder each', async () => {
  const names = Array.from({ length: 5000 }, (_, at) => `s${at}.example`).join(' ')
  const { found } = await nginx(`server { server_name ${names}; root /srv/$host; }`)
  expect(found).toHaveLength(5001)
})

test('nginx: many servers with the same name, and with the same target', async () => {
  const same = 'server { server_name same.example; root /srv/same; }'.repeat(5000)
  const target = Array.from(
    { length: 2000 },
    (_, at) => `server { server_name t${at}.example; location / { proxy_pass http://10.0.0.1; } }`,
  ).join('')
  const { domains } = await nginx(`${same} ${target}`)
  expect(domains).toHaveLength(2002)
})

test('nginx: variables that contain each other', async () => {
  const sets = Array.from(
    { length: 30 },
    (_, at) => `set $v${at} "${`$v${at + 1}`.repeat(50)}";`,
  ).join('')
  const { domains, found } = await nginx(
    `server { server_name a.example; ${sets} set $v30 x; root /srv/$v0; }`,
  )
  expect(domains).toEqual(['shop.example', 'a.example'])
  expect(found[1]?.unknown).toEqual({ docroot: 'computed' })
})

test('nginx: a map with many entries for many servers', async () => {
  const entries = Array.from({ length: 50_000 }, (_, at) => `m${at}.example /srv/m${at};`).join('')
  const servers = Array.from(
    { length: 500 },
    (_, at) => `server { server_name m${at}.example; root $folder; }`,
  ).join('')
  const { domains } = await nginx(`map $host $folder { ${entries} } ${servers}`)
  expect(domains).toHaveLength(501)
})

test('nginx: expressions that try every way', async () => {
  const locations = Array.from(
    { length: 100 },
    (_, at) => `location ~ ^(((.+)+)+)+${at}$ { root /no; }`,
  ).join('')
  const { domains } = await nginx(`server { server_name a.example; root /srv/a; ${locations} }`)
  expect(domains).toEqual(['shop.example', 'a.example'])
})

test('Apache: files that include each other, and a long file many times', async () => {
  const { domains } = await apache('Include a.conf\nInclude many.conf', {
    '/etc/apache2/a.conf': 'Include b.conf\nInclude b.conf\nInclude a.conf',
    '/etc/apache2/b.conf': 'Include a.conf\nInclude a.conf\nInclude *.conf',
    '/etc/apache2/many.conf': 'Include long.conf\n'.repeat(5000),
    '/etc/apache2/long.conf': 'A b\n'.repeat(200_000),
  })
  expect(domains).toEqual(['shop.example'])
})

test('Apache: definitions that double each other', async () => {
  const defines = Array.from({ length: 60 }, (_, at) => `Define v${at + 1} \${v${at}}\${v${at}}`)
  const { domains } = await apache(
    ['Define v0 xxxxxxxx', ...defines, `DocumentRoot /srv/\${v60}`].join('\n'),
  )
  expect(domains).toEqual(['shop.example'])
})

test('Apache: sections in sections, and patterns of many folders', async () => {
  const { domains, listed } = await apache(
    `${'<IfModule x>\n'.repeat(50_000)}${'</IfModule>\n'.repeat(50_000)}${'Include /*/*/*/*/*\n'.repeat(5000)}`,
  )
  expect(domains).toEqual(['shop.example'])
  expect(listed).toBeLessThan(20_000)
})

test('OpenLiteSpeed: includes, sections in sections, and a text without an end', async () => {
  const { found } = await served(
    {
      '/usr/local/lsws/conf/httpd_config.conf': `${'include conf/*.conf\n'.repeat(5000)}${'a {\n'.repeat(100_000)}`,
      '/usr/local/lsws/conf/x.conf': `${'b c\n'.repeat(2000)}rules <<<END\n}\n`,
    },
    LITESPEED,
  )
  expect(found).toEqual([])
})
