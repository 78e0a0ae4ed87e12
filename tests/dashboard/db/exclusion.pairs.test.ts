import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openDatabase } from '#dashboard/db/client.ts'
import { excludesOf, exclusiveWith } from '#dashboard/db/exclusion.ts'
import {
  OPERATION_NAMES,
  OPERATION_TYPES,
  type OperationType,
} from '#shared/operation-types/index.ts'
import { EXCLUSIONS } from '#shared/values.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const OF_SITES = OPERATION_NAMES.filter((type) => OPERATION_TYPES[type].target === 'site')
/** One or two types for each exclusion. */
const SOME = EXCLUSIONS.flatMap((exclusion) =>
  OF_SITES.filter((type) => excludesOf(type) === exclusion).slice(0, 2),
)
const SITE = 1

/** Whether the site may have the second operation beside the first, by the indexes and by the query. */
async function pairs(backup_first: 'waits' | null) {
  await using folder = await makeFolder()
  const file = `${folder.path}/dashboard.db`
  const migrated = await openDatabase(`file:${file}`)
  migrated.close()
  using database = new Sqlite(file)
  database.run('PRAGMA foreign_keys = OFF')
  const insert = (id: string, type: OperationType, waits: 'waits' | null) =>
    database.run(
      `INSERT INTO operations (id, type, server_id, site_id, domain, params, status, excludes, backup_first, deadline_at, created_at)
       VALUES (?, ?, 1, ?, 'a', '{}', 'running', ?, ?, '', '')`,
      [id, type, SITE, excludesOf(type), waits],
    )
  const isStored = (type: OperationType) => {
    try {
      insert('second', type, null)
      return true
    } catch {
      return false
    }
  }
  const firsts = SOME.filter((type) => backup_first === null || excludesOf(type) === 'same_site')
  return firsts.flatMap((first) =>
    SOME.map((second) => {
      database.run('DELETE FROM operations')
      insert('first', first, backup_first)
      const held = database
        .query(`SELECT 1 FROM operations WHERE site_id = ${SITE} AND ${exclusiveWith(second)}`)
        .get()
      return { first, second, stored: isStored(second), free: held === null }
    }),
  )
}

test.each([null, 'waits' as const])(
  'the indexes refuse exactly the operations that a query finds excluded (%p)',
  async (backup_first) => {
    const found = await pairs(backup_first)

    expect(found.filter(({ stored, free }) => stored !== free)).toEqual([])
    expect(found.length).toBeGreaterThan(10)
  },
)

test('a backup runs beside what says so, a proof beside all but a proof', async () => {
  const found = await pairs(null)
  const beside = (type: OperationType) =>
    found.flatMap(({ first, second, stored }) => (first === type && stored ? [second] : []))

  expect([...new Set(beside('backup.create').map(excludesOf))]).toEqual([
    'same_site_except_backup',
    'same_type',
    'nothing',
  ])
  expect(beside('backup.prove')).toEqual(SOME.filter((type) => type !== 'backup.prove'))
})
