import { describe, expect, test } from 'bun:test'
import { isPartlyUpdated } from '#agent/features/moves/catch-up.ts'
import { siteCatchUp } from '#agent/features/moves/site.catch-up.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import type { ParamsOf, ResultOf } from '#shared/commands.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { forwardingServer, PAGE, receivingServer, switched } from '#tests/support/agent/moving.ts'
import { hashOf, STAGING } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'

const { domain } = shop
const run = (host: FakeHost, params: ParamsOf<'site.catch-up'>) =>
  outcome(siteCatchUp.run(params, contextOf(host)))

test('restores the files of the backup, and reports the tables that had changed', async () => {
  const { host, catchUp } = await receivingServer()
  host.disk.putText(PAGE, 'of another time')

  const [lines, result] = await run(host, catchUp)

  expect(lines).toEqual([
    'Connecting to the target',
    'Copying the changes',
    '0 tables have changed',
    'Disconnecting from the target',
  ])
  const has = [expect.objectContaining({ table: 'x', rows: 0 })]
  expect(result).toEqual({ domain, at: catchUp.gathered.at, tables: 0, has })
  expect(host.disk.text(PAGE)).toBe('as saved')
  const restic = host.runs.map(({ line }) => line).filter((line) => line.includes(' restore '))
  expect(restic).toEqual([expect.stringContaining('--overwrite if-changed --delete')])
  // The other server is about to stop serving: a power failure would leave empty files.
  const ran = host.runs.map(({ line }) => line)
  const sync = ran.lastIndexOf('sync --file-system -- /srv/www/shop')
  expect(sync).toBeGreaterThan(ran.findLastIndex((line) => line.includes(' restore ')))
  expect(await isPartlyUpdated(host, shop)).toBe(false)
})

test('compares with what it has loaded before, and not with its own database', async () => {
  const { host, catchUp } = await receivingServer()
  await run(host, catchUp)
  host.runs.length = 0

  const [lines] = await run(host, catchUp)

  expect(lines).toContain('0 tables have changed')
  expect(host.runs.filter(({ line }) => line.includes('mariadb-dump'))).toEqual([])
  await switched(host, 'arrived')
  expect(host.disk.find('/srv/www/.restore/shop/loaded.json')).toBeUndefined()
})

test('needs no dump if no table differs', async () => {
  const { host, catchUp } = await receivingServer()
  const [, before] = await run(host, catchUp)
  const { has: tables } = before as ResultOf<'site.catch-up'>
  host.disk.putText(PAGE, 'of another time')
  host.runs.length = 0

  const gathered = { ...catchUp.gathered, database: null, tables }
  const [, result] = await run(host, { ...catchUp, gathered })

  expect(result).toMatchObject({ tables: 0, has: tables })
  expect(host.disk.text(PAGE)).toBe('as saved')
  expect(host.runs.filter(({ line }) => line.includes(' dump '))).toEqual([])
  // During the freeze, nothing is asked that only makes later calls faster.
  expect(host.runs.filter(({ line }) => line.includes(' key list '))).toEqual([])
})

test('restores no file of a copy that has them all, and forgets that when the copy opens', async () => {
  const { host, catchUp } = await receivingServer()
  await run(host, catchUp)
  const { files } = catchUp.gathered
  const restores = async (same_as: string) => {
    host.runs.length = 0
    const gathered = { ...catchUp.gathered, files: { ...files, same_as } }
    await run(host, { ...catchUp, gathered })
    return host.runs.filter(({ line }) => line.includes(' restore ')).length
  }

  expect(await restores(files.snapshot)).toBe(0)
  expect(await restores('e'.repeat(64))).toBe(1)
  expect(host.disk.text(PAGE)).toBe('as saved')
  await switched(host, 'arrived')
  expect(host.disk.find('/srv/www/.restore/shop/brought')).toBeUndefined()
})

test('restores the files of a copy whose last restore did not end', async () => {
  const { host, catchUp } = await receivingServer()
  await run(host, catchUp)
  const { files } = catchUp.gathered
  host.fail('/var/lib/hosting-agent/bin/restic --retry-lock=600s restore', 'broken disk')
  expect((await run(host, catchUp))[1]).toContain('broken disk')
  host.runs.length = 0

  const same = { ...catchUp.gathered, files: { ...files, same_as: files.snapshot } }
  await run(host, { ...catchUp, gathered: same })

  expect(host.runs.filter(({ line }) => line.includes(' restore '))).toHaveLength(1)
})

test('marks a copy whose parts are of different times until it is complete', async () => {
  const { host, catchUp } = await receivingServer()
  host.fail('sha256sum', 'broken disk')

  const [, reason] = await run(host, catchUp)

  expect(reason).toContain('broken disk')
  expect(await isPartlyUpdated(host, shop)).toBe(true)
  expect(host.disk.text(PAGE)).toBe('as saved')
  // It has the secrets of the target and of the repository.
  expect(host.disk.find('/var/lib/hosting-agent/backups/shop/open')).toBeUndefined()
})

describe('a copy that only forwards', () => {
  const access = [{ id: 1, person: 'Anna', kind: 'sftp' as const, expires_at: null, keys: [ANNA] }]
  const names = { www: 'serve' as const, aliases: ['alias.example'], redirects: [] }
  const job = { name: 'report', schedule: '@daily', command: 'true', max_minutes: 5, enabled: true }

  test('copies the settings of the site, but neither its move, its debug log nor who has access', async () => {
    const former = { tier: 'large' as const, names, jobs: [job], xmlrpc: false, access }
    const debug = { until: '2026-03-01T09:30:00.000Z' }
    const { host, copy, back } = await forwardingServer(former, { debug })

    const [lines] = await run(host, back)

    expect(lines).toEqual([
      'Connecting to the target',
      'Taking over the settings of shop.example',
      'Copying the changes',
      '0 tables have changed',
      'Disconnecting from the target',
      'Removing the previous settings',
    ])
    const { moving } = copy
    expect(await findSite(host, domain, 'moved')).toEqual({ ...shop, access, moving })
    expect(await findSite(host, domain)).toBeUndefined()
  })

  test('of a staging site takes over its changed password, and that of no other site', async () => {
    const changed = { ...STAGING, password_hash: hashOf('another') }
    const follows = async (former: Partial<Site>) => {
      const { host, back } = await forwardingServer(former, { staging: changed })
      await run(host, back)
      return (await findSite(host, domain, 'moved'))?.staging
    }

    expect(await follows({ staging: STAGING })).toEqual(changed)
    expect(await follows({})).toBeUndefined()
  })

  test('keeps its settings if its content fails', async () => {
    const { host, copy, back } = await forwardingServer({ tier: 'large' })
    host.fail('sha256sum', 'broken disk')

    await run(host, back)

    expect(await findSite(host, domain, 'moved')).toEqual(copy)
  })

  test('refuses a PHP version that this server does not have', async () => {
    const { host, copy, back } = await forwardingServer({ tier: 'large' })
    await host.files.remove('/usr/sbin/php-fpm8.2')

    const [, reason] = await run(host, back)

    const wanted = 'This server does not have PHP 8.2, which shop.example uses: install it'
    expect(reason).toBe(wanted)
    expect(await findSite(host, domain, 'moved')).toEqual(copy)
  })
})

test('refuses a site that is served', async () => {
  const { host, catchUp } = await receivingServer()
  await switched(host, 'arrived')

  const [, reason] = await run(host, catchUp)

  expect(reason).toBe('shop.example is served by this server: it can only be restored')
})

test('refuses an unknown site', async () => {
  const { catchUp } = await receivingServer()
  const host = await server()
  host.disk.putFolder('/mnt/store', { mode: 0o700 })

  const [, reason] = await run(host, catchUp)

  expect(reason).toBe('Site shop.example not found')
})
