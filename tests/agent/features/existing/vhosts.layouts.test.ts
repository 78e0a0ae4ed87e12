import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listServed, type Vhost } from '#agent/features/existing/vhosts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import {
  type Expected,
  type LayoutOnDisk,
  readLayouts,
  SETUP,
} from '#tests/support/system/layouts/layout.ts'

const NGINX = 'nginx: master process /usr/sbin/nginx'
const LINES: Record<LayoutOnDisk['stage'], string[]> = {
  nginx: [NGINX],
  apache: ['/usr/sbin/apache2 -k start', NGINX],
  caddy: [],
  openlitespeed: ['openlitespeed (lshttpd - main)'],
  files: [],
}
const MODULES = ['ssl', 'rewrite', 'proxy', 'proxy_fcgi', 'proxy_http', 'vhost_alias', 'suexec']
/** The parts of Debian's main files that decide where sites are. */
const MAIN = {
  '/etc/nginx/nginx.conf':
    'http { include /etc/nginx/conf.d/*.conf; include /etc/nginx/sites-enabled/*; }',
  '/etc/nginx/fastcgi_params': '',
  '/etc/nginx/fastcgi.conf': '',
  '/etc/nginx/proxy_params': '',
  '/etc/nginx/mime.types': '',
  '/etc/nginx/snippets/fastcgi-php.conf': '',
  '/etc/apache2/apache2.conf': `ServerRoot "/etc/apache2"
${MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
Include ports.conf
IncludeOptional conf-enabled/*.conf
IncludeOptional sites-enabled/*.conf`,
  '/etc/apache2/ports.conf': 'Listen 80',
}
/** Caddy translates its file itself. */
const LAYOUTS = readLayouts().filter(
  ({ stage, broken }) => LINES[stage].length > 0 && broken === undefined,
)

async function servedIn(
  { folder, stage, contents, addresses, programs = [] }: LayoutOnDisk,
  changed = (text: string) => text,
) {
  const host = fakeHost()
  for (const [path, text] of Object.entries(MAIN)) await host.disk.write(path, text)
  for (const path of Object.keys(contents)) await host.disk.write(`${path}/index.html`, '')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || entry.name === SETUP) continue
    await host.disk.write(path.slice(folder.length), changed(readFileSync(path, 'utf8')))
  }
  const local = ['127.0.0.1', ...addresses].map((each) => `|-- ${each}\n   /32 host LOCAL\n`)
  await host.disk.write('/proc/1/net/fib_trie', local.join(''))
  const own = programs.filter(([program]) => program === 'nginx')
  const lines = own.map((argv) => `nginx: master process /usr/sbin/${argv.join(' ')}`)
  return await listServed(
    host,
    (lines.length > 0 ? lines : LINES[stage]).map((line, pid) => ({ pid, root: true, line })),
  )
}

test.each(LAYOUTS.map((layout) => [layout.name, layout] as const))(
  'the configuration of the layout %s has its sites',
  async (_, layout) => {
    const found = await servedIn(layout)
    const shown = (site: Pick<Expected, 'domain' | 'names' | 'docroot'> | Vhost) =>
      `${site.domain || '-'} ${[...site.names].sort().join(',')} ${site.docroot ?? ''}`
    expect(found.map(shown).sort()).toEqual(layout.sites.map(shown).sort())
  },
)

const PLESK = LAYOUTS.find(({ name }) => name === 'plesk-nginx-and-apache')

test.each([
  [
    'a plain proxy',
    'location / { proxy_pass "https://10.99.0.41:7081"; proxy_set_header Host $host; }',
  ],
  ['a proxy of its loopback', 'location / { proxy_pass https://127.0.0.1:7081; }'],
  [
    'a proxy with static files of its own',
    `location / { proxy_pass https://127.0.0.1:7081; proxy_hide_header upgrade; }
  location @fallback { proxy_pass https://127.0.0.1:7081; }
  location ~ ^/(.*\\.(ac3|avi|bmp|bz2|css|cue|dat|doc|docx|dts|eot|exe|flv|gif|gz|htm|html|ico|img|iso|jpeg|jpg|js|mkv|mp3|mp4|mpeg|mpg|ogg|pdf|png|ppt|pptx|qt|rar|rm|svg|swf|tar|tgz|ttf|txt|wav|woff|woff2|xls|xlsx|zip))$ {
    try_files $uri @fallback;
  }
  location ~ ^/~(.+?)(/.*?)?(?:\\.php)?(/.*)?$ { alias /var/www/vhosts/plesk.example/web_users/$1/$2; }`,
  ],
  [
    'PHP of its own',
    `location / { index "index.html" "index.php"; try_files $uri $uri/ /index.php$is_args$args; }
  location ~ \\.php(/.*)?$ {
    fastcgi_read_timeout 60;
    fastcgi_split_path_info ^((?U).+\\.php)(/?.*)$;
    fastcgi_param PATH_INFO $fastcgi_path_info;
    fastcgi_pass "unix:///var/www/vhosts/system/plesk.example/php-fpm.sock";
    include /etc/nginx/fastcgi.conf;
  }`,
  ],
])('Plesk: nginx before Apache with %s', async (_, body) => {
  const [site] = PLESK?.sites ?? []
  if (!PLESK || !site) throw new Error('There is no layout of Plesk')
  const { domain, names, docroot = '' } = site

  const found = await servedIn(PLESK, (text) =>
    text
      .replace('<VirtualHost 10.99.0.41:7081 >', '<VirtualHost 10.99.0.41:7081 127.0.0.1:7081>')
      .replace(/location \/ \{\s+proxy_pass[^}]*\}/, () => body),
  )

  const shown = found
    .filter((one) => one.domain === domain)
    .map((one) => [one.names, one.docroot, one.php.address, one.unknown])
  const socket = `/var/www/vhosts/system/${domain}/php-fpm.sock`
  expect<unknown>(shown).toEqual([[names, docroot, socket, {}]])
})
