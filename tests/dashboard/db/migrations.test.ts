import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { checkFile } from '#dashboard/backup/check.ts'
import { openDatabase } from '#dashboard/db/client.ts'
import * as mail from '#dashboard/db/mail-schema.ts'
import { knownMigrations } from '#dashboard/db/migrations.ts'
import * as records from '#dashboard/db/schema.ts'
import * as steps from '#dashboard/db/steps-schema.ts'
import * as trust from '#dashboard/db/trust-schema.ts'
import * as web from '#dashboard/db/web-schema.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'

/**
 * A file that was given out is never edited: a change is a migration of its own, whose SHA-256 comes at
 * the end of this list.
 */
const RELEASED = [
  // 0000_initial.sql
  '06e8d35ef854e14126391722a5d3eaadc2cc734e9a9fa69b2f4c1c513d95c3bc',
  // 0001_trust.sql
  '2b785c8b5d01f40420b3741814e02623002de176630c8dcdcb02ba607d4350bf',
  // 0002_key-rotation.sql
  'cdc89141d965d7fdf9fc6a3f8c0019c29fb4052dabb22897be9863f0e8f2f9cb',
  // 0003_operations.sql
  '795a197b7fe11ebffb5afa20d72525162ad7bbef757087b9261c19b43c1fb0c0',
  // 0004_trash.sql
  'e024affec2bca07f0328d37a8bc10892de9d2a95586a30de181071cb17e198be',
  // 0005_delivered.sql
  'c62485d4cd21912df85ae8b08167d25d7addc2c000b3c3437ac3d0ac67504ca1',
  // 0006_listing.sql
  'bd04de700df022de614e291c23de6cf5a3b30418f49ba5dcf2f4373ea7ff2310',
  // 0007_enrolment-reason.sql
  '742e45336341e9a9d92f9f50d54d7c3ed3d7aa900ddaf50b4247480bc3be672d',
  // 0008_metrics.sql
  '34229dd1b78d090a6cc521aa626302b6e112149a6a2e37ff80fd683c091cec17',
  // 0009_token-scopes.sql
  '0cf24843d0f1525a93c9c3ea1a1311a7e2353cdaa723e4c4af7126b69271b240',
  // 0010_imports.sql
  '5cbfc95c59a87b4c6d21dc9e33ec90304d65c6d2936f1e8d478704bf5bc8cb86',
  // 0011_database-routines.sql
  '1515fe8cc84797509ade01fb9e40922b9accfd557680e3834792b885cc83c2db',
  // 0012_isolation.sql
  '81563ef97f116008ebda8df4308beffdd790587e345c16256253305ef373e912',
  // 0013_disk-use.sql
  'd31fa043e34410b63f05127c60bf88883d40cbbeca06a10cd5aab4a97926d56e',
  // 0014_maintenance.sql
  '02b5d9a8eb43869e700be432088a0e8ec9d790c990fb054ebcff70db9943664f',
  // 0015_mail.sql
  '316200b1ae0f3bf6e8d6b668ffee2264d6423d4340adddb90f1a78cbbd48f73a',
  // 0016_cancelled.sql
  'f4ae271cd55a7c96208cb3355b55a883b04bf6557971f2505c62e4b97b05692f',
  // 0017_own-events.sql
  '62eefa1d56b95534302215eda1bbc93a6b4074904a9d43bf9b26ccffefacb978',
  // 0018_health.sql
  '9464bd852ec9e276fd27035d6c1376dfe311ef041799aaa65b781d55fb4af62e',
  // 0019_xmlrpc.sql
  '901358c0e6008f5f469bddd0e46e56337bfdd03b9dcd48136d87cf249483611d',
  // 0020_found-sites.sql
  '2231446527f085966610da079670179d517406d621baecba0635c79320e8b480',
  // 0021_server-mail.sql
  '8f83d7aa35272f2330d5daa2e5586ad7fdc25ed5e3c6a988df0a4da3bbdb1e3b',
  // 0022_found-facts.sql
  '14ce569564f01d2ea9b0f7634e27832ea7097217f5cef76f16a4364e1d1e61b6',
  // 0023_server-web.sql
  '452bfac483e50b4dee4f9adaeab7936aaec53699de7fdce11dc58d1a117fa3b1',
  // 0024_steps.sql
  '4a77bad7766b75e49e9d01fe489a25e1e0e00b25fadbb6ffd5563d5719a5a5d4',
]
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

    const schema = await generateSQLiteDrizzleJson(
      { ...records, ...mail, ...steps, ...trust, ...web },
      snapshot.id,
    )

    expect(await generateSQLiteMigration(snapshot, schema)).toEqual([])
  })

  test.each(versions)('keep every value of a database of version %d', async (version) => {
    await using folder = await makeFolder()
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

  test('assign existing agents the key that signed for them', async () => {
    await using folder = await makeFolder()
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, 2)

    await migrated(file)

    const { server_agents = [], signing_keys = [] } = contentOf(file)
    expect(server_agents).toMatchObject([{ kid: 'key-2' }, { kid: 'key-2' }])
    expect(signing_keys).toMatchObject([{ until: expect.any(String) }, { until: null }])
  })

  test('keep the rights of tokens without a scope for 90 days', async () => {
    await using folder = await makeFolder()
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

  test('restrict the name of a discovered site to its server, and count a missing one from the migration on', async () => {
    await using folder = await makeFolder()
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

  test('mark cancelled work as cancelled everywhere', async () => {
    await using folder = await makeFolder()
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

  test('change nothing when one of them fails, and continue when the cause is gone', async () => {
    await using folder = await makeFolder()
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
  ])('do not change the database of %s', async (_, version, change, message) => {
    await using folder = await makeFolder()
    const file = `${folder.path}/dashboard.db`
    await makeReleased(file, version)
    run(file, change)
    const before = contentOf(file)

    await expect(migrated(file)).rejects.toThrow(message)

    expect(contentOf(file)).toEqual(before)
  })

  test.each([0, 2])(
    'run once when three programs start together on version %d',
    async (version) => {
      await using folder = await makeFolder()
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

test('a migration that another dashboard completed does not run again', async () => {
  await using folder = await makeFolder()
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
  ])('%s', async (_, version, times) => {
    await using folder = await makeFolder()
    const file = `${folder.path}/dashboard.db`
    if (version > 0) await makeReleased(file, version)
    let saved = 0

    const db = await openDatabase(`file:${file}`, undefined, async () => {
      saved += 1
    })

    db.close()
    expect(saved).toBe(times)
  })

  test('prevents every change when it fails', async () => {
    await using folder = await makeFolder()
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
