// tier: gate
import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { readConfig } from '#dashboard/config.ts'
import { checkFile } from '#dashboard/features/recovery/backup/check-records.ts'
import { restore } from '#dashboard/features/recovery/backup/restore.ts'
import { openDatabase, schema } from '#dashboard/kernel/db/client.ts'
import { knownMigrations, SchemaError } from '#dashboard/kernel/db/migrations.ts'
import { openRecords } from '#dashboard/open-database.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { LATER, RELEASED } from '#tests/support/dashboard/migrations.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(makeFolder)
const versions = RELEASED.map((_, at) => at + 1)
const MIGRATIONS = join(import.meta.dir, '../../../../dashboard/kernel/db/migrations')

/** Opens it with this version of the dashboard, or with the later one. */
async function migrated(file: string, known = knownMigrations()): Promise<void> {
  const db = await openDatabase(`file:${file}`, undefined, undefined, known)
  db.close()
}

describe('the migrations', () => {
  test('match the released ones in the same order', () => {
    expect(knownMigrations().map(({ hash }) => hash)).toEqual(RELEASED)
  })

  test('create the tables of the schema', async () => {
    const { entries } = await Bun.file(`${MIGRATIONS}/meta/_journal.json`).json()
    const last = String(entries.length - 1).padStart(4, '0')
    const snapshot = await Bun.file(`${MIGRATIONS}/meta/${last}_snapshot.json`).json()

    const current = await generateSQLiteDrizzleJson(schema, snapshot.id)

    expect(await generateSQLiteMigration(snapshot, current)).toEqual([])
  })

  test.each(versions)('keep every value of a database of version %d', async (folder, version) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, version)
    const before = contentOf(file)

    await migrated(file)

    const after = contentOf(file)
    expect(shapedAs(before, after)).toEqual(before)
    expect(await checkFile(file, { database: { url: '' }, data_dir: folder.path })).toEqual({
      findings: [],
      notes: [expect.stringContaining('seal-secret')],
    })
    expect(after.__drizzle_migrations).toHaveLength(RELEASED.length)
  })

  test('record through what the earlier activities came', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 1)
    run(file, 'DELETE FROM activities')
    const insert =
      'INSERT INTO activities (type, domain, status, created_at, token, address) VALUES'
    run(file, `${insert} ('a', '', 'success', '', 'deploy', '203.0.113.7')`)
    run(file, `${insert} ('b', '', 'success', '', NULL, '203.0.113.7')`)
    run(file, `${insert} ('c', '', 'success', '', NULL, NULL)`)

    await migrated(file)

    const rows = contentOf(file).activities as { type: string; via: string }[]
    expect(rows.map(({ type, via }) => [type, via])).toEqual([
      ['a', 'token'],
      ['b', 'session'],
      ['c', 'system'],
    ])
  })

  test('change nothing when one of them fails, and continue when the cause is gone', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file)
    run(file, 'CREATE TABLE third (strange text)')
    const before = contentOf(file)

    await expect(migrated(file, LATER)).rejects.toThrow('already exists')

    expect(contentOf(file)).toEqual(before)
    run(file, 'DROP TABLE third')
    await migrated(file, LATER)
    const { __drizzle_migrations: applied, ...rest } = contentOf(file)
    expect(applied).toHaveLength(LATER.length)
    expect(rest).toEqual({ ...withoutRecord(before), second: [], third: [] })
  })

  const UNRELEASED =
    'its tables were created by another program, or by a version of the dashboard that was never released: set DATABASE_URL to an empty database'
  const refused: [string, string, string][] = [
    [
      'a newer version',
      "INSERT INTO __drizzle_migrations VALUES (NULL, 'new', 9e15)",
      'it was used by a newer version of the dashboard: run that version, or restore a backup of this one',
    ],
    [
      'a version that was never released',
      "UPDATE __drizzle_migrations SET hash = 'other'; INSERT INTO __drizzle_migrations VALUES (NULL, 'new', 9e15)",
      UNRELEASED,
    ],
    ['another program', 'DROP TABLE __drizzle_migrations', UNRELEASED],
  ]
  test.each(refused)('do not change the database of %s', async (folder, _, change, message) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file)
    run(file, change)
    const before = contentOf(file)

    await expect(migrated(file)).rejects.toThrow(new SchemaError(message))

    expect(contentOf(file)).toEqual(before)
  })

  test.each([0, 1])(
    'run once when three programs start together on version %d',
    async (folder, version) => {
      const file = `${folder.path}/dashboard.db`
      if (version > 0) await makeReleased(file)
      const script = `
      const { openDatabase } = await import(${JSON.stringify(join(MIGRATIONS, '../client.ts'))})
      const { LATER } = await import(${JSON.stringify(import.meta.resolve('#tests/support/dashboard/migrations.ts'))})
      const end = Date.now() + 10_000
      while (!(await Bun.file(process.argv[1] + '/go').exists()) && Date.now() < end) await Bun.sleep(1)
      const db = await openDatabase('file:' + process.argv[1] + '/dashboard.db', undefined, undefined, LATER)
      db.close()`
      const programs = [1, 2, 3].map(() =>
        Bun.spawn([process.execPath, '-e', script, folder.path], { stderr: 'pipe' }),
      )
      await Bun.write(`${folder.path}/go`, '')

      const statuses = await Promise.all(programs.map(({ exited }) => exited))

      expect(statuses).toEqual([0, 0, 0])
      expect(contentOf(file).__drizzle_migrations).toHaveLength(LATER.length)
    },
  )
})

test('a migration that another dashboard completed does not run again', async (folder) => {
  const file = `${folder.path}/dashboard.db`
  await makeReleased(file)

  const db = await openDatabase(`file:${file}`, undefined, () => migrated(file, LATER), LATER)

  db.close()
  expect(contentOf(file).__drizzle_migrations).toHaveLength(LATER.length)
})

describe('the backup before a migration', () => {
  test.each([
    ['a database that holds something is saved', 1, LATER, 1],
    ['an empty one is not', 0, LATER, 0],
    ['one that is up to date is not', 1, knownMigrations(), 0],
  ])('%s', async (folder, _, version, known, times) => {
    const file = `${folder.path}/dashboard.db`
    if (version > 0) await makeReleased(file)
    let saved = 0
    const save = async () => {
      saved += 1
    }

    const db = await openDatabase(`file:${file}`, undefined, save, known)

    db.close()
    expect(saved).toBe(times)
  })

  test('prevents every change when it fails', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file)
    const before = contentOf(file)
    const fail = () => Promise.reject(new Error('no space'))

    await expect(openDatabase(`file:${file}`, undefined, fail, LATER)).rejects.toThrow('no space')

    expect(contentOf(file)).toEqual(before)
  })

  test('can be restored', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file)
    const before = contentOf(file)
    const config = readConfig({ DATA_DIR: folder.path })
    const { db, lock } = await openRecords(config, LATER)
    db.close()
    lock?.close()
    const [saved = ''] = await readdir(`${folder.path}/backups`)

    await restore(
      `${folder.path}/backups/${saved}`,
      { database: { url: `file:${file}` }, data_dir: folder.path },
      new Date(),
    )

    expect(saved).toStartWith('before-update-')
    expect(contentOf(file)).toEqual(before)
  })
})

function run(file: string, sql: string): void {
  const database = new Sqlite(file)
  database.exec(sql)
  database.close()
}

type Content = ReturnType<typeof contentOf>

const withoutRecord = ({ __drizzle_migrations: _, ...rest }: Content) => rest

/** Returns the content of `after`, reduced to the tables and columns of `before`. */
function shapedAs(before: Content, after: Content): Content {
  const shaped = Object.entries(before).map(([table, rows]) => [
    table,
    table === '__drizzle_migrations' || table === 'sqlite_sequence'
      ? after[table]?.filter((row) => rows.some((other) => Bun.deepEquals(row, other)))
      : after[table]?.map((row, at) => pick(row, rows[at])),
  ])
  return Object.fromEntries(shaped)
}

function pick(row: unknown, like: unknown) {
  const names = Object.keys(like ?? {})
  return Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => names.includes(name)))
}
