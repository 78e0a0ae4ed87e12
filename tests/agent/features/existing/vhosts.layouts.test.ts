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

async function servedIn({ folder, stage, contents, addresses, programs = [] }: LayoutOnDisk) {
  const host = fakeHost()
  for (const [path, text] of Object.entries(MAIN)) await host.disk.write(path, text)
  for (const path of Object.keys(contents)) await host.disk.write(`${path}/index.html`, '')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || entry.name === SETUP) continue
    await host.disk.write(path.slice(folder.length), readFileSync(path, 'utf8'))
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
