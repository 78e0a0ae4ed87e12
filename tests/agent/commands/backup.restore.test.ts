import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/commands/backup.restore.ts'
import { backupUndo } from '#agent/commands/backup.undo.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { times } from '#tests/support/runs.ts'

const PAGE = '/srv/www/shop/public/page.html'
const BOTH = { files: true, database: true }

/** A site that was changed after its backup. */
async function changedSite() {
  const { host, restore } = await savedSite({ [PAGE]: 'as saved' })
  host.disk.putText(PAGE, 'changed')
  return { host, restore }
}
const run = (host: FakeHost, params: Parameters<typeof backupRestore.run>[0]) =>
  outcome(backupRestore.run(params, contextOf(host)))

test('fetches and checks everything, then replaces files and database, and keeps the previous state', async () => {
  const { host, restore } = await changedSite()

  const [lines, result] = await run(host, restore(BOTH))

  expect(lines).toEqual([
    'Connecting to the target',
    'Fetching the backup',
    'Fetching the database: 33 B',
    'Fetching 1 files: 1.0 kB',
    'Disconnecting from the target',
    'Pausing the jobs of WordPress',
    'Stopping PHP',
    'Keeping the current state',
    'Saving the current database',
    'Replacing the database',
    'Replacing the files',
    'Setting the database password from wp-config.php',
    'Starting PHP 8.2',
    'Emptying the page cache of shop.example',
    'Resuming the jobs of WordPress',
    'Waiting for an answer of the site',
    'Keeping the previous state for a week',
    'Removing the fetched data',
  ])
  expect(result).toEqual({
    domain: 'shop.example',
    at: '2026-01-01T00:00:00.000Z',
    until: '2026-01-08T00:00:00.000Z',
  })
  expect(host.disk.text(PAGE)).toBe('as saved')
  expect(
    Object.keys(host.disk.all).filter((path) =>
      /^\/srv\/www\/.restore\/shop\/\w+(\/[\w.]+)?$/.test(path),
    ),
  ).toEqual([
    '/srv/www/.restore/shop/previous',
    '/srv/www/.restore/shop/previous/account.json',
    '/srv/www/.restore/shop/previous/database.sql',
    '/srv/www/.restore/shop/previous/facts.json',
    '/srv/www/.restore/shop/previous/public',
  ])
  expect(host.disk.all['/var/lib/hosting-agent/backups/shop/open']).toBeUndefined()
})

test('the slice of the site keeps its file while PHP is stopped: nothing takes it for left over', async () => {
  const { host, restore } = await changedSite()
  const present: boolean[] = []
  const work = backupRestore.run(restore(BOTH), contextOf(host))

  for (let next = await work.next(); !next.done; next = await work.next()) {
    present.push(host.disk.all['/etc/systemd/system/hosting-shop.slice'] !== undefined)
  }

  expect(new Set(present)).toEqual(new Set([true]))
  expect(host.ran).toContain('systemctl stop hosting-shop.slice')
})

test('replaces only the parts that are named', async () => {
  const { host, restore } = await changedSite()

  const [lines] = await run(host, restore({ files: false, database: true }))

  expect(lines).toContain('Replacing the database')
  expect(lines).not.toContain('Replacing the files')
  expect(host.disk.text(PAGE)).toBe('changed')
})

test('is undone: the previous state is restored, once', async () => {
  const { host, restore } = await changedSite()
  await run(host, restore(BOTH))

  const [, result] = await outcome(backupUndo.run({ domain: shop.domain }, contextOf(host)))

  expect(result).toEqual({ domain: 'shop.example' })
  expect(host.disk.text(PAGE)).toBe('changed')
  const again = await outcome(backupUndo.run({ domain: shop.domain }, contextOf(host)))
  expect(again).toEqual([[], 'shop.example has no restore that can be undone'])
})

test('refuses a dump that is not the one that was saved, and changes nothing', async () => {
  const { host, restore } = await changedSite()
  host.answer('sha256sum', `${'0'.repeat(64)}  database.sql\n`)
  const before = host.disk.text(PAGE)

  const [, reason] = await run(host, restore(BOTH))

  expect(reason).toBe('The database of the backup is not the one that was saved')
  expect([host.disk.text(PAGE), host.disk.find('/srv/www/.restore/shop/fetched')]).toEqual([
    before,
    undefined,
  ])
})

test('refuses a restore for which the disk has no space', async () => {
  const { host, restore } = await changedSite()
  host.disk.space = async () => ({ free: 1000, total: 10_000 })

  const [, reason] = await run(host, restore(BOTH))

  expect(reason).toBe('/srv/www has 1.0 kB free, and the restore needs 268 MB')
})

test('leaves the site as it was, whichever effect fails', async () => {
  const made = async () => (await changedSite()).host
  const { restore } = await changedSite()
  let failed = 0

  await eachFault(
    made,
    (host) => run(host, restore(BOTH)),
    async (host, _, [, result], fault) => {
      if (typeof result !== 'string') return
      failed += 1
      expect([fault, host.disk.text(PAGE)]).toEqual([fault, 'changed'])
      expect([fault, host.databases.has('shop')]).toEqual([fault, true])
      const socket = host.disk.find('/etc/systemd/system/hosting-fpm@shop-php8.2.socket')
      expect([fault, socket !== undefined]).toEqual([fault, true])
    },
  )
  expect(failed).toBeGreaterThan(times(30))
})

test('of a backup that the keeper has forgotten says so, and changes nothing', async () => {
  const { host, restore } = await changedSite()
  const params = restore(BOTH)
  host.disk.drop(`/mnt/store/shop/snapshots/${params.backup}`)

  const [, reason] = await run(host, params)

  expect(reason).toBe('The backup is not in the repository any more: choose a later one')
  expect(host.disk.text(PAGE)).toBe('changed')
})
