import { expect, test } from 'bun:test'
import { siteRefresh } from '#agent/features/copies/site.refresh.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { findBaseline } from '#agent/kernel/baseline/baseline.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { backupServer } from '#tests/support/agent/cloning.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { ADDRESSES, PAGE, pair, table } from '#tests/support/agent/pair.ts'
import { during, keeps, REPLACED, REPLACING } from '#tests/support/agent/replaced.ts'
import { copy } from '#tests/support/agent/staging.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const params = { domain: copy.domain, from: { kind: 'site' as const, domain: shop.domain } }
const run = (host: FakeHost, given: ParamsOf<'site.refresh'> = params) =>
  outcome(siteRefresh.run(given, contextOf(host)))

test('fetches everything, then replaces files and database, and keeps the previous state', async () => {
  const { host, tables } = await pair()
  tables.shop = [table('wp_posts', 'new')]

  const [lines, result] = await run(host)

  expect(lines).toEqual([
    'Pausing the jobs of shop.example',
    'Copying the database and the files of shop.example',
    'Copied 1 tables: 33 B',
    expect.stringMatching(/^Copied the files: \d+ B$/),
    'Resuming the jobs of shop.example',
    'Pausing the jobs of WordPress',
    'Stopping PHP',
    'Keeping the current state',
    'Saving the current database',
    'Replacing the database',
    'Replacing the files',
    'Changing the configuration of the copy',
    'Switching off payments, mail services and accounts',
    'Writing the files to the disk',
    'Starting PHP 8.2',
    'Keeping the previous state for a week',
    'Resuming the jobs of WordPress',
    'Emptying the page cache of staging.shop.example',
    'Waiting for an answer of the site',
    'Removing the fetched data',
  ])
  expect(result).toEqual({
    domain: copy.domain,
    at: '2026-01-01T00:00:00.000Z',
    until: '2026-01-08T00:00:00.000Z',
    addresses: ADDRESSES,
  })
  expect(host.disk.text(`/srv/www/.restore/${copy.user}/previous/${PAGE}`)).toBe('of staging-shop')
  expect(await findBaseline(host, copy.domain, shop.domain)).toMatchObject({ live: tables.shop })
})

test('refuses a site that is no staging site', async () => {
  const { host } = await pair()

  const [, reason] = await run(host, { ...params, domain: shop.domain })

  expect(reason).toBe('shop.example is not a staging site: restore a backup instead')
})

test('is refused while the content of the live site is being replaced', async () => {
  const { host } = await pair()
  keeps(host, shop.user)

  expect(await run(host)).toEqual([[], REPLACING(shop.domain)])
})

test('fails when a restore of the live site begins meanwhile, and does not start its jobs', async () => {
  const { host } = await pair()
  during(host, 'tar --create', () => keeps(host, shop.user))

  const [lines, reason] = await run(host)

  expect(reason).toBe(REPLACED(shop.domain, 'copy'))
  expect(lines).not.toContain('Stopping PHP')
  expect(host.ran.filter((line) => line.endsWith(' hosting-cron@shop.timer'))).toEqual([
    'systemctl stop hosting-cron@shop.timer',
  ])
})

test.each([
  ['succeeds', undefined],
  ['fails', 'no space left on device'],
])('releases the jobs of a live site that is renamed while a refresh %s', async (_, failure) => {
  const { host } = await pair()
  if (failure !== undefined) host.fail('tar --extract', failure)
  during(host, 'tar --create', () =>
    host.disk.drop(`/var/lib/hosting-agent/sites/${shop.domain}.json`),
  )

  const [, result] = await run(host)

  if (failure === undefined) expect(result).toMatchObject({ domain: copy.domain })
  else expect(result).toContain(failure)
  expect(host.ran.filter((line) => line.endsWith(' hosting-cron@shop.timer'))).toEqual([
    ...['systemctl stop hosting-cron@shop.timer', 'systemctl start hosting-cron@shop.timer'],
  ])
  expect(host.holders).toEqual(new Map())
})

test('refuses a backup whose dump is not the one that was saved, and keeps nothing of it', async () => {
  const { host, params: copied } = await backupServer()
  host.pages.set(`http://${copy.domain}/`, `<a href="http://${copy.domain}/">`)
  await outcome(siteCreate.run(copy, contextOf(host)))
  host.answer('sha256sum', `${'0'.repeat(64)}  database.sql\n`)

  const [lines, reason] = await run(host, { domain: copy.domain, from: copied.from })

  expect(reason).toBe('The database of the backup is not the one that was saved')
  expect(lines).toContain('Undoing: Fetching the backup')
  expect(await host.files.list(`/srv/www/.restore/${copy.user}`)).toEqual([])
})
