import { expect, test } from 'bun:test'
import { siteClone } from '#agent/commands/site.clone.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { backupServer, copy, fromSite, run, siteServer } from '#tests/support/agent/cloning.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

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
const taken = { php_settings, page_cache, xmlrpc: 'jetpack' }

test('a clone has the PHP settings, the page cache and XML-RPC of its original, and nothing else', async () => {
  const host = await withSettings()

  expect(await planned(host)).toEqual([
    'Taking over the settings of shop.example: PHP settings, page cache, XML-RPC',
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
    'Taking over the settings of shop.example: PHP settings, page cache, XML-RPC, cron jobs (nightly, purge)',
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
