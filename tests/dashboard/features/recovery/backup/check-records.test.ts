// tier: gate
import { Database as Sqlite } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { open } from 'node:fs/promises'
import { checkRecords } from '#dashboard/features/recovery/backup/check-records.ts'
import { makeReleased, markRows } from '#tests/support/dashboard/filled.ts'
import { contentOf, makeFolder } from '#tests/support/dashboard/records.ts'

/** The report on a sound database after these statements. */
async function reportAfter(...changes: string[]) {
  await using home = await makeFolder()
  const file = `${home.path}/dashboard.db`
  await makeReleased(file)
  const database = new Sqlite(file)
  for (const sql of changes) database.run(sql)
  database.close()
  const before = contentOf(file)
  const report = await checkRecords({ database: { url: `file:${file}` }, data_dir: home.path })
  expect(contentOf(file)).toEqual(before)
  return report
}

const operation = (id: string, status: string, site_id: string | number = 'NULL') =>
  `INSERT INTO operations (id, type, server_id, site_id, domain, params, status, deadline_at, created_at, finished_at)
   VALUES ('${id}', 'site.create', 1, ${site_id}, 'a', '{}', '${status}', '', '', ${status === 'running' ? 'NULL' : "strftime('%Y-%m-%dT%H:%M:%fZ')"})`
const activity = (id: string, status: string) =>
  `INSERT INTO activities (type, domain, status, operation_id, created_at) VALUES ('site.create', 'a', '${status}', '${id}', '')`
const event = (operation_id: string, id: number, kind: string) =>
  `INSERT INTO operation_events VALUES ('${operation_id}', ${id}, '${kind}', '{}')`

const broken: [string, string[], string][] = [
  ['a gap', [event('operation-1', 3, 'log')], 'operation with a gap in its events: operation-1'],
  [
    'an event after the end',
    [event('operation-1', 2, 'log')],
    'operation with an event after its end: operation-1',
  ],
  [
    'no last event',
    [operation('a', 'success'), activity('a', 'success'), event('a', 1, 'log')],
    'ended operation without its last event: a',
  ],
  [
    'a last event too early',
    [operation('a', 'running'), activity('a', 'running'), event('a', 1, 'error')],
    'running operation that has a last event: a',
  ],
  [
    'two outcomes',
    ["UPDATE operation_events SET event = 'error' WHERE operation_id = 'operation-2'"],
    'operation whose outcome differs from its last event: operation-2',
  ],
  [
    'an end without an end',
    ["UPDATE operations SET finished_at = NULL WHERE id = 'operation-1'"],
    'operation whose end and status disagree: operation-1',
  ],
  [
    'no site',
    [operation('a', 'running', 9), activity('a', 'running')],
    'running operation for a missing site: a',
  ],
  [
    'no activity',
    ["DELETE FROM activities WHERE operation_id = 'operation-1'"],
    'operation without its activity: operation-1',
  ],
  [
    'another outcome in the activities',
    ["UPDATE activities SET status = 'failed' WHERE operation_id = 'operation-1'"],
    'operation whose activity has another outcome: operation-1',
  ],
  [
    'a site that waits for nobody',
    ["UPDATE sites SET status = 'deleting' WHERE id = 1"],
    `site that is being changed without an operation: domain 1 é世'"`,
  ],
  [
    'a key that is gone',
    ["UPDATE server_agents SET kid = 'lost' WHERE server_id = 2"],
    'enrolled server with a missing key: 2',
  ],
  [
    'a broken value',
    ["UPDATE servers SET tags = '[' WHERE id = 2"],
    'row of servers whose tags cannot be read: 2',
  ],
  [
    'a row that points to nothing',
    ['PRAGMA foreign_keys = OFF', 'DELETE FROM users WHERE id = 2'],
    'row 2 of api_tokens refers to a missing row of users',
  ],
  ['a table more', ['CREATE TABLE extra (a)'], 'table extra is not one of the dashboard'],
  [
    'an index less',
    ['DROP INDEX operations_one_per_site'],
    'index operations_one_per_site is missing',
  ],
  ['a column more', ['ALTER TABLE users ADD extra text'], 'table users has another definition'],
]

const at = (row: number) => `2026-01-0${row}T00:00:00.000Z`
const wrong = (row: string) => [
  `${row}: the row was changed outside of the dashboard and is not accepted`,
]

describe('the check', () => {
  test('finds nothing in consistent records, and names what it did not check', async () => {
    expect(await reportAfter()).toEqual({
      findings: [],
      notes: [expect.stringContaining('the sealed keys were not opened')],
    })
  })

  test.each(broken)('finds %s', async (_, changes, finding) => {
    expect((await reportAfter(...changes)).findings).toContain(finding)
  })

  test('finds a site with two running operations that no index prevented', async () => {
    const { findings } = await reportAfter(
      'DROP INDEX operations_one_beside_backup',
      'DROP INDEX operations_one_per_site',
      `CREATE UNIQUE INDEX operations_one_per_site ON operations (site_id) WHERE status in ('queued')`,
      ...[operation('a', 'running', 1), operation('b', 'running', 1)],
    )

    expect(findings).toEqual([
      'index operations_one_beside_backup is missing',
      'index operations_one_per_site has another definition',
    ])
  })

  test('finds a damaged page of SQLite', async () => {
    await using home = await makeFolder()
    const path = `${home.path}/dashboard.db`
    await makeReleased(path)
    const file = await open(path, 'r+')
    await file.write(Buffer.alloc(2_000, 7), 0, 2_000, 4096 * 3)
    await file.close()

    const report = await checkRecords({ database: { url: `file:${path}` }, data_dir: home.path })

    expect(report.findings).not.toEqual([])
  })

  test('finds keys that the secret of this folder cannot decrypt', async () => {
    await using home = await makeFolder()
    const path = `${home.path}/dashboard.db`
    await makeReleased(path)
    await Bun.write(`${home.path}/seal-secret`, 'a'.repeat(64))

    const report = await checkRecords({ database: { url: `file:${path}` }, data_dir: home.path })

    expect(report.findings).toEqual([
      ...[1, 2].flatMap((id) => wrong(`user ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`session of user ${id} from ${at(id)}`)),
      ...[1, 2].flatMap((id) => wrong(`API token name ${id} é世'" of user ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`grant gives ${id} é世'" of user ${id}`)),
      ...[1, 2].flatMap((id) =>
        wrong(`grant gives ${id} é世'" of user ${id} on a part of the fleet`),
      ),
      ...[1, 2].flatMap((id) => wrong(`group name ${id} é世'"`)),
      ...[1, 2].flatMap((id) => wrong(`membership of user ${id} in group ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`grant gives ${id} é世'" of group ${id}`)),
      ...[1, 2].flatMap((id) =>
        wrong(`rule of the access policy about what ${id} é世'" of user ${id}`),
      ),
      ...[1, 2].flatMap((id) => wrong(`invitation of person ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`passkey name ${id} é世'" of user ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`link for a new password of user ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`trusted agent of server ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`second factor of user ${id}`)),
      ...[1, 2].flatMap((id) => wrong(`identity provider key ${id} é世'"`)),
      ...[1, 2].flatMap((id) => wrong(`identity of user ${id} at issuer ${id} é世'"`)),
      ...[1, 2].flatMap((id) => wrong(`login at the provider provider ${id} é世'"`)),
      'signing key key-1 cannot be opened with the seal-secret',
      'signing key key-2 cannot be opened with the seal-secret',
      'code of server 1 cannot be opened with the seal-secret',
      'code of server 2 cannot be opened with the seal-secret',
    ])
  })
  describe('of the marks of rows that admit', () => {
    const SECRET = 'a'.repeat(64)

    /** The findings about rows, when all had their marks before these statements. */
    async function findingsAfter(...changes: string[]) {
      await using home = await makeFolder()
      const path = `${home.path}/dashboard.db`
      await makeReleased(path)
      const database = new Sqlite(path)
      markRows(database, SECRET)
      for (const sql of changes) database.run(sql)
      database.close()
      await Bun.write(`${home.path}/seal-secret`, SECRET)
      const report = await checkRecords({ database: { url: `file:${path}` }, data_dir: home.path })
      return report.findings.filter((text) => !text.includes('cannot be opened'))
    }

    test('finds nothing when all are as a dashboard wrote them', async () => {
      expect(await findingsAfter()).toEqual([])
    })

    test.each([
      ["UPDATE users SET email = 'a@example.com' WHERE id = 1", 'user 1'],
      ['UPDATE users SET deactivated_at = NULL WHERE id = 1', 'user 1'],
      ['UPDATE users SET passkeys = 0 WHERE id = 1', 'user 1'],
      ['UPDATE passkeys SET user_id = 1 WHERE user_id = 2', `passkey name 2 é世'" of user 1`],
      ["UPDATE invitations SET role = 'owner' WHERE person_id = 2", 'invitation of person 2'],
      [
        "UPDATE sessions SET expires_at = '2099' WHERE user_id = 2",
        `session of user 2 from ${at(2)}`,
      ],
      [
        "UPDATE api_tokens SET scope = 'admin', name = 'a' || char(27) || '[2Jb' WHERE user_id = 1",
        'API token a?[2Jb of user 1',
      ],
      ["UPDATE api_tokens SET mark = '' WHERE user_id = 2", `API token name 2 é世'" of user 2`],
      [
        "UPDATE server_agents SET certificate = 'other' WHERE server_id = 2",
        'trusted agent of server 2',
      ],
    ])('finds the row that was changed by %s', async (change, row) => {
      expect(await findingsAfter(change)).toEqual(wrong(row))
    })

    test('names the first twenty, and the number of all', async () => {
      const others = Array.from(
        { length: 30 },
        (_, at) =>
          `INSERT INTO sessions (jti, user_id, created_at, renewed_at, expires_at) VALUES ('j${at}', 1, '${at}', '', '')`,
      )

      const findings = await findingsAfter(...others)

      expect(findings).toHaveLength(21)
      expect(findings.at(-1)).toBe('30 rows of sessions have no valid mark')
    })
  })
})
