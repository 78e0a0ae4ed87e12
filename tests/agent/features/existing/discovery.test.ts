import { expect, test } from 'bun:test'
import { discoverSites } from '#agent/features/existing/discovery.ts'
import { servedCertificates } from '#agent/features/existing/served-certificates.ts'
import { eachFolder } from '#tests/support/each-folder.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { authorityPem, selfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { fill, onFiles } from '#tests/support/rooted-files.ts'

let root = ''
eachFolder((path) => {
  root = path
})

const UNKNOWN = { plugins: null, themes: null, core: null }
const NOTHING = { wp_version: '', db_name: '', updates: UNKNOWN }

/** A machine whose sites-enabled holds these servers, with other files beside them. */
function machine(servers: Record<string, string>, files: Record<string, string> = {}) {
  const enabled = Object.entries(servers).map(([name, text]) => [
    `/etc/nginx/sites-enabled/${name}`,
    text,
  ])
  fill(root, {
    '/etc/nginx/nginx.conf': 'http { include conf.d/*.conf; include sites-enabled/*; }',
    '/etc/passwd': 'root:x:0:0::/root:/bin/sh\n',
    '/proc/meminfo': 'MemTotal: 16000000 kB\n',
    '/proc/cpuinfo': `processor : 0\n`.repeat(8),
    ...Object.fromEntries(enabled),
    ...files,
  })
  return onFiles(fakeHost(), root)
}

const pool = (user: string, socket: string, children: number) =>
  `[global]\npid = /run/x.pid\n[${user}]\nuser = $pool\nlisten = ${socket}\npm.max_children = ${children}\n`
const process = (pid: number, line: string) => ({
  [`/proc/${pid}/cmdline`]: `${line}\0`,
  [`/proc/${pid}/status`]: 'Uid:\t0\t0\t0\t0\nNSpid:\t7\n',
})
const wordpress = (docroot: string, name: string) => ({
  [`${docroot}/wp-includes/version.php`]: "<?php\n$wp_version = '6.8.2';\n",
  [`${docroot}/wp-content/index.php`]: '<?php',
  [`${docroot}/wp-config.php`]: `<?php define('DB_NAME', '${name}'); define('DB_USER', 'u'); define('DB_PASSWORD', 'p'); $table_prefix = 'wp_';`,
})

test('finds a site that others created', async () => {
  const host = machine(
    {
      shop: `
        server { listen 80; server_name shop.example www.shop.example; return 301 https://$host$request_uri; }
        server {
          listen 443 ssl http2; server_name www.shop.example shop.example;
          root /var/www/shop; ssl_certificate /etc/ssl/shop.pem;
          location ~ \\.php$ { include snippets/php.conf; }
        }`,
    },
    {
      '/etc/nginx/snippets/php.conf': 'fastcgi_pass unix:/run/php/shop.sock;',
      '/etc/php/8.1/fpm/pool.d/shop.conf': pool('shopper', '/run/php/$pool.sock', 4),
      '/etc/php/8.3/fpm/pool.d/shop.conf': pool('shop', '/run/php/$pool.sock', 12),
      '/etc/ssl/shop.pem': authorityPem,
      ...process(7, 'php-fpm: master process (/etc/php/8.3/fpm/php-fpm.conf)'),
      '/etc/php/8.3/fpm/php-fpm.conf': 'include=/etc/php/8.3/fpm/pool.d/*.conf',
      ...wordpress('/var/www/shop', 'wp_shop'),
    },
  )
  host.rows('SET STATEMENT', [
    { name: '_site_transient_update_core', value: 'a:1:{s:7:"updates";a:0:{}}' },
    { name: '_site_transient_update_themes', value: 'a:1:{s:7:"checked";a:0:{}}' },
  ])

  expect(await discoverSites(host)).toEqual([
    {
      domain: 'www.shop.example',
      names: ['shop.example', 'www.shop.example'],
      closed: false,
      user: 'shop',
      docroot: '/var/www/shop',
      php: '8.3',
      tier: 'medium',
      tls: 'other',
      framework: 'wordpress',
      wp_version: '6.8.2',
      db_name: 'wp_shop',
      updates: { plugins: null, themes: 0, core: null },
      unknown: { updates: 'not_checked' },
    },
  ])
})

test('recognises its own sites by their records, and forgets one without a virtual host', async () => {
  const record = (domain: string) =>
    JSON.stringify({
      ...{ domain, php: '8.2', tier: 'large', tls: 'letsencrypt', user: 'own_ab12' },
      email: 'a@own.example',
    })
  const host = machine(
    {
      'hosting-own.example.conf': `server {
        listen 80; server_name own.example www.own.example; root /srv/www/own_ab12/public;
        location ~ \\.php$ { fastcgi_pass unix:/run/hosting-fpm/own_ab12-8.2.sock; } }`,
    },
    {
      '/etc/hosting/fpm/own_ab12-8.2.conf': pool(
        'own_ab12',
        '/run/hosting-fpm/own_ab12-8.2.sock',
        2,
      ),
      '/var/lib/hosting-agent/sites/own.example.json': record('own.example'),
      '/var/lib/hosting-agent/sites/gone.example.json': record('gone.example'),
      ...wordpress('/srv/www/own_ab12/public', 'own_ab12'),
    },
  )

  expect(await discoverSites(host)).toMatchObject([
    { domain: 'own.example', user: 'own_ab12', php: '8.2', tier: 'large', tls: 'letsencrypt' },
  ])
})

test('recognises frameworks', async () => {
  const host = machine(
    {
      plain: 'server { server_name plain.example; root /var/www/plain; }',
      code: 'server { server_name code.example; root /var/www/code; location / { fastcgi_pass 127.0.0.1:9000; } }',
      empty: 'server { server_name empty.example; root /var/www/empty; }',
      proxy:
        'server { server_name proxy.example; location / { proxy_pass http://127.0.0.1:3000; } }',
    },
    {
      '/var/www/plain/index.html': '',
      '/var/www/code/index.php': '',
      '/etc/php/8.2/fpm/pool.d/www.conf': pool('www-data', '9000', 5),
    },
  )

  const sites = await discoverSites(host)

  expect(sites.map(({ domain, framework, php }) => [domain, framework, php])).toEqual([
    ['code.example', 'php', '8.2'],
    ['empty.example', 'unknown', ''],
    ['plain.example', 'static', ''],
    ['proxy.example', 'unknown', ''],
  ])
})

test.each([
  ['a default server', 'server { listen 80 default_server; server_name _; root /var/www; }'],
  ['one without a name', 'server { listen 80; root /var/www; }'],
  ['localhost', 'server { server_name localhost; root /var/www; }'],
  ['a wildcard', 'server { server_name *.a.example; root /var/www; }'],
  ['an expression', 'server { server_name ~^(.+)\\.a\\.example$; root /var/www; }'],
  ['a redirect', 'server { server_name a.example; root /x; return 301 https://b.example; }'],
  ['a redirect in a location', 'server { server_name a.example; location / { return 301 /x; } }'],
  ['one that serves nothing', 'server { server_name a.example; access_log off; }'],
  ['a broken file', 'server { server_name "a.example'],
])('lists no site for %s', async (_, text) => {
  expect(await discoverSites(machine({ default: text }))).toEqual([])
})

test.each([
  ['no certificate', '', 'none'],
  ['a self-signed one', selfSignedPem, 'self-signed'],
  ['one of an authority', authorityPem, 'other'],
  ['a file that holds none', 'rubbish', 'none'],
])('sees %s', async (_, pem, tls) => {
  const server = 'listen 443 ssl; server_name a.example; root /x; ssl_certificate /etc/ssl/a.pem;'
  const host = machine({ a: `server { ${server} }` }, { '/etc/ssl/a.pem': pem })

  expect(await discoverSites(host)).toMatchObject([{ domain: 'a.example', tls, ...NOTHING }])
})

test('uses the owner of the docroot, or the pool user if that is root', async () => {
  const php = 'location ~ php { fastcgi_pass unix:/run/p.sock; }'
  const host = machine(
    { a: `server { server_name a.example; root /var/www/a; ${php} }` },
    {
      '/var/www/a/index.php': '',
      '/etc/php/8.2/fpm/pool.d/a.conf': pool('shop', '/run/p.sock', 5),
      '/etc/passwd': `root:x:0:0::/:\nme:x:${globalThis.process.getuid?.() || 4242}:1::/:\n`,
    },
  )
  const own = globalThis.process.getuid?.() === 0 ? 'shop' : 'me'

  expect(await discoverSites(host)).toMatchObject([{ user: own, framework: 'php' }])
})

test('finds 50 WordPress sites and reads each file once', async () => {
  const servers: Record<string, string> = {}
  const files: Record<string, string> = { '/etc/nginx/snippets/all.conf': 'index index.php;' }
  for (let number = 0; number < 50; number++) {
    const docroot = `/srv/www/u${number}/public`
    servers[`s${number}`] = `server { server_name s${number}.example; root ${docroot};
      include snippets/all.conf; location ~ php { fastcgi_pass unix:/run/u${number}.sock; } }`
    files[`/etc/hosting/fpm/u${number}-8.2.conf`] = pool(`u${number}`, `/run/u${number}.sock`, 5)
    Object.assign(files, wordpress(docroot, `u${number}`), {
      [`${docroot}/wp-content/plugins/a/a.php`]: '<?php\n/* Plugin Name: A\nVersion: 1 */',
      [`${docroot}/wp-content/themes/t/style.css`]: '/*\nTheme Name: T\n*/',
    })
  }
  const host = machine(servers, files)
  const read: string[] = []
  const original = host.files.read
  host.files.read = (path, most) => {
    read.push(path)
    return original(path, most)
  }

  const sites = await discoverSites(host)

  expect(sites).toHaveLength(50)
  expect(read.length).toBeGreaterThan(50)
  expect(new Set(read).size).toBe(read.length)
}, 60_000)

test('lists the expiry of each served certificate by site name', async () => {
  const tls = (names: string, pem: string) =>
    `server { listen 443 ssl; server_name ${names}; root /x; ssl_certificate /etc/ssl/${pem}.pem; }`
  const host = machine(
    {
      one: tls('a.example www.a.example', 'a'),
      own: tls('www.own.example own.example', 'own'),
      broken: tls('broken.example', 'broken'),
      missing: tls('missing.example', 'missing'),
      plain: 'server { listen 80; server_name plain.example; root /x; }',
    },
    {
      '/etc/ssl/a.pem': selfSignedPem,
      '/etc/ssl/own.pem': authorityPem,
      '/etc/ssl/broken.pem': 'no certificate',
      '/var/lib/hosting-agent/sites/own.example.json': JSON.stringify({
        ...{ domain: 'own.example', php: '8.2', tier: 'large', tls: 'letsencrypt' },
        ...{ user: 'own_ab12', email: 'a@own.example' },
      }),
    },
  )
  expect(await servedCertificates(host)).toEqual([
    { domain: 'a.example', expires_at: '2126-10-27T11:43:51.000Z' },
    { domain: 'own.example', expires_at: '2126-10-27T11:43:51.000Z' },
  ])
})
