import { expect, test } from 'bun:test'
import { COMMANDS, type CommandName } from '#shared/commands.ts'
import { Plan } from '#shared/plan.ts'
import { debian, shop } from '#tests/support/agent/debian.ts'
import { EVERYDAY, MORE } from '#tests/support/agent/everyday.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { selfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { carryOut, runnerOn } from '#tests/support/plan/carry-out.ts'
import { deviations } from '#tests/support/plan/deviations.ts'
import { emptying, lifelike, thingsOf } from '#tests/support/plan/fake-things.ts'

const domain = 'shop.example'
const email = 'ops@shop.example'
const FREEZING = { state: 'frozen', peers: ['10.0.0.2'], challenges: true, certificate: '' }
const WORDPRESS = '/var/lib/hosting-agent/cache/wordpress'

/** Debian with its packages, where WordPress and wp-cli can be had, and which answers for its site. */
async function machine(): Promise<FakeHost> {
  const host = lifelike(debian())
  const { wordpress_url, wp_cli_url } = host.settings
  const kept = { version: '7.1.1', digest: '0'.repeat(40), at: host.time }
  await host.disk.write(`${WORDPRESS}/7.1.1/index.php`, '')
  await host.disk.write(`${WORDPRESS}/latest.json`, JSON.stringify(kept))
  await host.disk.mkdir('/etc/apt/apt.conf.d')
  host.pages.set(`${wordpress_url}/latest.tar.gz.sha1`, kept.digest)
  host.pages.set(wp_cli_url, 'phar')
  host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
  host.pages.set(`https://${domain}/`, 'front page')
  host.answer('openssl req', selfSignedPem)
  host.answer('apt-cache pkgnames', 'php8.2-fpm\nphp8.4-fpm\n')
  return host
}

async function withSite(tls: 'none' | 'self-signed' = 'none'): Promise<FakeHost> {
  const host = await machine()
  await done(host, 'site.create', { ...shop, tls })
  await host.disk.write('/var/cache/hosting/shop/page', '')
  host.answer('openssl req', `${selfSignedPem}\n`)
  return host
}

async function trashed(tls: 'none' | 'self-signed' = 'none'): Promise<FakeHost> {
  const host = await withSite(tls)
  await done(host, 'site.delete', { domain })
  return host
}

async function bare(): Promise<FakeHost> {
  const host = await machine()
  for (const path of ['/var/lib/dpkg/status', '/run/nginx.pid', '/run/mysqld/mysqld.pid'])
    await host.disk.remove(path)
  await host.disk.write('/etc/php/8.2/fpm/pool.d/www.conf', '')
  return host
}

async function stale(): Promise<FakeHost> {
  const host = await machine()
  host.time += 2 * 3_600_000
  return host
}

const done = (host: FakeHost, command: CommandName, params: object) =>
  carryOut(host, command, COMMANDS[command].params.parse(params) as never)

const planned = (host: FakeHost, command: CommandName, params: object) =>
  runnerOn(host).plan(command, COMMANDS[command].params.parse(params) as never)

test.each([
  ['server.provision', {}, bare],
  ['server.provision', {}, machine],
  ['site.create', shop, machine],
  ['site.create', { ...shop, tls: 'self-signed' }, machine],
  ['site.create', shop, bare],
  ['site.create', shop, stale],
  ['site.update', { domain, tier: 'medium' }, withSite],
  ['site.update', { domain, php: '8.4' }, withSite],
  ['site.update', { domain, tier: 'small' }, withSite],
  ['pool.apply', { user: 'shop', php_version: '8.2', tier: 'large' }, withSite],
  ['tls.issue', { domain, tls: 'self-signed', email }, withSite],
  ['tls.issue', { domain, tls: 'self-signed', email }, () => withSite('self-signed')],
  ['tls.issue', { domain, tls: 'none', email }, () => withSite('self-signed')],
  ['tls.issue', { domain, tls: 'none', email }, withSite],
  ['cache.purge', { domain }, withSite],
  ['service.restart', { service: 'php-fpm:shop' }, withSite],
  ['server.update', { scope: 'security', restart_database: false }, withSite],
  ['updates.configure', { unattended: true }, machine],
  ['site.delete', { domain }, () => withSite('self-signed')],
  ['site.restore', { domain }, trashed],
  ['site.restore', { domain }, () => trashed('self-signed')],
  ['site.purge', { domain, confirm: domain, trashed_days: 0 }, () => trashed('self-signed')],
] as const)('%s %j does exactly what its plan says', async (command, params, start) => {
  const host = await start()
  const before = await thingsOf(host)

  const plan = await planned(host, command, params)

  expect(Plan.parse(plan)).toEqual(plan)
  expect(await thingsOf(host)).toEqual(before)
  expect(await done(host, command, params)).toEqual(plan.steps.map(({ name }) => name))
  expect(deviations(plan, before, await thingsOf(host))).toEqual([])
})

test('a plan stores nothing, changes nothing and runs only reading programs', async () => {
  const host = await machine()
  await done(host, 'server.provision', {})
  host.queries.length = 0
  host.disk.guard = (action) => {
    throw new Error(`the plan would ${action}`)
  }
  host.runs.length = 0

  await planned(host, 'site.create', { ...shop, tls: 'letsencrypt' })

  expect(host.ran.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'getent passwd',
    'getent group',
    'systemctl list-unit-files',
    'systemctl show',
    'nginx -T',
    'nginx -T',
    'nginx -v',
    'nginx -T',
    'nginx -T',
    'nginx -v',
    'nginx -T',
    'nginx -v',
  ])
  expect(host.queries.filter((sql) => !sql.startsWith('SELECT '))).toEqual([])
})

test.each([
  ['site.create', shop, { fields: { domain: [expect.stringContaining('Already taken')] } }],
  ['site.create', { ...shop, domain: 'b.example' }, { fields: { user: expect.anything() } }],
  ['site.create', { ...shop, php: '7.4', user: 'b', domain: 'b.example' }, { code: 'invalid' }],
  ['site.update', { domain: 'b.example', tier: 'large' }, { code: 'not_found' }],
  ['site.update', { domain, php: '7.4' }, { fields: { php: expect.anything() } }],
  ['site.delete', { domain: 'b.example' }, { code: 'not_found' }],
  ['site.restore', { domain: 'b.example' }, { code: 'not_found' }],
  ['site.restore', { domain }, { code: 'conflict' }],
  ['site.purge', { domain, confirm: domain, trashed_days: 0 }, { code: 'conflict' }],
  ['pool.apply', { user: 'unknown', php_version: '8.2', tier: 'small' }, { code: 'not_found' }],
  ['tls.issue', { domain: 'b.example', tls: 'none', email }, { code: 'not_found' }],
  ['cache.purge', { domain: 'b.example' }, { code: 'not_found' }],
  ['service.restart', { service: 'php-fpm:nobody' }, { code: 'not_found' }],
  ['server.provision', { php_versions: ['7.4'] }, { fields: { php_versions: expect.anything() } }],
  ['wp.scan', { domain: 'b.example' }, { code: 'not_found', message: 'Site b.example not found' }],
  ['site.resume', { domain: 'b.example' }, { code: 'not_found' }],
  ['site.switch', { ...FREEZING, domain: 'b.example' }, { code: 'not_found' }],
] as const)('%s %j and its plan are refused alike', async (command, params, refusal) => {
  const host = await withSite()

  await expect(planned(host, command, params)).rejects.toMatchObject(refusal)
  await expect(done(host, command, params)).rejects.toMatchObject(refusal)
})

test('refuses an operation that does not fit on the disk as a whole', async () => {
  const host = await machine()
  host.disk.room.free = 400 * 2 ** 20

  await expect(planned(host, 'site.create', shop)).rejects.toThrow('Only 400 MB are free')
})

test('an operation without changes has an empty plan', async () => {
  const host = await withSite()
  const text = `server { server_name ${domain}; root /srv/www/shop/public; }`
  host.answer('nginx -T', `# configuration file /etc/nginx/sites-enabled/shop:\n${text}\n`)

  expect(await planned(host, 'wp.scan', { domain })).toEqual({ steps: [] })
})

test.each([...EVERYDAY, ...MORE])(
  '$command ($title) does exactly what its plan says',
  async (each) => {
    const host = emptying(await each.make())
    host.time += 1000
    const before = await thingsOf(host)

    const plan = await runnerOn(host).plan(each.command, each.params)

    expect(Plan.parse(plan)).toEqual(plan)
    expect(await thingsOf(host)).toEqual(before)
    expect(await carryOut(host, each.command, each.params)).toEqual(
      plan.steps.map(({ name }) => name),
    )
    expect(deviations(plan, before, await thingsOf(host))).toEqual([])
  },
)
