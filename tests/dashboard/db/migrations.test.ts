import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect } from 'bun:test'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { checkFile } from '#dashboard/backup/check.ts'
import { openDatabase, schema } from '#dashboard/db/client.ts'
import { knownMigrations } from '#dashboard/db/migrations.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { RELEASED } from '#tests/support/dashboard/migrations.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(makeFolder)
const versions = RELEASED.map((_, at) => at + 1)
const MIGRATIONS = join(import.meta.dir, '../../../dashboard/db/migrations')

async function migrated(file: string): Promise<void> {
  const db = await openDatabase(`file:${file}`)
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
    expect(shapedAs(before, after)).toEqual(withoutUnused(before))
    expect(await checkFile(file, { database: { url: '' }, data_dir: folder.path })).toEqual({
      findings: [],
      notes: [expect.stringContaining('seal-secret')],
    })
    expect(after.__drizzle_migrations).toHaveLength(RELEASED.length)
  })

  test('assign existing agents the key that signed for them', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 2)

    await migrated(file)

    const { server_agents = [], signing_keys = [] } = contentOf(file)
    expect(server_agents).toMatchObject([{ kid: 'key-2' }, { kid: 'key-2' }])
    expect(signing_keys).toMatchObject([{ until: expect.any(String) }, { until: null }])
  })

  test('keep the rights of tokens without a scope for 90 days', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 9)
    const started = Date.now()

    await migrated(file)

    const { api_tokens = [] } = contentOf(file)
    const day = (at: number) => new Date(at + 90 * 24 * 3600_000).toISOString()
    for (const row of api_tokens) {
      const { scope, expires_at } = row as { scope: string; expires_at: string }
      expect(scope).toBe('admin')
      expect(expires_at >= day(started) && expires_at <= day(Date.now())).toBe(true)
    }
    expect(api_tokens).toHaveLength(2)
  })

  test('restrict the name of a discovered site to its server, and count a missing one from the migration on', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 10)
    run(file, "UPDATE sites SET managed = 0, status = 'missing' WHERE id = 1")
    run(file, 'UPDATE sites SET managed = 1 WHERE id = 2')

    await migrated(file)

    const insert = (server_id: number, from: number) => () =>
      run(
        file,
        `INSERT INTO sites (server_id, domain, apex, user, php, tier, tls, managed, status, created_at)
          SELECT ${server_id}, domain, apex, user, php, tier, tls, 1, 'active', created_at
          FROM sites WHERE id = ${from}`,
      )
    const { sites = [] } = contentOf(file)
    expect(sites).toMatchObject([{ missing_since: expect.any(String) }, { missing_since: null }])
    expect(insert(1, 1)).toThrow('UNIQUE constraint failed: sites.apex, sites.server_id')
    expect(insert(1, 2)).toThrow('UNIQUE constraint failed: sites.apex')
    expect(insert(2, 1)).not.toThrow()
  })

  test('mark cancelled work as cancelled everywhere', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 16)
    run(file, "UPDATE operations SET type = 'site.create', status = 'cancelled'")
    run(file, "UPDATE operations SET site_id = 1, status = 'failed' WHERE id = 'operation-2'")
    run(file, "UPDATE operations SET site_id = 2 WHERE id = 'operation-1'")
    run(file, "UPDATE activities SET status = 'failed'")
    run(file, "UPDATE sites SET status = 'failed'")

    await migrated(file)

    const { activities = [], sites = [] } = contentOf(file)
    expect(activities).toMatchObject([{ status: 'cancelled' }, { status: 'failed' }])
    expect(sites).toMatchObject([{ status: 'failed' }, { status: 'cancelled' }])
  })

  test('change nothing when one of them fails, and continue when the cause is gone', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 3)
    run(file, 'CREATE TABLE bulk_operations (strange text)')
    const before = contentOf(file)

    await expect(migrated(file)).rejects.toThrow('already exists')

    expect(contentOf(file)).toEqual(before)
    run(file, 'DROP TABLE bulk_operations')
    await migrated(file)
    expect(contentOf(file).__drizzle_migrations).toHaveLength(RELEASED.length)
  })

  test.each([
    [
      'a newer version',
      RELEASED.length,
      "INSERT INTO __drizzle_migrations VALUES (NULL, 'new', 9e15)",
      'newer version',
    ],
    ['another program', 3, "UPDATE __drizzle_migrations SET hash = 'other'", 'another program'],
  ])('do not change the database of %s', async (folder, _, version, change, message) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, version)
    run(file, change)
    const before = contentOf(file)

    await expect(migrated(file)).rejects.toThrow(message)

    expect(contentOf(file)).toEqual(before)
  })

  test.each([0, 2])(
    'run once when three programs start together on version %d',
    async (folder, version) => {
      const file = `${folder.path}/dashboard.db`
      if (version > 0) await makeReleased(file, version)
      const script = `
      const { openDatabase } = await import(${JSON.stringify(join(MIGRATIONS, '../client.ts'))})
      const end = Date.now() + 10_000
      while (!(await Bun.file(process.argv[1] + '/go').exists()) && Date.now() < end) await Bun.sleep(1)
      const db = await openDatabase('file:' + process.argv[1] + '/dashboard.db')
      db.close()`
      const programs = [1, 2, 3].map(() =>
        Bun.spawn([process.execPath, '-e', script, folder.path], { stderr: 'pipe' }),
      )
      await Bun.write(`${folder.path}/go`, '')

      const statuses = await Promise.all(programs.map(({ exited }) => exited))

      expect(statuses).toEqual([0, 0, 0])
      expect(contentOf(file).__drizzle_migrations).toHaveLength(RELEASED.length)
    },
  )
})

test('a migration that another dashboard completed does not run again', async (folder) => {
  const file = `${folder.path}/dashboard.db`
  await makeReleased(file, 2)

  const db = await openDatabase(`file:${file}`, undefined, () => migrated(file))

  db.close()
  expect(contentOf(file).__drizzle_migrations).toHaveLength(RELEASED.length)
})

describe('the backup before a migration', () => {
  test.each([
    ['a database that holds something is saved', 3, 1],
    ['an empty one is not', 0, 0],
    ['one that is up to date is not', RELEASED.length, 0],
  ])('%s', async (folder, _, version, times) => {
    const file = `${folder.path}/dashboard.db`
    if (version > 0) await makeReleased(file, version)
    let saved = 0

    const db = await openDatabase(`file:${file}`, undefined, async () => {
      saved += 1
    })

    db.close()
    expect(saved).toBe(times)
  })

  test('prevents every change when it fails', async (folder) => {
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 3)
    const before = contentOf(file)
    const fail = () => Promise.reject(new Error('no space'))

    await expect(openDatabase(`file:${file}`, undefined, fail)).rejects.toThrow('no space')

    expect(contentOf(file)).toEqual(before)
  })
})

function run(file: string, sql: string): void {
  const database = new Sqlite(file)
  database.run(sql)
  database.close()
}

type Content = ReturnType<typeof contentOf>

/** `keeps` decided nothing any more: each server says itself that it does not have a password. */
const withoutUnused = ({ backup_repository_servers: rows, ...others }: Content): Content => ({
  ...others,
  ...(rows && {
    backup_repository_servers: rows.map((row) => {
      const { keeps: _, ...used } = Object(row)
      return used
    }),
  }),
})

/** Of what is there now, the tables and columns that were there before. */
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

/** The last version in which the indexes of the table named the types of operations. */
const BEFORE_EXCLUSIONS = 47

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
  await makeReleased(file, BEFORE_EXCLUSIONS)
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
