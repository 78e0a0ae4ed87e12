import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openDatabase } from '#dashboard/db/client.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'

/** The last version in which the records of the dashboard went to the default target of sites. */
const VERSION = 53

test('the migration moves the password of the repository of the dashboard out of those of sites', async () => {
  await using folder = await makeFolder()
  const file = `${folder.path}/dashboard.db`
  await makeReleased(file, VERSION)
  const database = new Sqlite(file)
  database.run(`UPDATE backup_repositories SET name = 'hosting-dashboard' WHERE target_id = 2`)
  database.run(`INSERT INTO settings (key, value) VALUES ('off_site_backup', '{}')`)
  const [{ place } = { place: '' }] = database
    .query<{ place: string }, []>('SELECT place FROM backup_targets WHERE id = 2')
    .all()
  const before = contentOf(file).backup_repositories as Record<string, unknown>[]
  database.close()

  const db = await openDatabase(`file:${file}`)
  db.close()

  const after = contentOf(file)
  const [moved] = before.filter(({ name }) => name === 'hosting-dashboard')
  expect(after.dashboard_repositories).toEqual([
    { id: 1, place, kit_id: moved?.kit_id, sealed_password: moved?.sealed_password, is_former: 1 },
  ])
  const others = before.filter(({ name }) => name !== 'hosting-dashboard')
  expect(after.backup_repositories).toMatchObject(others)
  expect(after.backup_repositories).toHaveLength(others.length)
  expect(after.settings).not.toContainEqual(expect.objectContaining({ key: 'off_site_backup' }))
})
