import { expect, test } from 'bun:test'
import { COMMANDS, type CommandName } from '#shared/commands.ts'
import { shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { carryOut, runnerOn } from '#tests/support/plan/carry-out.ts'
import { machine, withSite } from '#tests/support/plan/every-command.ts'

const domain = 'shop.example'
const email = 'ops@shop.example'
const FREEZING = { state: 'frozen', peers: ['10.0.0.2'], challenges: true, certificate: '' }

const done = (host: FakeHost, command: CommandName, params: object) =>
  carryOut(host, command, COMMANDS[command].params.parse(params) as never)

const planned = (host: FakeHost, command: CommandName, params: object) =>
  runnerOn(host).plan(command, COMMANDS[command].params.parse(params) as never)

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
