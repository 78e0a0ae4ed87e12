import { expect, test } from 'bun:test'
import { siteConfigure } from '#agent/features/sites/site.configure.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const POOL = '/etc/hosting/fpm/shop-php8.2.d/pool.conf'
const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const PASSWORDS = '/etc/hosting/staging/shop.htpasswd'
const HASH = `{SSHA}${'a'.repeat(40)}`
const NONE = {
  ...{ maintenance: null, basic_auth: null, php_settings: null, page_cache: null },
  trusted_cdn: null,
  page_purge: false,
  csp: 'basic' as const,
  hsts: 'on' as const,
}

const configure = (host: FakeHost, change: Omit<ParamsOf<'site.configure'>, 'domain'>) =>
  outcome(siteConfigure.run({ domain, ...change }, contextOf(host)))

test('gives PHP, nginx and the database the limits of the site, and takes them back', async () => {
  const host = await server(shop)
  const before = host.disk.all
  const php_settings = {
    ...{ memory_limit: 192, upload: 100, execution_time: 90, input_vars: 4000 },
    values: { 'session.cookie_samesite': 'None', allow_url_fopen: 'off', max_file_uploads: '50' },
  }

  const [, result] = await configure(host, { php_settings })

  expect(result).toEqual({ domain, ...NONE, php_settings, xmlrpc: 'on' })
  const pool = host.disk.all[POOL]?.split('\n') ?? []
  expect(pool).toContain('request_terminate_timeout = 95s')
  expect(
    pool.filter((line) => /memory_limit|upload_max|post_max|execution|vars/.test(line)),
  ).toEqual([
    'php_value[memory_limit] = 192M',
    'php_value[max_execution_time] = 90',
    'php_admin_value[upload_max_filesize] = 100M',
    'php_admin_value[post_max_size] = 101M',
    'php_admin_value[max_input_vars] = 4000',
  ])
  expect(pool.filter((line) => /samesite|fopen|max_file_/.test(line))).toEqual([
    'php_admin_flag[allow_url_fopen] = off',
    'php_admin_value[max_file_uploads] = "50"',
    'php_value[session.cookie_samesite] = "None"',
  ])
  expect(host.disk.all[VHOST]).toContain('client_max_body_size 101m;')
  expect(host.disk.all[VHOST]).toContain('fastcgi_read_timeout 100s;')

  await configure(host, { php_settings: null })

  expect(host.disk.all).toEqual(before)
})

test('refuses limits that the tier does not have, and a smaller tier bounds them', async () => {
  const host = await server({ ...shop, tier: 'large' })
  const php_settings = { memory_limit: 1024, values: {} }
  await configure(host, { php_settings })
  const warnings: Warning[] = []
  const context = { ...contextOf(host), warn: (warning: Warning) => void warnings.push(warning) }

  await outcome(siteUpdate.run({ domain, tier: 'small' }, context))
  const again = siteConfigure.run({ domain, php_settings }, contextOf(host)).next()

  expect(host.disk.all[POOL]).toContain('php_value[memory_limit] = 256M')
  expect(await getSite(host, domain)).toMatchObject({ settings: { php_settings } })
  expect(warnings.map(({ code }) => code)).toContain('php_settings_bounded')
  await expect(again).rejects.toMatchObject({
    fields: { php_settings: ['memory_limit must be at most 256 on the tier small'] },
  })
})

test('changes what is named, without touching PHP', async () => {
  const host = await server(shop)
  const pool = host.disk.all[POOL]
  const maintenance = { allow: ['203.0.113.7'], message: '' }
  const basic_auth = { user: 'client', password_hash: HASH }

  await configure(host, { maintenance })
  const [lines, result] = await configure(host, { basic_auth, xmlrpc: 'jetpack' })

  expect(lines).toEqual([
    'Applying the settings of shop.example',
    'Applying the virtual host',
    'Applying the jobs',
    'Recording the site',
  ])
  expect(result).toEqual({
    ...{ domain, ...NONE, maintenance, xmlrpc: 'jetpack' },
    basic_auth: { user: 'client' },
  })
  expect(host.disk.all[POOL]).toBe(pool ?? '')
  expect(host.disk.all[PASSWORDS]).toEndWith(`\nclient:${HASH}\n`)
  const vhost = host.disk.all[VHOST] ?? ''
  expect(vhost).toContain('203.0.113.7 1;')
  expect(vhost).toContain('auth_basic "Protected site";')
  expect(vhost).toContain('allow 192.0.64.0/18;')
})

test('the default of a security header is no part of the record', async () => {
  const host = await server(shop)
  const before = host.disk.all

  const [, result] = await configure(host, { csp: 'report', hsts: 'off' })
  expect(result).toMatchObject({ csp: 'report', hsts: 'off' })
  expect((await getSite(host, domain)).settings).toEqual({ csp: 'report', hsts: 'off' })
  await configure(host, { csp: 'basic', hsts: null })

  expect(host.disk.all).toEqual(before)
})

test('a site that is public again has no password file', async () => {
  const host = await server(shop)
  const before = host.disk.all
  await configure(host, { basic_auth: { user: 'client', password_hash: HASH } })

  const [, result] = await configure(host, { basic_auth: null })

  expect(result).toMatchObject({ basic_auth: null })
  expect(host.disk.all).toEqual(before)
})

test.each([
  { first: 'jetpack', later: false, is: 'off' },
  { first: 'jetpack', later: true, is: 'on' },
  { first: 'off', later: true, is: 'on' },
] as const)(
  'xmlrpc $first, and then $later by site.update, is $is',
  async ({ first, later, is }) => {
    const host = await server(shop)
    await configure(host, { xmlrpc: first })

    await outcome(siteUpdate.run({ domain, xmlrpc: later }, contextOf(host)))
    const [, result] = await configure(host, {})

    expect(result).toEqual({ domain, ...NONE, xmlrpc: is })
  },
)

test('takes the page cache away from a site that wants none', async () => {
  const host = await server(shop)
  const params = { domain, page_cache: { enabled: false, paths: [], cookies: [] } }

  await outcome(siteConfigure.run(params, contextOf(host)))

  expect(host.disk.all[VHOST]).not.toContain('fastcgi_cache')
})
