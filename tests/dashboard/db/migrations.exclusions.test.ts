import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openDatabase } from '#dashboard/db/client.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'

/** The last version in which the indexes of the table named the types of operations. */
const VERSION = 47

const STORED = {
  'agent.upgrade': 'all_of_server',
  'backup.check': 'same_type',
  'backup.create': 'changes_of_site',
  'backup.prove': 'same_type',
  'cache.purge': 'same_site_except_backup',
  'database.user': 'same_site_except_backup',
  'database.user-end': 'nothing',
  'pool.apply': 'same_site_except_backup',
  'server.sync': 'same_type',
  'server.update': 'nothing',
  'site.delete': 'same_site',
  'site.move': 'same_site_except_backup',
  'site.move-back': 'same_site_except_backup',
  'site.scan': 'same_site_except_backup',
  'site.update': 'same_site',
  'tls.issue': 'same_site_except_backup',
  'wp.cache-flush': 'same_site_except_backup',
  'wp.login': 'same_site_except_backup',
}

test('the migration stores what each running operation excludes', async () => {
  await using folder = await makeFolder()
  const file = `${folder.path}/dashboard.db`
  await makeReleased(file, VERSION)
  const database = new Sqlite(file)
  for (const [at, type] of Object.keys(STORED).entries())
    database.run(
      `INSERT INTO operations (id, type, server_id, site_id, domain, params, status, deadline_at, created_at)
       VALUES (?, ?, 1, ?, 'a', '{}', 'running', '', '')`,
      [type, type, at + 10],
    )
  database.close()

  const db = await openDatabase(`file:${file}`)
  db.close()

  const rows = (contentOf(file).operations ?? []) as { id: string; excludes: string }[]
  expect(Object.fromEntries(rows.map(({ id, excludes }) => [id, excludes]))).toMatchObject(STORED)
})
