import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { previousOf } from '#agent/features/backups/paths.ts'
import { findPreviousState, removeExpiredState } from '#agent/features/backups/replace.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'

const WEEK_MS = 7 * 24 * 60 * 60_000

async function restoredSite() {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/page.html': 'as saved' })
  const params = restore({ files: true, database: true })
  await outcome(backupRestore.run(params, contextOf(host)))
  return host
}

test('the state before a restore is removed after a week, not before', async () => {
  const host = await restoredSite()

  await removeExpiredState(host, shop).apply()
  const before = await host.files.stat(previousOf('shop'))
  await host.clock.sleep(WEEK_MS + 1)
  await removeExpiredState(host, shop).apply()

  expect([before?.kind, await host.files.stat(previousOf('shop'))]).toEqual([
    'directory',
    undefined,
  ])
})

test('what an interrupted removal left cannot be restored, and is removed by the next one', async () => {
  const host = await restoredSite()
  await host.clock.sleep(WEEK_MS + 1)
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    if (argv[0] === 'rm') throw new Error('ended')
    return run(argv, options)
  }

  await expect(removeExpiredState(host, shop).apply()).rejects.toThrow('ended')
  host.shell.run = run

  expect(await findPreviousState(host, 'shop')).toBeUndefined()
  expect((await host.files.stat(previousOf('shop')))?.kind).toBe('directory')
  await removeExpiredState(host, shop).apply()
  expect(await host.files.stat(previousOf('shop'))).toBeUndefined()
})
