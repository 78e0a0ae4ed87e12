import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Host } from '#tests/support/lab/index.ts'
import { type Content, type LayoutOnDisk, SETUP } from './layout.ts'

const CONFIGURED = [
  '/etc/nginx',
  '/etc/apache2',
  '/etc/php',
  '/etc/caddy',
  '/etc/passwd',
  '/etc/group',
]
const POOLS = '/etc/php/8.2/fpm/pool.d'
export const MARKER = 'layout-marker'

/** Each folder's answer to a visitor, and a script's report on its PHP. */
const SCRIPT = `<?php
$user = posix_getpwuid(posix_geteuid())['name'];
echo json_encode([__DIR__, PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, $user]);
`

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Before the first stage: WordPress, certificates, and a copy of the configuration to go back to. */
export async function prepare(host: Host): Promise<void> {
  await bash(host, [
    'mkdir -p /srv/base /root/before /srv/certificates',
    'tar -xzf /srv/mirror/latest.tar.gz -C /srv/base',
    'rm /etc/nginx/sites-enabled/default /etc/apache2/sites-enabled/000-default.conf',
    ...CONFIGURED.map((path) => `cp -a ${path} /root/before/`),
    ...certificates(),
    'systemctl disable --now nginx apache2 caddy mariadb 2>/dev/null || true',
  ])
}

function certificates(): string[] {
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3000'
  const signed = (name: string, issuer: string) => [
    `openssl req -x509 ${key} -subj ${quoted(issuer)} -keyout ${name}.ca.key -out ${name}.ca`,
    `openssl req ${key} -subj /CN=site.example -keyout ${name}.key -out ${name}.csr`,
    `openssl x509 -req -in ${name}.csr -CA ${name}.ca -CAkey ${name}.ca.key -days 3000 -out ${name}.pem`,
  ]
  return [
    'cd /srv/certificates',
    'exec 2>/srv/certificates/log',
    ...signed('letsencrypt', "/C=US/O=Let's Encrypt/CN=R11"),
    ...signed('other', '/C=GB/O=Sectigo Limited/CN=Sectigo RSA Domain Validation'),
    `openssl req -x509 ${key} -subj /CN=site.example -keyout self-signed.key -out self-signed.pem`,
    'echo nothing > broken.pem; cp self-signed.key broken.key',
    'exec 2>&1; cd /',
  ]
}

/** Puts the layouts of a stage on the server, all of them at once. */
export async function build(host: Host, layouts: readonly LayoutOnDisk[]): Promise<void> {
  const lines: string[] = []
  for (const layout of layouts) {
    copyFiles(host, layout)
    lines.push(`: layout ${layout.name}`)
    for (const user of layout.users)
      lines.push(`id -u ${user} >/dev/null 2>&1 || useradd --create-home ${user}`)
    for (const [path, kind] of Object.entries(layout.certificates)) {
      lines.push(`install -D /srv/certificates/${kind}.pem ${quoted(path)}`)
      const key = path
        .replace(/(fullchain|cert)\.pem$/, 'privkey.pem')
        .replace(/\.(crt|pem)$/, '.key')
      lines.push(
        `install -D /srv/certificates/${kind}.key ${quoted(key.replace('privkey.key', 'privkey.pem'))}`,
      )
    }
    for (const [path, content] of Object.entries(layout.contents))
      lines.push(...contentLines(path, content))
    for (const [path, target] of Object.entries(layout.links)) {
      lines.push(`mkdir -p ${quoted(dirname(path))}; ln -sfn ${quoted(target)} ${quoted(path)}`)
      lines.push(`chown -h --reference=${quoted(dirname(path))} ${quoted(path)}`)
    }
    for (const address of layout.addresses.filter((each) => !each.includes(':')))
      lines.push(`ip address add ${address}/32 dev lo 2>/dev/null || true`)
  }
  await bash(host, lines)
}

/** Configuration only: the folders beside layout.json are the server's. */
function copyFiles(host: Host, { folder, pools }: LayoutOnDisk): void {
  for (const name of readdirSync(folder)) {
    if (name !== SETUP) {
      cpSync(join(folder, name), join(host.root, name), { recursive: true, verbatimSymlinks: true })
    }
  }
  for (const user of pools) writeFileSync(`${host.root}${POOLS}/${user}.conf`, poolOf(user))
}

const poolOf = (user: string) => `[${user}]
user = ${user}
group = ${user}
listen = /run/php/${user}.sock
listen.owner = www-data
listen.group = www-data
pm = ondemand
pm.max_children = 5
`

function contentLines(path: string, { is, owner, database, config }: Content): string[] {
  const folder = quoted(path)
  const lines = [
    `mkdir -p ${folder}/${MARKER}`,
    `printf %s ${folder} > ${folder}/${MARKER}/index.txt`,
    `cp /srv/base/marker.php ${folder}/${MARKER}/marker.php`,
  ]
  if (is === 'php')
    lines.push(`[ -e ${folder}/index.php ] || echo '<?php echo 1;' > ${folder}/index.php`)
  if (is === 'static') lines.push(`echo static > ${folder}/index.html`)
  if (is === 'wordpress') lines.push(...wordpressLines(path, database, config))
  lines.push(`chown -R ${owner}:${owner} ${folder}`)
  if (config) lines.push(`chown ${owner}:${owner} ${quoted(config)}`)
  if (is === 'wordpress') lines.push(...mountLines(path))
  return lines
}

function wordpressLines(path: string, database: string | null, config?: string): string[] {
  const folder = quoted(path)
  const place = quoted(config ?? `${path}/wp-config.php`)
  return [
    `for file in /srv/base/wordpress/*.php; do [ -e ${folder}/"\${file##*/}" ] || cp "$file" ${folder}; done`,
    `rm -f ${folder}/wp-config-sample.php`,
    `mkdir -p ${folder}/wp-includes ${folder}/wp-admin ${folder}/wp-content/plugins ${folder}/wp-content/themes/one`,
    `[ -e ${folder}/wp-content/index.php ] || cp -a /srv/base/wordpress/wp-content/plugins/hello.php ${folder}/wp-content/plugins/`,
    `printf '/*\\nTheme Name: One\\nVersion: 1.0\\n*/' > ${folder}/wp-content/themes/one/style.css`,
    ...(database === null
      ? []
      : [
          `mkdir -p $(dirname ${place}); sed 's/@DATABASE@/${database}/' /srv/base/wp-config.php > ${place}`,
        ]),
  ]
}

/** All copies share the files of one WordPress. */
function mountLines(path: string): string[] {
  return ['wp-includes', 'wp-admin'].map(
    (name) => `mount --bind /srv/base/wordpress/${name} ${quoted(`${path}/${name}`)}`,
  )
}

export async function putBase(host: Host): Promise<void> {
  await host.put('/srv/base/marker.php', SCRIPT)
  await host.put(
    '/srv/base/wp-config.php',
    `<?php
define('DB_NAME', '@DATABASE@');
define('DB_USER', '@DATABASE@');
define('DB_PASSWORD', 'secret of @DATABASE@');
define('DB_HOST', 'localhost');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {
  define('ABSPATH', __DIR__ . '/');
}
require_once ABSPATH . 'wp-settings.php';
`,
  )
}

/** Takes a stage off the server again. */
export async function clear(host: Host, layouts: readonly LayoutOnDisk[]): Promise<void> {
  const folders = layouts.flatMap(({ contents }) => Object.entries(contents))
  const mounts = folders.filter(([, { is }]) => is === 'wordpress').map(([path]) => path)
  const copied = layouts.flatMap(({ folder }) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && entry.name !== SETUP)
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length)),
  )
  await bash(host, [
    ...mounts.flatMap((path) => [
      `umount ${quoted(`${path}/wp-includes`)} ${quoted(`${path}/wp-admin`)}`,
    ]),
    ...folders.map(([path]) => `rm -rf --one-file-system ${quoted(path)}`),
    ...layouts.flatMap(({ links }) => Object.keys(links)).map((path) => `rm -f ${quoted(path)}`),
    ...layouts
      .flatMap(({ users }) => users)
      .map((user) => `rm -rf --one-file-system /home/${user}`),
    ...copied.map((path) => `rm -f ${quoted(path)}`),
    ...CONFIGURED.map(
      (path) => `rm -rf ${path}; cp -a /root/before/${path.split('/').at(-1)} ${path}`,
    ),
  ])
}

export async function bash(host: Host, lines: readonly string[]): Promise<string> {
  return host.must(['bash', '-eu', '-o', 'pipefail'], {
    input: `${lines.join('\n')}\n`,
    timeout_ms: 180_000,
  })
}
