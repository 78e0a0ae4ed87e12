import { expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import { packagesOf } from '#agent/kernel/packages/packages.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, installed, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'

const POOL = '/etc/hosting/fpm/shop-php8.2.d/pool.conf'
const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const RECORD = '/var/lib/hosting-agent/sites/shop.example.json'

const update = (host: FakeHost, change: Omit<ParamsOf<'site.update'>, 'domain'> = {}) =>
  outcome(siteUpdate.run({ domain: 'shop.example', ...change }, contextOf(host)))

test('warns of a site that waits for its certificate', async () => {
  const host = await server(shop)
  await writeSite(host, { ...shop, tls: 'letsencrypt' })
  const warnings: Warning[] = []
  const params = { domain: shop.domain, tier: 'medium' } as const

  const [lines, result] = await outcome(siteUpdate.run(params, contextOf(host, warnings)))

  const message = 'shop.example has no certificate and is served without HTTPS: issue it again'
  expect(result).toMatchObject(params)
  expect(lines).toContain(`Warning: ${message}`)
  expect(warnings).toEqual([{ code: 'certificate_missing', message }])
})

async function withPhp84(): Promise<FakeHost> {
  const host = await server(shop)
  const status = (await host.disk.read('/var/lib/dpkg/status')) ?? ''
  const more = installed(packagesOf('8.4'))
  await host.disk.write('/var/lib/dpkg/status', `${status}\n${more}`)
  return host
}

test('applies a tier to pool, slice, virtual host and record without dropping a request', async () => {
  const host = await server(shop)

  const [, result] = await update(host, { tier: 'medium' })

  expect(result).toEqual({
    ...{ domain: 'shop.example', php: '8.2', tier: 'medium' },
    ...{ database_routines: false, xmlrpc: true },
  })
  expect(host.disk.all[POOL]).toContain('pm.max_children = 10')
  expect(host.disk.all['/etc/systemd/system/hosting-shop.slice']).toContain('MemoryMax=1280M')
  expect(host.disk.all[VHOST]).toContain('client_max_body_size 65m')
  expect(host.disk.all[RECORD]).toContain('"tier": "medium"')
  expect(host.ran.slice(0, 4)).toEqual([
    '/usr/local/bin/hosting-agent pages',
    `/usr/sbin/php-fpm8.2 --test --fpm-config ${POOL}`,
    'systemctl daemon-reload',
    'systemctl reload hosting-fpm@shop-php8.2.service',
  ])
})

test.each(['/usr/sbin/php-fpm8.2 --test', 'nginx -t'])(
  'restores everything when %s refuses',
  async (program) => {
    const host = await server(shop)
    const before = host.disk.all
    let asked = 0
    const attempt = host.shell.try
    host.shell.try = async (argv, options) => {
      if (argv.join(' ').startsWith(program) && asked++ === 0) {
        return { code: 1, stdout: '', stderr: 'refused' }
      }
      return attempt(argv, options)
    }

    const [, message] = await update(host, { tier: 'medium' })

    expect(message).toContain('refused')
    expect(host.disk.all).toEqual(before)
  },
)

test('starts the new PHP version first and removes the old one last', async () => {
  const host = await withPhp84()

  const [lines, result] = await update(host, { php: '8.4' })

  expect(result).toEqual({
    ...{ domain: 'shop.example', php: '8.4', tier: 'small' },
    ...{ database_routines: false, xmlrpc: true },
  })
  expect(lines.at(-1)).toBe('Removing pools that are no longer used')
  expect(host.disk.all[VHOST]).toContain(`unix:${socketOf({ user: 'shop', php: '8.4' })}`)
  expect(host.disk.all['/etc/systemd/system/hosting-cron@shop.service']).toContain(
    '/usr/bin/php8.4 ',
  )
  expect(host.ran.filter((line) => line.startsWith('systemctl'))).toEqual([
    'systemctl start hosting-fpm@shop-php8.4.service',
    'systemctl daemon-reload',
    'systemctl restart hosting-cron@shop.timer',
    'systemctl stop hosting-fpm@shop-php8.2.socket hosting-fpm@shop-php8.2.service',
    'systemctl reset-failed hosting-fpm@shop-php8.2.socket hosting-fpm@shop-php8.2.service',
    'systemctl daemon-reload',
  ])
  expect(Object.keys(host.disk.all).filter((path) => path.includes('shop-php8.2'))).toEqual([])
})

test('keeps the old PHP version when the new one does not start', async () => {
  const host = await withPhp84()
  const before = host.disk.all
  host.fail('systemctl start hosting-fpm@shop-php8.4', 'Job failed')

  const [, message] = await update(host, { php: '8.4' })

  expect(message).toContain('Job failed')
  expect(host.disk.all).toEqual(before)
})

test('a change to the current values fails when the pool does not start', async () => {
  const host = await server(shop)
  const before = host.disk.all
  host.fail('/usr/sbin/php-fpm8.2 --test', 'refused')

  const [lines, message] = await update(host, { tier: 'small' })

  expect(lines.at(-1)).toBe('Undoing: Applying the PHP pool')
  expect(message).toContain('refused')
  expect(host.disk.all).toEqual(before)
})

test.each([
  { at: 'pool', end: 'error' },
  { at: 'record', end: 'complete' },
])('a change to the current values that is interrupted at the step $at: $end', async (cut) => {
  const host = await server(shop)
  const store = new OperationStore(host.files, '/var/lib/hosting-agent')
  const params = { domain: 'shop.example', tier: 'small' } as const
  const created_at = host.clock.now()
  await store.create({ id: 'op1', command: 'site.update', params, fingerprint: 'f', created_at })
  await store.addEntry('op1', { step: cut.at, state: 'intent' })

  await recover(host, commands)

  expect((await store.events('op1')).at(-1)?.event).toBe(cut.end as 'error')
})

test('applies the tier and the setting to the database account, and undoes both', async () => {
  const host = await server(shop)
  const account = () => host.mariadb.accounts.get('shop')
  const before = account()
  const change = { tier: 'medium', database_routines: true } as const

  host.fail('nginx -t', 'refused')
  expect((await update(host, change))[1]).toContain('refused')
  expect(account()).toEqual(before)

  host.answer('nginx -t', '')
  await update(host, change)
  expect(account()).toMatchObject({ connections: 30, seconds: 120, routines: true })
  expect(host.disk.all[RECORD]).toContain('"database_routines": true')

  await update(host, { ...change, database_routines: false })
  expect(account()?.routines).toBe(false)
  expect(host.disk.all[RECORD]).not.toContain('database_routines')
})

test('closes and opens xmlrpc.php, and undoes a change that nginx refuses', async () => {
  const host = await server(shop)
  const change = async (xmlrpc: boolean) => (await update(host, { xmlrpc }))[1]
  const isClosed = () => host.disk.all[VHOST]?.includes('location ~* /xmlrpc\\.php$')

  expect(await change(false)).toMatchObject({ xmlrpc: false })
  expect(isClosed()).toBe(true)
  expect(host.disk.all[RECORD]).toContain('"xmlrpc": false')

  host.fail('nginx -t', 'refused')
  expect(await change(true)).toContain('refused')
  expect(isClosed()).toBe(true)

  host.answer('nginx -t', '')
  expect(await change(true)).toMatchObject({ xmlrpc: true })
  expect(isClosed()).toBe(false)
  expect(host.disk.all[RECORD]).not.toContain('xmlrpc')
})
