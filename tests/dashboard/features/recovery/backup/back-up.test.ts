// tier: gate
import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect } from 'bun:test'
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import { backUp } from '#dashboard/features/recovery/backup/back-up.ts'
import { checkFile } from '#dashboard/features/recovery/backup/check-records.ts'
import { restore } from '#dashboard/features/recovery/backup/restore.ts'
import { findRestored } from '#dashboard/features/recovery/backup/restored-mark.ts'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { lockDatabase } from '#dashboard/kernel/db/database-lock.ts'
import { settings } from '#dashboard/kernel/db/schema.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { readOrCreateSecret } from '#dashboard/kernel/runtime/secret-file.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { makeReleased, markRows } from '#tests/support/dashboard/filled.ts'
import { LATER } from '#tests/support/dashboard/migrations.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(makeFolder)

const now = new Date('2026-11-20T14:05:02Z')

/** A dashboard's folder with rows in every table, and its name in the commands. */
async function makeRecords(folder: string) {
  const file = `${folder}/dashboard.db`
  await makeReleased(file)
  const secret = await readOrCreateSecret(`${folder}/seal-secret`, secureRandom)
  const sealer = makeSealer(secret, secureRandom)
  const sealed = (purpose: string) => sealer.seal(purpose, new Secret('anything'))
  const database = new Sqlite(file)
  database.run('UPDATE signing_keys SET private_key_sealed = ?', [sealed('signing-key')])
  database.run('UPDATE enrolments SET code_key_sealed = ?', [sealed('enrolment-code')])
  markRows(database, secret)
  database.close()
  return recordsOf(folder)
}

const recordsOf = (folder: string) => ({
  database: { url: `file:${folder}/dashboard.db` },
  data_dir: folder,
})

describe('a backup', () => {
  test('restores every row of every table', async (home) => {
    await using other = await makeFolder()
    const records = await makeRecords(home.path)
    const before = contentOf(`${home.path}/dashboard.db`)
    const { path } = await backUp(records, `${home.path}/`, { now })
    await copyFile(`${home.path}/seal-secret`, `${other.path}/seal-secret`)

    await restore(path, recordsOf(other.path), now)

    expect(contentOf(`${other.path}/dashboard.db`)).toEqual(before)
    const short = Object.keys(before).filter((table) => (before[table]?.length ?? 0) < 2)
    expect(short).toEqual([])
    expect(await checkFile(path, records)).toEqual({ findings: [], notes: [] })
  })

  test('that cannot be restored marks nothing as restored', async (home) => {
    await using other = await makeFolder()
    const records = await makeRecords(home.path)
    const { path } = await backUp(records, `${home.path}/`, { now, with_secrets: true })
    await mkdir(`${other.path}/seal-secret.restoring`)

    await expect(restore(path, recordsOf(other.path), now)).rejects.toThrow('EISDIR')

    expect(await findRestored(other.path)).toBeUndefined()
  })

  test('is one tar file for its owner', async (home) => {
    const records = await makeRecords(home.path)

    const { path } = await backUp(records, `${home.path}/kept/`, { now })

    expect(await readdir(`${home.path}/kept`)).toEqual(['hosting-control-2026-11-20T140502Z.tar'])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const listed = Bun.spawnSync(['tar', 'tf', path]).stdout.toString()
    expect(listed).toBe('manifest.json\ndashboard.db\n')
  })

  test('in the same second and folder is another file', async (home) => {
    const records = await makeRecords(home.path)
    const paths = []
    for (const _ of [1, 2, 3])
      paths.push((await backUp(records, `${home.path}/kept/`, { now })).path)

    expect(paths.map((path) => path.replace(`${home.path}/kept/hosting-control-`, ''))).toEqual([
      '2026-11-20T140502Z.tar',
      '2026-11-20T140502Z-2.tar',
      '2026-11-20T140502Z-3.tar',
    ])
  })

  test('contains no secret unless requested, and then restores alone', async (home) => {
    await using other = await makeFolder()
    const records = await makeRecords(home.path)
    const secret = (await Bun.file(`${home.path}/seal-secret`).text()).trim()
    const plain = await backUp(records, `${home.path}/plain.tar`, { now })
    const whole = await backUp(records, `${home.path}/whole.tar`, { now, with_secrets: true })

    await restore(whole.path, recordsOf(other.path), now)

    expect((await Bun.file(plain.path).bytes()).toBase64()).not.toContain(btoa(secret).slice(2, 40))
    expect(await Bun.file(plain.path).text()).not.toContain(secret)
    expect((await Bun.file(`${other.path}/seal-secret`).text()).trim()).toBe(secret)
    expect((await stat(`${other.path}/seal-secret`)).mode & 0o777).toBe(0o600)
  })

  test('is consistent during concurrent writes', async (home) => {
    const records = await makeRecords(home.path)
    const db = await openDatabase(records.database.url)
    const value = 'x'.repeat(2_000)
    let going = true
    const writing = (async () => {
      for (let turn = 0; going; turn++) {
        await db.write((queries) =>
          queries.batch([
            queries.insert(settings).values({ key: `left ${turn}`, value }),
            queries.insert(settings).values({ key: `right ${turn}`, value }),
          ]),
        )
        await Bun.sleep(0)
      }
    })()
    const paths: string[] = []
    for (const turn of [1, 2, 3, 4])
      paths.push((await backUp(records, `${home.path}/${turn}.tar`, { now })).path)
    going = false
    await writing
    db.close()

    const counts: number[] = []
    for (const path of paths) {
      await using other = await makeFolder()
      await copyFile(`${home.path}/seal-secret`, `${other.path}/seal-secret`)
      await restore(path, recordsOf(other.path), now)
      const { settings: rows = [] } = contentOf(`${other.path}/dashboard.db`)
      const turns = rows.map((row) => (row as { key: string }).key).filter((key) => / \d/.test(key))
      const side = (name: string) => turns.filter((key) => key.startsWith(name)).length
      expect(side('left')).toBe(side('right'))
      counts.push(side('left'))
    }
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0)
  })

  test('refuses an existing file name', async (home) => {
    const records = await makeRecords(home.path)
    await Bun.write(`${home.path}/taken.tar`, 'mine')

    const made = backUp(records, `${home.path}/taken.tar`, { now })

    await expect(made).rejects.toThrow('exists already')
    expect(await Bun.file(`${home.path}/taken.tar`).text()).toBe('mine')
  })

  test('requires a database', async (home) => {
    const made = backUp(recordsOf(home.path), `${home.path}/`, { now })

    await expect(made).rejects.toThrow('There is no database at')
    expect(await readdir(home.path)).toEqual([])
  })
})

describe('a restore', () => {
  test('keeps the previous database with its log, and ends all sessions', async (home) => {
    const records = await makeRecords(home.path)
    const file = `${home.path}/dashboard.db`
    const { path } = await backUp(records, `${home.path}/kept/`, { now })
    await readOrCreateSecret(`${home.path}/jwt-secret`, secureRandom)
    const held = new Sqlite(file)
    held.run('PRAGMA wal_autocheckpoint = 0')
    held.run("INSERT INTO settings VALUES ('later', '1')")
    const later = contentOf(file)

    const { aside } = await restore(path, records, now)

    held.close()
    expect(aside).toBe(`${file}.before-restore-2026-11-20T140502Z`)
    expect(contentOf(aside ?? '')).toEqual(later)
    expect(contentOf(file).settings).toHaveLength(2)
    const left = (await readdir(home.path)).filter((name) => !/-(wal|shm)$/.test(name)).sort()
    expect(left).toEqual([
      'dashboard.db',
      'dashboard.db.before-restore-2026-11-20T140502Z',
      'dashboard.db.lock',
      'kept',
      'restored',
      'seal-secret',
    ])
  })

  test('keeps both previous databases of two restores in one second', async (home) => {
    const records = await makeRecords(home.path)
    const { path } = await backUp(records, `${home.path}/kept/`, { now })

    const asides = [await restore(path, records, now), await restore(path, records, now)]

    const name = `${home.path}/dashboard.db.before-restore-2026-11-20T140502Z`
    expect(asides.map(({ aside }) => aside)).toEqual([name, `${name}-2`])
    expect([contentOf(name), contentOf(`${name}-2`)]).toEqual([
      contentOf(records.database.url.replace('file:', '')),
      contentOf(records.database.url.replace('file:', '')),
    ])
  })

  test('restores a backup of an earlier version, and the next start migrates it', async (home) => {
    const records = await makeRecords(home.path)
    const { path } = await backUp(records, `${home.path}/kept/`, { now })

    await restore(path, records, now)

    const db = await openDatabase(records.database.url, undefined, undefined, LATER)
    db.close()
    expect(contentOf(`${home.path}/dashboard.db`).__drizzle_migrations).toHaveLength(LATER.length)
  })

  const spoilt: [string, (path: string, home: string) => Promise<unknown>, string][] = [
    ['is not there', (path) => Bun.file(path).delete(), 'cannot be read'],
    ['is no tar', (path) => Bun.write(path, 'x'.repeat(5_000)), 'is not a backup'],
    [
      'is cut off',
      async (path) => Bun.write(path, (await Bun.file(path).bytes()).slice(0, 90_000)),
      'is not a backup of a dashboard',
    ],
    ['has one wrong bit', (path) => edit(path, 100_000, (byte) => byte ^ 1), 'is damaged'],
    [
      'is of a newer format',
      (path) => replaceText(path, '"format": 1', '"format": 9'),
      'newer version',
    ],
    [
      'names fewer rows',
      (path) => replaceText(path, '"servers": 2', '"servers": 3'),
      'rows are missing',
    ],
    [
      'needs another secret',
      (_, home) => Bun.write(`${home}/seal-secret`, 'b'.repeat(64)),
      'differs from the one that the backup needs',
    ],
    [
      'needs a secret that is not there',
      (_, home) => Bun.file(`${home}/seal-secret`).delete(),
      'contains no secrets',
    ],
  ]
  test.each(spoilt)('changes nothing when the backup %s', async (home, _, spoil, message) => {
    const records = await makeRecords(home.path)
    const { path } = await backUp(records, `${home.path}/kept/`, { now })
    await spoil(path, home.path)
    const before = contentOf(`${home.path}/dashboard.db`)

    await expect(restore(path, records, now)).rejects.toThrow(message)

    expect(contentOf(`${home.path}/dashboard.db`)).toEqual(before)
    const names = await readdir(home.path)
    expect(names.filter((name) => /restor/.test(name))).toEqual([])
  })

  test('changes nothing when the backup has a newer version', async (home) => {
    const records = await makeRecords(home.path)
    const file = `${home.path}/dashboard.db`
    run(file, "INSERT INTO __drizzle_migrations VALUES (NULL, 'new', 9e15)")
    const { path } = await backUp(records, `${home.path}/kept/`, { now })
    run(file, "DELETE FROM __drizzle_migrations WHERE hash = 'new'")
    const before = contentOf(file)

    await expect(restore(path, records, now)).rejects.toThrow('newer version of the dashboard')

    expect(contentOf(file)).toEqual(before)
  })

  test('is refused while a dashboard uses the database', async (home) => {
    const records = await makeRecords(home.path)
    const file = `${home.path}/dashboard.db`
    const { path } = await backUp(records, `${home.path}/kept/`, { now })
    const first = lockDatabase(file, 'shared')
    const second = lockDatabase(file, 'shared')

    await expect(restore(path, records, now)).rejects.toThrow('stop it first')

    expect([first, second]).not.toContain(undefined)
    first?.close()
    second?.close()
    expect((await restore(path, records, now)).aside).toContain('before-restore')
  })

  test('replaces an unreadable database with a backup', async (home) => {
    const records = await makeRecords(home.path)
    const before = contentOf(`${home.path}/dashboard.db`)
    const { path } = await backUp(records, `${home.path}/kept/`, { now })
    await Bun.write(`${home.path}/dashboard.db`, 'nothing that SQLite knows '.repeat(1_000))

    await restore(path, records, now)

    expect(contentOf(`${home.path}/dashboard.db`)).toEqual(before)
  })
})

function run(file: string, sql: string): void {
  const database = new Sqlite(file)
  database.run(sql)
  database.close()
}

async function edit(path: string, at: number, change: (byte: number) => number): Promise<void> {
  const bytes = await Bun.file(path).bytes()
  bytes[at] = change(bytes[at] ?? 0)
  await Bun.write(path, bytes)
}

/** Replaces a text in a file by one of the same length, so that the archive stays whole. */
async function replaceText(path: string, from: string, to: string): Promise<void> {
  const text = Buffer.from(await Bun.file(path).bytes()).toString('latin1')
  await Bun.write(path, Buffer.from(text.replace(from, to), 'latin1'))
}
