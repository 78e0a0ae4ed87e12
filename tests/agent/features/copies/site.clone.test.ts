import { expect, test } from 'bun:test'
import { replacedOf } from '#agent/features/backups/paths.ts'
import { siteClone } from '#agent/features/copies/site.clone.ts'
import { findSite, getSite, writeSite } from '#agent/kernel/site/sites.ts'
import {
  backupServer,
  copy,
  fromSite,
  REPORT,
  run,
  siteServer,
} from '#tests/support/agent/cloning.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { during, keeps, REPLACED, REPLACING } from '#tests/support/agent/replaced.ts'
import { hashOf, STAGING } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const START = ['Creating the system user copy', 'Creating the folders']
const END = [
  'Changing the configuration of the copy',
  'Starting PHP 8.2',
  'Adding the virtual host',
  'Scheduling the jobs of WordPress',
  'Checking the front page',
  'Recording the site',
]

test('copies the database and then the files of a site, before anything is public', async () => {
  const host = await siteServer()

  const [lines, result] = await run(host, fromSite)

  expect(lines).toEqual([
    ...START,
    'Creating the database',
    'Pausing the jobs of shop.example',
    'Copying the database of shop.example',
    'Copied 1 tables: 33 B, 7 addresses changed',
    'Copying the files of shop.example',
    'Copied 8192 files: 21 B',
    'Resuming the jobs of shop.example',
    ...END,
  ])
  expect(result).toEqual({
    domain: 'copy.example',
    at: '2026-01-01T00:00:00.000Z',
    files: 8192,
    bytes: 54,
    tables: 1,
    addresses: REPORT,
  })
  expect(host.disk.find('/srv/www/copy/public/index.php')).toBeDefined()
})

test('dumps with the rights of the original, and rewrites and imports with those of the copy', async () => {
  const host = await siteServer()

  await run(host, fromSite)

  const programs = host.runs.filter(({ line }) =>
    /^(xargs|mariadb .*binary|\S*agent|tar)/.test(line),
  )
  const rights = programs.map(({ line, options }) => [line.split(' ')[0], options.site?.user])
  expect(rights).toEqual([
    ['xargs', 'shop'],
    ['/usr/local/bin/hosting-agent', 'copy'],
    ['mariadb', 'copy'],
    ['tar', 'root'],
    ['tar', 'copy'],
  ])
  const reader = programs[3]?.options.site?.directives ?? []
  expect(reader).toContain('CapabilityBoundingSet=CAP_DAC_READ_SEARCH')
  expect(reader).toContain('TemporaryFileSystem=/:ro,noexec /tmp:mode=1777,size=1G,noexec')
})

test('restores files and database of a backup, and forgets its repository', async () => {
  const { host, params } = await backupServer()

  const [lines, result] = await run(host, params)

  expect(lines).toEqual([
    ...START,
    'Connecting to the target',
    'Fetching the backup',
    'Fetching the database: 33 B',
    'Fetching 1 files: 1.0 kB',
    'Disconnecting from the target',
    'Creating the database',
    'Importing the database',
    '7 addresses changed',
    'Moving the files to the site',
    ...END,
    'Removing the fetched data',
  ])
  expect(result).toMatchObject({ files: 1, bytes: 1033, tables: 1, addresses: REPORT })
  expect(host.disk.text('/srv/www/copy/public/page.html')).toBe('as saved')
  const left = Object.keys(host.disk.all).filter((path) =>
    /(backups|\.restore|restic)\/copy\//.test(path),
  )
  expect(left).toEqual(['/srv/www/.restore/copy/clone.json'])
})

test('a dump that fails undoes the copy, and is named as the reason', async () => {
  const host = await siteServer()
  host.fail('xargs', 'mariadb-dump: Got error: 1194: "Table is crashed"', 2)

  const [lines, reason] = await run(host, fromSite)

  expect(reason).toBe('The database could not be dumped (error 1194 of MariaDB)')
  expect(lines.at(-1)).toBe('Undoing: Creating the system user copy')
  expect(lines).toContain('Undoing: Pausing the jobs of shop.example')
})

test.each([
  [
    '/usr/local/bin/hosting-agent',
    'hosting-agent: secret of a customer',
    'The addresses in the database could not be rewritten: exit status 2',
  ],
  [
    'tar --create',
    'tar: public: Input/output error',
    'The files of the site could not be read: tar: public: Input/output error',
  ],
  [
    'tar --extract',
    'tar: Disk quota exceeded',
    'The files could not be written: tar: Disk quota exceeded',
  ],
  [
    '/usr/bin/php8.2',
    'Error: wp-config.php does not define DB_NAME',
    'The copy could not be configured: Error: wp-config.php does not define DB_NAME',
  ],
])('says why %s failed', async (program, message, expected) => {
  const host = await siteServer()
  host.fail(program, message, 2)

  expect((await run(host, fromSite))[1]).toBe(expected)
})

test('files that change while they are read are no failure', async () => {
  const host = await siteServer()
  host.fail('tar --create', 'tar: ./a: file changed as we read it', 1)

  expect((await run(host, fromSite))[1]).toMatchObject({ domain: 'copy.example' })
})

test('the answer of the front page is that of the content, and only reported', async () => {
  const host = await siteServer()
  host.pages.delete('http://copy.example/')

  const [lines, result] = await run(host, fromSite)

  expect(result).toMatchObject({ domain: 'copy.example' })
  expect(
    lines.find((line) => line.startsWith('Warning: copy.example does not answer')),
  ).toBeString()
})

test('refuses an original that is not there, and a full disk', async () => {
  const host = await siteServer()
  const from = { kind: 'site' as const, domain: 'other.example' }
  expect(await run(host, { ...copy, from })).toEqual([[], 'Site other.example not found'])
  host.disk.space = async () => ({ free: 2 ** 29, total: 2 ** 40 })
  host.answer('du --summarize --total ', `${2 ** 30}\ttotal\n`)
  const reason = '/srv/www has 537 MB free, and the copy needs 1.3 GB'
  expect(await run(host, fromSite)).toEqual([[], reason])
})

test('passes the new password to MariaDB and to the configuration alone', async () => {
  const host = await siteServer()

  const [lines] = await run(host, fromSite)

  const created = host.queries.find((query) => query.startsWith('CREATE USER'))
  const password = created?.split(' | ').find((value) => value.length === 32) ?? ''
  const codes = host.runs.flatMap(({ line, options }) =>
    line.includes('--skip-wordpress') ? (options.input ?? '') : [],
  )
  const orders = codes.map((code) => atob(/base64_decode\('([^']+)'/.exec(code)?.[1] ?? ''))
  expect(orders).toHaveLength(1)
  expect(JSON.parse(orders[0] ?? '').replaced.DB_PASSWORD).toBe(password)
  const elsewhere = host.runs.map(({ line, options }) => [line, { ...options, input: undefined }])
  expect(JSON.stringify([lines, elsewhere, host.disk.all])).not.toContain(password)
})

const PAUSE = 'systemctl stop hosting-cron@shop.timer'
const RESUME = 'systemctl start hosting-cron@shop.timer'

test('is refused while the content of the original is being replaced', async () => {
  const host = await siteServer()
  keeps(host, shop.user)

  expect(await run(host, fromSite)).toEqual([[], REPLACING(shop.domain)])
  await expect(siteClone.plan(fromSite, host)).rejects.toThrow(REPLACING(shop.domain))
  expect(host.ran).not.toContain(PAUSE)
})

test('is refused when that begins before the copy, and leaves the jobs alone', async () => {
  const host = await siteServer()
  during(host, 'useradd', () => keeps(host, shop.user))

  const [, reason] = await run(host, fromSite)

  expect(reason).toBe(REPLACING(shop.domain))
  expect(host.ran.filter((line) => line === PAUSE || line === RESUME)).toEqual([])
})

test.each([
  ['while the database is copied', 'xargs', false],
  ['while the files are copied', 'tar --create', false],
  ['and ends before the files are copied', 'xargs', true],
])('fails when a restore of the original begins %s', async (_, program, ends) => {
  const host = await siteServer()
  during(host, program, () => {
    keeps(host, shop.user)
    if (ends) void host.disk.remove(replacedOf(shop.user))
  })

  const [lines, reason] = await run(host, fromSite)

  expect(reason).toBe(REPLACED(shop.domain, 'copy'))
  expect(lines).toContain('Undoing: Pausing the jobs of shop.example')
  expect(host.ran.filter((line) => line === PAUSE || line === RESUME)).toEqual(
    ends ? [PAUSE, RESUME] : [PAUSE],
  )
  expect([...host.databases.keys()]).toEqual(['shop'])
})

test('a staging site is separated from the services of the live one before it runs', async () => {
  const host = await siteServer()
  host.answer('/usr/bin/php8.2', 'Stripe\n')
  host.answer('mariadb --no-defaults --user=copy', 'end\n')

  const [lines, result] = await run(host, { ...fromSite, staging: STAGING })

  expect(result).toMatchObject({ domain: 'copy.example' })
  const at = lines.indexOf('Switched off: Stripe')
  expect(lines[at - 1]).toBe('Switching off payments, mail services and accounts')
  expect(lines[at - 2]).toBe('Changing the configuration of the copy')
  expect(lines[at + 1]).toBe('Starting PHP 8.2')
  expect((await findSite(host, 'copy.example'))?.staging).toEqual(STAGING)
})

const job = (name: string) => ({
  ...{ name, schedule: '0 3 * * *', command: 'wp cache flush', max_minutes: 60, enabled: true },
})
const php_settings = { memory_limit: 200, upload: 100, values: { precision: '14' } }
const page_cache = { enabled: true, paths: ['/members'], cookies: [] }
const staging = { of: shop.domain, user: 'staging', password_hash: `$2y$10$${'a'.repeat(53)}` }

/** The original has all settings, two jobs, and a debug log. */
async function withSettings(): Promise<FakeHost> {
  const host = await siteServer()
  await writeSite(host, {
    ...(await getSite(host, shop.domain)),
    settings: {
      ...{ php_settings, page_cache, xmlrpc: 'jetpack', trusted_cdn: 'Cloudflare' },
      ...{ csp: 'report', hsts: 'subdomains' },
      maintenance: { allow: [], message: '' },
    },
    jobs: [job('nightly'), job('purge')],
    debug: { until: '2026-01-01T08:00:00.000Z' },
  })
  return host
}
const planned = async (host: FakeHost, more: object = {}) => {
  const steps = (await siteClone.plan?.({ ...fromSite, ...more }, host)) ?? []
  const step = steps.find(({ name }) => name === 'settings')
  return step && [step.title, await step.notes?.()]
}
const recorded = async (host: FakeHost) => {
  const { settings, jobs, debug } = await getSite(host, copy.domain)
  return { settings, jobs: jobs?.map(({ name }) => name), debug }
}
const taken = { php_settings, page_cache, xmlrpc: 'jetpack', csp: 'report' }

test('a clone has the PHP settings, page cache, XML-RPC and policy of its original, and nothing else', async () => {
  const host = await withSettings()

  expect(await planned(host)).toEqual([
    'Taking over the settings of shop.example: PHP settings, page cache, XML-RPC, content security policy',
    ['The clone does not get the cron jobs of shop.example: nightly, purge.'],
  ])
  const [, result] = await run(host, fromSite)

  expect(await recorded(host)).toEqual({
    settings: taken,
    jobs: undefined,
    debug: undefined,
  } as never)
  const { settings } = result as { settings: object }
  expect(settings).toEqual({
    ...{
      domain: copy.domain,
      maintenance: null,
      basic_auth: null,
      trusted_cdn: null,
      page_purge: false,
      csp: 'basic',
      hsts: 'on',
    },
    ...taken,
  })
  const finished = await siteClone.finished?.(fromSite, host)
  expect(finished as unknown).toEqual(result)
  const pool = Object.entries(host.disk.all).find(([path]) => /fpm.*copy.*\.conf$/.test(path))
  expect(pool?.[1]).toContain('[memory_limit] = 200M')
  const vhost = host.disk.all[`/etc/nginx/sites-available/hosting-${copy.domain}.conf`]
  expect(vhost).toContain('/members')
})

test('the cron jobs are copied on request', async () => {
  const host = await withSettings()

  expect(await planned(host, { with_jobs: true })).toEqual([
    'Taking over the settings of shop.example: PHP settings, page cache, XML-RPC, content security policy, cron jobs (nightly, purge)',
    [],
  ])
  await run(host, { ...fromSite, with_jobs: true })

  expect((await recorded(host)).jobs).toEqual(['nightly', 'purge'])
  expect(host.disk.all['/etc/systemd/system/hosting-job@copy:nightly.timer']).toBeDefined()
})

test('a staging site has the defaults, and no jobs although they were asked for', async () => {
  expect(await planned(await withSettings(), { staging, with_jobs: true })).toBeUndefined()
})

test.each([
  [{}, ['nightly']],
  [{ with_jobs: false }, undefined],
])('a site made from a backup with %j has its settings, and the jobs %j', async (more, jobs) => {
  const settings = { php_settings, trusted_cdn: 'Cloudflare' as const }
  const { host, params } = await backupServer({ settings, jobs: [job('nightly')], xmlrpc: false })

  const [, result] = await run(host, { ...params, ...more })

  expect(await recorded(host)).toEqual({
    settings: { php_settings },
    jobs,
    debug: undefined,
  } as never)
  expect(result).toMatchObject({
    settings: { php_settings, xmlrpc: 'off', trusted_cdn: null },
  } as never)
})

test('a site that is brought back says what of its backup it does not have', async () => {
  const grant = {
    id: 1,
    person: 'Ann',
    kind: 'sftp' as const,
    expires_at: null,
    keys: [] as string[],
  }
  const names = {
    ...{ www: 'serve' as const, aliases: ['shop.example.org'] },
    redirects: [{ domain: 'old.example', status: 301 as const, keep_path: true }],
  }
  const { host, params } = await backupServer({
    ...{ names, access: [grant], tier: 'large', object_cache: { memory: 64 } },
    suspended: true,
    settings: { page_purge: true, maintenance: { allow: [], message: '' } },
  })
  host.disk.drop(`/var/lib/hosting-agent/sites/${shop.domain}.json`)
  host.pages.set(`http://${shop.domain}/`, '<a href="http://shop.example/">')
  const warned = async (more: object) => {
    const messages: string[] = []
    const context = contextOf(host)
    const warn = ({ message }: { message: string }) => messages.push(message)
    await outcome(siteClone.run({ ...params, ...more }, { ...context, warn }))
    return messages
  }

  expect(await warned({ domain: shop.domain })).toEqual([
    'Not taken over from the backup: its other addresses (shop.example.org, old.example): add them on the tab Domains',
    'Not taken over from the backup: the access of Ann: give it again on the tab Access',
    'Not taken over from the backup: that it was suspended: visitors see it now',
    'Not taken over from the backup: its maintenance page: visitors see the site now',
    'Not taken over from the backup: the purge of its page cache by WordPress',
    'Not taken over from the backup: its object cache',
    'Not taken over from the backup: the tier large: it has small now',
  ])
})

test('a site that is brought back has its names, its password for visitors and its CDN', async () => {
  const basic_auth = { user: 'client', password_hash: hashOf('letmein') }
  const names = {
    ...{ www: 'redirect' as const, aliases: ['shop.example.org'] },
    redirects: [{ domain: 'old.example', status: 301 as const, keep_path: true }],
  }
  const { host, params } = await backupServer({
    ...{ names, settings: { basic_auth, trusted_cdn: 'Cloudflare' } },
  })
  host.disk.drop(`/var/lib/hosting-agent/sites/${shop.domain}.json`)
  host.pages.set(`http://${shop.domain}/`, '<a href="http://shop.example/">')
  const back = { ...params, domain: shop.domain, names }
  const messages: unknown[] = []
  const warn = (warning: unknown) => messages.push(warning)

  const steps = await siteClone.plan?.(back, host)
  const [, result] = await outcome(siteClone.run(back, { ...contextOf(host), warn }))

  const vhost = steps?.find(({ name }) => name === 'vhost')
  expect(await vhost?.notes?.()).toContain(
    'The site also has the names shop.example.org, old.example.',
  )
  expect(messages).toEqual([])
  expect(await getSite(host, shop.domain)).toMatchObject({
    ...{ names, settings: { basic_auth, trusted_cdn: 'Cloudflare' } },
  })
  expect(result).toMatchObject({ settings: { basic_auth: { user: 'client' } } } as never)
  const served = host.disk.all[`/etc/nginx/sites-available/hosting-${shop.domain}.conf`]
  for (const name of ['shop.example.org', 'old.example']) expect(served).toContain(name)
  expect(served).toContain('auth_basic')
})

test('a name that another site of the server has refuses the site', async () => {
  const { host, params } = await backupServer({})
  await writeSite(host, { ...shop, domain: 'other.example', user: 'other' })
  const names = { www: 'serve' as const, aliases: ['other.example'], redirects: [] }

  await expect(siteClone.plan?.({ ...params, names }, host)).rejects.toMatchObject({
    fields: { domain: ['Already taken by the site other.example of this server'] },
  })
})

test('a copy with another address is not meant to have all that its backup has', async () => {
  const { host, params } = await backupServer({ tier: 'large', object_cache: { memory: 64 } })
  const messages: unknown[] = []
  const warn = (warning: unknown) => messages.push(warning)

  await outcome(siteClone.run(params, { ...contextOf(host), warn }))

  expect(messages).toEqual([])
})
