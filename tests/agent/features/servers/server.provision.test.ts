import { expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { serverProvision } from '#agent/features/servers/server.provision.ts'
import { planOf } from '#agent/kernel/operations/runner.ts'
import { installedPhp } from '#agent/kernel/packages/packages.ts'
import { contextOf, debian, outcome, server } from '#tests/support/agent/debian.ts'
import { eachFailure } from '#tests/support/agent/faults.ts'
import { isKilledAt } from '#tests/support/agent/killed.ts'
import { offerSource, sourceFiles, withApt } from '#tests/support/agent/php-repository.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'
import { isWhole, points } from '#tests/support/runs.ts'

const provision = (host: FakeHost, php_versions: string[] = [], php_source?: boolean) =>
  outcome(serverProvision.run({ php_versions, php_source }, contextOf(host)))

function bare(): FakeHost {
  const host = debian()
  void host.disk.remove('/var/lib/dpkg/status')
  host.answer('apt-cache pkgnames', 'php-common\nphp8.2-fpm\n')
  host.pages.set(host.settings.wp_cli_url, 'phar')
  return host
}

test('starts no program on a server that is ready', async () => {
  const host = await server()

  expect(await provision(host)).toEqual([
    ['The server is ready for sites'],
    { php_versions: ['8.2'] },
  ])
  expect(host.ran).toEqual([])
})

test('installs and configures the packages, and disables the default site of Debian', async () => {
  const host = bare()
  await host.disk.link('/etc/nginx/sites-available/default', '/etc/nginx/sites-enabled/default')
  await host.disk.write('/etc/php/8.2/fpm/pool.d/www.conf', '')

  const [lines] = await provision(host)

  expect(lines.slice(0, 2)).toEqual([
    'Closing the port of MariaDB',
    'Installing nginx, mariadb-server, mariadb-client, cron, logrotate, ca-certificates, php8.2-fpm, php8.2-cli, php8.2-mysql, php8.2-curl, php8.2-gd, php8.2-xml, php8.2-mbstring, php8.2-zip, php8.2-intl, php8.2-bcmath, php8.2-imagick, php8.2-soap',
  ])
  expect(lines.slice(2)).toEqual([
    'Configuring nginx',
    'Stopping the shared pool of PHP 8.2',
    'Denying sites the metadata addresses',
    'Preparing the sockets of sites',
    'Preparing the mail of sites',
    'Installing the program for logins',
    'Installing the program for debug logs',
    'Preparing the /etc of sites',
    'Configuring automatic restarts of services',
    'Downloading wp-cli',
    'Installing the recorder of jobs',
    'The server is ready for sites',
  ])
  expect(host.ran).toContain('systemctl disable --now php8.2-fpm.service')
  expect(await host.disk.stat('/etc/nginx/sites-enabled/default')).toBeUndefined()
  expect(await host.disk.stat('/etc/nginx/sites-enabled/hosting-default')).toBeDefined()
})

test('makes systemd start nginx, MariaDB and cron again, in files of its own', async () => {
  const host = bare()
  await host.disk.write('/etc/systemd/system/nginx.service.d/override.conf', '[Service]\n')

  await provision(host)

  const written = Object.entries(host.disk.all).filter(([path]) => path.includes('.service.d/'))
  expect(written.map(([path]) => path).sort()).toEqual([
    '/etc/systemd/system/cron.service.d/hosting.conf',
    '/etc/systemd/system/mariadb.service.d/hosting.conf',
    '/etc/systemd/system/nginx.service.d/hosting.conf',
    '/etc/systemd/system/nginx.service.d/override.conf',
  ])
  const nginx = host.disk.all['/etc/systemd/system/nginx.service.d/hosting.conf']
  expect(nginx).toContain('StartLimitBurst=10\n\n[Service]\nRestart=on-failure\nRestartSec=1\n')
})

test('leaves directives out that a drop-in of an administrator has, not those of a draft', async () => {
  const host = bare()
  const folder = '/etc/systemd/system/nginx.service.d'
  await host.disk.write(`${folder}/override.conf`, '[Service]\nRestartSec=9\n')
  for (const name of ['.0123456789ab.tmp', 'hosting.conf~', '.hidden.conf'])
    await host.disk.write(`${folder}/${name}`, '[Service]\nRestart=no\nLimitNOFILE=1\n')

  await provision(host)

  const nginx = host.disk.all[`${folder}/hosting.conf`]
  expect(nginx).toEndWith('[Service]\nRestart=on-failure\nOOMPolicy=continue\nLimitNOFILE=65536\n')
})

test('keeps defaults that an administrator has changed', async () => {
  const host = bare()
  await host.disk.link('/etc/nginx/sites-available/default', '/etc/nginx/sites-enabled/default')
  await host.disk.write('/etc/php/8.2/fpm/pool.d/www.conf', '')
  await host.disk.write('/etc/php/8.2/fpm/pool.d/intranet.conf', '')
  host.answer('dpkg --verify', '??5??????  c /etc/nginx/sites-available/default\n')
  host.answer(
    'nginx -T',
    '# configuration file /etc/nginx/nginx.conf:\nserver { listen 80 default_server; listen 443; }\n',
  )

  await provision(host)

  expect(await host.disk.stat('/etc/nginx/sites-enabled/default')).toBeDefined()
  expect(await host.disk.stat('/etc/nginx/sites-enabled/hosting-default')).toBeUndefined()
  expect(host.ran.filter((line) => line.startsWith('systemctl disable'))).toEqual([])
})

test('limits the rate of new connections where nftables is installed, once', async () => {
  const host = await server()
  await host.disk.write('/usr/sbin/nft', '')

  const [lines] = await provision(host)

  expect(lines).toEqual(['Limiting the rate of new connections', 'The server is ready for sites'])
  expect(host.ran).toEqual([
    'systemctl daemon-reload',
    'systemctl enable --quiet hosting-connections.service',
    'systemctl restart hosting-connections.service',
  ])
  const again = await provision(host)
  expect(again[0]).toEqual(['The server is ready for sites'])
})

const NETWORK = '/etc/mysql/mariadb.conf.d/90-hosting.cnf'

test.each([
  ['12', ['client', 'mysql-clients', 'mysqld_safe', 'server']],
  ['13', ['client', 'mariadb-clients', 'mysqld_safe', 'server']],
] as const)('closes the port of a MariaDB of Debian %s that nobody uses', async (_, names) => {
  const host = debian()
  host.pages.set(host.settings.wp_cli_url, 'phar')
  const files = [...names.map((name) => `50-${name}`), '60-galera', 'provider_lz4']
  for (const name of files) await host.disk.write(`/etc/mysql/mariadb.conf.d/${name}.cnf`, '')

  const [lines] = await provision(host)

  expect(lines[0]).toBe('Closing the port of MariaDB')
  expect(host.disk.all[NETWORK]).toEndWith('\n[mariadbd]\nskip-networking\n')
  expect(host.ran).toContain('systemctl restart mariadb.service')
})

test.each([
  ['a database of somebody', '/var/lib/mysql/shop/db.opt', ''],
  ['a setting of somebody', '/etc/mysql/mariadb.conf.d/60-ours.cnf', '[mariadbd]\n'],
  [
    'an address of somebody',
    '/etc/mysql/mariadb.conf.d/50-server.cnf',
    '[mysqld]\nbind-address = 10.0.0.1\n',
  ],
])('a MariaDB with %s keeps its port', async (_, path, text) => {
  const host = debian()
  host.pages.set(host.settings.wp_cli_url, 'phar')
  await host.disk.write(path, text)

  const [lines] = await provision(host)

  expect(lines).not.toContain('Closing the port of MariaDB')
  expect(host.disk.all[NETWORK]).toBeUndefined()
})

test('a MariaDB on a server with sites of somebody keeps its port', async () => {
  const host = debian()
  host.pages.set(host.settings.wp_cli_url, 'phar')
  host.answer(
    'nginx -T',
    '# configuration file /etc/nginx/sites-enabled/theirs:\nserver { listen 80; server_name a.example; }\n',
  )

  const [lines] = await provision(host)

  expect(lines).not.toContain('Closing the port of MariaDB')
  expect(host.ran).not.toContain('systemctl restart mariadb.service')
})

const MAIN_FILE = '/etc/nginx/nginx.conf'
const mainFile = (connections: number) => `events {
	worker_connections ${connections};
	# multi_accept on;
}
`

test('gives nginx enough connections instead of those of Debian', async () => {
  const host = bare()
  await host.disk.write(MAIN_FILE, mainFile(768))
  const { steps } = await planOf((await serverProvision.plan?.({ php_versions: [] }, host)) ?? [])

  await provision(host)

  const planned = steps.flatMap(({ effects }) => effects)
  expect(planned).toContainEqual({ action: 'change', kind: 'file', name: MAIN_FILE })
  expect(host.disk.all[MAIN_FILE]).toBe(mainFile(8192))
})

test.each([
  ['that somebody has chosen', mainFile(1024), ''],
  [
    'of a server with foreign virtual hosts',
    mainFile(768),
    '# configuration file /etc/nginx/conf.d/a.conf:\nserver { listen 80; server_name a.example; }\n',
  ],
])('keeps the connections %s', async (_, text, served) => {
  const host = bare()
  await host.disk.write(MAIN_FILE, text)
  host.answer('nginx -T', served)
  const { steps } = await planOf((await serverProvision.plan?.({ php_versions: [] }, host)) ?? [])

  await provision(host)

  const planned = steps.flatMap(({ effects }) => effects)
  expect(planned.filter(({ name }) => name === MAIN_FILE)).toEqual([])
  expect(host.disk.all[MAIN_FILE]).toBe(text)
})

test('restores the connections when nginx refuses its configuration', async () => {
  const host = bare()
  await host.disk.write(MAIN_FILE, mainFile(768))
  host.fail('nginx -t', 'emerg')

  const [, message] = await provision(host)

  expect(message).toBe('nginx refuses its configuration: emerg')
  expect(host.disk.all[MAIN_FILE]).toBe(mainFile(768))
})

test('removes its files when nginx refuses them', async () => {
  const host = bare()
  await host.disk.link('/etc/nginx/sites-available/default', '/etc/nginx/sites-enabled/default')
  host.fail('nginx -t', 'emerg')

  const [, message] = await provision(host)

  expect(message).toBe('nginx refuses its configuration: emerg')
  const left = Object.keys(host.disk.all).filter((path) => path.startsWith('/etc/nginx/'))
  expect(left).toEqual(['/etc/nginx/sites-enabled/default'])
})

test('lists the available PHP versions when another one is requested', async () => {
  const host = await server()
  host.answer('apt-cache pkgnames', 'php8.2-fpm\nphp8.3-fpm\n')

  const refusal = serverProvision.run({ php_versions: ['7.4'] }, contextOf(host)).next()

  await expect(refusal).rejects.toMatchObject({
    fields: { php_versions: ['PHP 7.4 is not available on this server (8.2, 8.3 is)'] },
  })
})

test.each([
  ['7.4', true],
  ['8.3', false],
  ['8.2', false],
])('adds the PHP repository for PHP %s: %p', async (php, isAdded) => {
  const host = bare()
  host.answer('apt-cache pkgnames', 'php8.2-fpm\nphp8.3-fpm\n')

  const steps = await serverProvision.plan?.({ php_versions: [php], php_source: true }, host)

  expect(steps?.some(({ name }) => name === 'php source')).toBe(isAdded)
})

test('refuses an unknown distribution', async () => {
  const host = debian()
  await host.disk.write(
    '/etc/os-release',
    'PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n',
  )

  expect(await provision(host)).toEqual([
    [],
    'This server runs Ubuntu 24.04 LTS: use Debian 12 or Debian 13',
  ])
})

test('names the port that another web server uses', async () => {
  const host = await server()
  await host.disk.remove('/run/nginx.pid')
  await host.disk.write(
    '/proc/1/net/tcp6',
    '  sl  local_address\n   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0\n',
  )

  const [, message] = await provision(host)

  expect(message).toBe(
    'Port 80 is in use by another program, and nginx needs it: move its sites to another server or to another port first, since they go offline when it stops',
  )
})

const PARAMS = { php_versions: ['8.2', '8.3'], php_source: true }

const addPhp = (host: FakeHost) => outcome(serverProvision.run(PARAMS, contextOf(host)))
const make = async () => withApt(offerSource(await server()))
const stateOf = async (host: FakeHost) => [await installedPhp(host), sourceFiles(host)]

async function added() {
  const host = await make()
  expect((await addPhp(host))[1]).toEqual({ php_versions: ['8.2', '8.3'] })
  expect(sourceFiles(host)).toHaveLength(4)
  return stateOf(host)
}

test('the repository is added with its PHP or not at all, whichever effect fails', async () => {
  const whole = await added()

  const failed = await eachFailure(make, addPhp, async (host, fault) => {
    const [versions, files] = await stateOf(host)
    // Packages that apt has installed stay, and their repository does then.
    const expected = versions?.includes('8.3') ? whole : [['8.2'], []]
    expect([fault, versions, files]).toEqual([fault, ...expected])
    expect([fault, (await addPhp(host))[1]]).toEqual([fault, expect.any(Object)])
    expect([fault, await stateOf(host)]).toEqual([fault, whole])
  })

  if (isWhole) expect(failed).toBeGreaterThan(0)
})

test.each([
  ['is reachable', async () => undefined],
  ['is gone', async (host: FakeHost) => void host.pages.delete(host.settings.php_source.key_url)],
])(
  'a kill at any effect is completed by the next process if the repository %s',
  async (_, gone) => {
    const whole = await added()
    for (const at of points()) {
      const host = await make()
      if (!(await isKilledAt(at, host, 'server.provision', PARAMS))) break
      await gone(host)
      await recover(host, commands)

      const found = await stateOf(host)
      const isWhole = found[0]?.includes('8.3')
      expect([at, ...found]).toEqual([at, ...(isWhole ? whole : [['8.2'], []])])
    }
  },
)
