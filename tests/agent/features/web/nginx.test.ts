import { expect, test } from 'bun:test'
import * as nginx from '#agent/features/web/nginx.ts'
import { refuseServedNames } from '#agent/features/web/nginx-servers.ts'
import { SiteNames } from '#shared/kernel/site-names.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const CERTIFICATE = {
  fullchain: '/etc/x/fullchain.pem',
  privkey: '/etc/x/privkey.pem',
  self_signed: false,
}

const REDIRECTED = {
  ...shop,
  names: SiteNames.parse({ redirects: [{ domain: 'old.example', keep_path: false }] }),
}
const LIMITED = [
  'client_header_timeout',
  'client_body_timeout',
  'send_timeout',
  'reset_timedout_connection',
  'limit_conn',
]

/** The server block of a port, with the words of its lines one space apart. */
function block(text: string | null | undefined, port: number): string {
  const blocks = (text ?? '').split('\nserver {').slice(1)
  return blocks.find((one) => new RegExp(`listen ${port}\\b`).test(one))?.replace(/ +/g, ' ') ?? ''
}

test('denies before it serves, because the first matching regular expression wins', async () => {
  const host = await server(shop)

  const locations = [...block(host.disk.all[VHOST], 80).matchAll(/location (.+) \{\n (\w+)/g)]

  const denied = locations.map(([, , what]) => what).lastIndexOf('deny')
  const php = locations.findIndex(([, pattern]) => pattern === '~ \\.php$')
  expect(denied).toBeGreaterThan(5)
  expect(php).toBeGreaterThan(denied)
  expect(locations.at(0)?.[1]).toBe('^~ /.well-known/acme-challenge/')
})

test.each([[true], [undefined], [false]])(
  'serves xmlrpc.php only where it is on: %p, and never before it is denied',
  async (xmlrpc) => {
    const host = await server(shop)

    await nginx.apply(host, { ...shop, ...(xmlrpc !== undefined && { xmlrpc }) }, undefined).apply()

    const text = block(host.disk.all[VHOST], 80)
    const denied = text.indexOf('location ~* /xmlrpc\\.php$ {\n deny all;')
    expect(denied > 0).toBe(xmlrpc === false)
    expect(text.indexOf('location ~ \\.php$')).toBeGreaterThan(denied)
    expect(text).toContain('limit_req zone=hosting_xmlrpc burst=30 nodelay;')
  },
)

test.each([
  ['no certificate', shop, undefined, 1],
  ['a certificate', shop, CERTIFICATE, 2],
  ['a redirect', REDIRECTED, CERTIFICATE, 3],
])(
  'limits slow and many requests in each of its servers, with %s',
  async (_, site, certificate, count) => {
    const host = await server(shop)

    await nginx.apply(host, site, certificate).apply()

    const catchAll = host.disk.all['/etc/nginx/sites-available/hosting-default'] ?? ''
    const blocks = `${host.disk.all[VHOST]}${catchAll}`.split('\nserver {').slice(1)
    expect(blocks.length).toBe(count + 1)
    for (const one of blocks) {
      for (const name of LIMITED) expect(one.split(`    ${name} `).length).toBe(2)
    }
    expect(host.disk.all['/etc/nginx/conf.d/hosting.conf']).toContain('zone=hosting_visitors:10m;')
  },
)

test('limits how often a site is asked for what is due in WordPress', async () => {
  const host = await server(shop)

  expect(block(host.disk.all[VHOST], 80)).toContain('limit_req zone=hosting_cron burst=5 nodelay;')
  expect(host.disk.all['/etc/nginx/conf.d/hosting.conf']).toContain(
    '"~*/wp-cron\\.php$" $server_name;',
  )
})

test('finds programs that only their owner may read, where it sends no file itself', async () => {
  const host = await server(shop)

  const locations = block(host.disk.all[VHOST], 80).split('\n location ').slice(1)

  const without = locations
    .filter((text) => text.includes('open_file_cache off;\n disable_symlinks off;\n'))
    .map((text) => text.slice(0, text.indexOf(' {')))
  expect(without).toEqual(['~ \\.php$', '~ /$', '@hosting_paused', '@hosting_missing'])
})

test('sets headers on the server only: in a location they would replace all others', async () => {
  const host = await server(shop)

  // Without the page of a pause, which has its own.
  const [text = ''] = block(host.disk.all[VHOST], 80).split(' error_page 502 ')

  expect(text.indexOf('location')).toBeGreaterThan(text.lastIndexOf('add_header'))
})

test.each([
  ['1.22.1', 'listen 443 ssl http2;', false],
  ['1.25.0', 'listen 443 ssl http2;', false],
  ['1.25.1', 'listen 443 ssl;', true],
  ['1.26.3', 'listen 443 ssl;', true],
])('enables HTTP/2 in the syntax of nginx %s', async (version, listen, directive) => {
  const host = await server(shop)
  host.fail('nginx -v', `nginx version: nginx/${version}`, 0)

  await nginx.apply(host, shop, CERTIFICATE).apply()

  const text = block(host.disk.all[VHOST], 443)
  expect([text.includes(listen), text.includes('http2 on;')]).toEqual([true, directive])
})

test('redirects to https, but serves tokens of the authority before that', async () => {
  const host = await server(shop)

  await nginx.apply(host, shop, CERTIFICATE).apply()

  const plain = block(host.disk.all[VHOST], 80)
  const redirect = plain.indexOf('return 301 https://$host$request_uri;')
  expect(redirect).toBeGreaterThan(plain.indexOf('acme-challenge'))
  expect(plain).not.toContain('fastcgi_pass')
})

test.each([
  ['letsencrypt', true],
  ['self-signed', false],
] as const)('sends HSTS with %s: %p', async (tls, insists) => {
  const host = await server(shop)

  await nginx.apply(host, { ...shop, tls }, CERTIFICATE).apply()

  expect(block(host.disk.all[VHOST], 443).includes('Strict-Transport-Security')).toBe(insists)
})

test.each([
  ['on', undefined, 'max-age=31536000'],
  ['for subdomains', 'subdomains', 'max-age=31536000; includeSubDomains'],
  ['off', 'off', 'max-age=0'],
] as const)('tells browsers that HSTS is %s', async (_, hsts, value) => {
  const host = await server(shop)

  await nginx.apply(host, { ...shop, tls: 'letsencrypt', settings: { hsts } }, CERTIFICATE).apply()

  const text = block(host.disk.all[VHOST], 443)
  expect(text).toContain(`add_header Strict-Transport-Security "${value}" always;`)
  expect(block(host.disk.all[VHOST], 80)).not.toContain('Strict-Transport-Security')
})

test.each([
  [undefined, ['Content-Security-Policy $hosting_csp']],
  [
    'report',
    [
      'Content-Security-Policy $hosting_csp',
      'Content-Security-Policy-Report-Only $hosting_csp_report',
    ],
  ],
  ['off', []],
] as const)('sends the content security policy %p', async (csp, headers) => {
  const host = await server(shop)

  await nginx.apply(host, { ...shop, settings: { csp } }, undefined).apply()

  const sent = block(host.disk.all[VHOST], 80).match(/Content-Security-Policy\S* \S+(?= always;)/g)
  expect(sent ?? []).toEqual([...headers])
})

test('a policy of the site itself replaces that of the server', async () => {
  const host = await server(shop)

  const base = host.disk.all['/etc/nginx/conf.d/hosting.conf'] ?? ''
  const [, map = ''] = /x_frame_options" \$hosting_csp \{\n([^}]*)\}/.exec(base) ?? []
  const rules = map
    .trim()
    .split('\n')
    .map((line) => line.trim())
  expect(rules).toEqual([
    'default "";',
    `"http::" "base-uri 'self'; object-src 'self'; frame-ancestors 'self'";`,
    `"~^http::." "base-uri 'self'; object-src 'self'";`,
    `"https::" "base-uri 'self'; object-src 'self'; frame-ancestors 'self'; upgrade-insecure-requests";`,
    `"~^https::." "base-uri 'self'; object-src 'self'; upgrade-insecure-requests";`,
  ])
})

test('listens on IPv6 where the machine has it', async () => {
  const host = await server(shop)
  expect(host.disk.all[VHOST]).not.toContain('[::]')
  await host.disk.write('/proc/1/net/if_inet6', '00000000000000000000000000000001 01 80 10 80 lo\n')

  await nginx.apply(host, shop, undefined).apply()

  expect(host.disk.all[VHOST]).toContain('listen [::]:80;')
})

test('restores the previous virtual host when nginx refuses the new one', async () => {
  const host = await server(shop)
  const before = host.disk.all
  host.fail('nginx -t', 'emerg')

  const applying = nginx.apply(host, { ...shop, tier: 'large' }, undefined).apply()

  await expect(applying).rejects.toThrow('nginx refuses its configuration: emerg')
  expect(host.disk.all).toEqual(before)
})

test('does not overwrite a foreign file', async () => {
  const host = await server()
  await host.disk.write(VHOST, 'server { }')

  const applying = nginx.apply(host, shop, undefined).apply()

  await expect(applying).rejects.toThrow('was not made by Hosting Control')
  expect(host.disk.all[VHOST]).toBe('server { }')
})

test('accepts a name that stands only in a comment', async () => {
  const host = await server()
  host.answer('nginx -T', '# configuration file /etc/nginx/a:\n# server_name shop.example;\n')

  await refuseServedNames(host, ['shop.example'])
})

test('finds a certificate only when both files are there', async () => {
  const host = await server(shop)
  await host.disk.write('/etc/hosting/tls/shop.example/fullchain.pem', '')
  expect(await nginx.certificateOf(host, 'shop.example')).toBeUndefined()
  await host.disk.write('/etc/hosting/tls/shop.example/privkey.pem', '')

  expect(await nginx.certificateOf(host, 'shop.example')).toEqual({
    fullchain: '/etc/hosting/tls/shop.example/fullchain.pem',
    privkey: '/etc/hosting/tls/shop.example/privkey.pem',
    self_signed: false,
  })
})

test('the next removal reloads nginx if the first was interrupted before that', async () => {
  const host = await server(shop)
  host.fail('nginx -t', 'killed')
  await expect(nginx.remove(host, shop).apply()).rejects.toThrow('killed')
  host.answer('nginx -t', '')
  host.runs.length = 0

  await nginx.remove(host, shop).apply()

  expect(host.ran).toEqual([
    'nginx -t -q',
    'start-stop-daemon --stop --signal HUP --pidfile /run/nginx.pid --exec /usr/sbin/nginx',
  ])
  expect(host.disk.all[VHOST]).toBeUndefined()
})

test('does not reload an nginx that is not running', async () => {
  const host = await server(shop)
  await host.disk.remove('/run/nginx.pid')
  host.fail('start-stop-daemon', 'no process found')

  await nginx.remove(host, shop).apply()

  expect(host.ran).toEqual(['nginx -t -q'])
  expect(host.disk.all[VHOST]).toBeUndefined()
})

test('undoes a virtual host that would answer unknown names instead of another', async () => {
  const host = await server()
  const before = Object.keys(host.disk.all)
  const dump = (files: Record<string, string>) =>
    Object.entries({ 'nginx.conf': 'http { include sites-enabled/*; }', ...files })
      .map(([name, text]) => `# configuration file /etc/nginx/${name}:\n${text}\n`)
      .join('')
  const old = { 'sites-enabled/zzz': 'server { listen 80; server_name old.example; }' }
  const own = {
    'sites-enabled/zz-hosting-shop.example.conf': `# Made by Hosting Control\nserver { listen 80; }`,
  }
  host.answer('nginx -T', dump(old))
  const { link } = host.disk
  host.disk.link = async (target, path) => {
    host.answer('nginx -T', dump({ ...own, ...old }))
    await link.call(host.disk, target, path)
  }

  await expect(nginx.apply(host, shop, undefined).apply()).rejects.toThrow(
    'Unknown names at *:80 would be answered by /etc/nginx/sites-enabled/zz-hosting-shop.example.conf',
  )
  expect(Object.keys(host.disk.all)).toEqual(before)
  expect(host.ran.filter((line) => line.startsWith('start-stop-daemon'))).toEqual([])
})
