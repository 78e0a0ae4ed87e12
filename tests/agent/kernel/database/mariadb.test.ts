import { expect, test } from 'bun:test'
import { applyAccount } from '#agent/kernel/database/account.ts'
import {
  createDatabase,
  ensureMariadb,
  refuseExistingDatabase,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { server } from '#tests/support/agent/debian.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const owner = { user: 'shop_one', tier: 'small' } as const
const RIGHTS = { tables: true, routines: false }

test('creates an account with rights to tables of one name, not of a pattern', async () => {
  const host = fakeHost()

  await createDatabase(host, owner, new Secret('secret')).apply()

  expect(host.queries).toEqual([
    'CREATE DATABASE ?? CHARACTER SET ? COLLATE ? | shop_one | utf8mb4 | utf8mb4_unicode_520_ci',
    "CREATE USER ?@'localhost' IDENTIFIED VIA mysql_native_password USING PASSWORD(?) OR unix_socket WITH MAX_USER_CONNECTIONS ? MAX_STATEMENT_TIME ? | shop_one | secret | 15 | 60",
    "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, REFERENCES, CREATE TEMPORARY TABLES, LOCK TABLES ON ??.* TO ?@'localhost' | shop\\_one | shop_one",
  ])
})

test('grants rights for code in the database on request of a site', async () => {
  const host = fakeHost()

  await createDatabase(host, { ...owner, database_routines: true }, new Secret('secret')).apply()

  expect(host.queries.at(-1)).toBe(
    "GRANT CREATE VIEW, SHOW VIEW, TRIGGER, CREATE ROUTINE, ALTER ROUTINE, EXECUTE, EVENT ON ??.* TO ?@'localhost' | shop\\_one | shop_one",
  )
})

test.each(['SELECT SCHEMA_NAME', 'SELECT User'])(
  'refuses a name that %s finds',
  async (statement) => {
    const host = fakeHost()
    host.rows(statement, [{}])

    await expect(refuseExistingDatabase(host, 'shop')).rejects.toThrow('Validation failed: user')
  },
)

test('starts MariaDB and waits until it answers', async () => {
  const host = await server()
  await host.disk.remove('/run/mysqld/mysqld.pid')
  const { admin } = host.database
  let asked = 0
  host.database.admin = (statement, values) =>
    asked++ < 3 ? Promise.reject(new Error('not yet')) : admin(statement, values)

  await ensureMariadb(host)

  expect(host.ran).toEqual(['systemctl start mariadb.service'])
  expect(asked).toBe(4)
})

test('says what to do when MariaDB does not start', async () => {
  const host = await server()
  await host.disk.remove('/run/mysqld/mysqld.pid')
  host.fail('systemctl start mariadb.service', 'Job for mariadb.service failed')

  const refused = await ensureMariadb(host).catch((error: ServiceError) => error.body)

  expect(refused).toEqual({
    error: 'Internal error',
    message:
      'MariaDB does not start on this server: see "MariaDB does not start" in the troubleshooting of the documentation, then choose Retry (systemctl failed (exit status 1): Job for mariadb.service failed)',
    code: 'database_failed',
  })
})

test('removes a database also while the machine still starts, and ends its connections first', async () => {
  const host = await server()
  await host.disk.remove('/run/mysqld/mysqld.pid')

  await removeDatabase(host, 'shop').apply()

  expect(host.ran).toEqual(['systemctl start mariadb.service'])
  expect(host.queries.slice(-4)).toEqual([
    "DROP USER IF EXISTS ?@'localhost' | shop",
    "KILL USER ?@'localhost' | shop",
    'SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE USER = ? | shop',
    'DROP DATABASE IF EXISTS ?? | shop',
  ])
})

async function changesOf(owned: Parameters<typeof applyAccount>[1], prepare: object) {
  const host = fakeHost()
  host.mariadb.addAccount('shop')
  const before = host.mariadb.accounts.get('shop')
  if (!before) throw new Error('no account')
  host.mariadb.accounts.set('shop', { ...before, ...prepare })
  await applyAccount(host, owned).apply()
  const changes = host.queries.filter((query) => !query.startsWith('SELECT'))
  return { changes: changes.map((query) => query.split(' ')[0]), after: accountIn(host), before }
}

const accountIn = (host: ReturnType<typeof fakeHost>) => host.mariadb.accounts.get('shop')
const shop = { user: 'shop', tier: 'small' } as const

test('does not change a correct account', async () => {
  const { changes, after, before } = await changesOf(shop, {})

  expect([changes, after]).toEqual([[], before])
})

test('revokes rights that an account should not have, keeps its password and ends its connections', async () => {
  const old = { connections: 0, seconds: 0, routines: true }

  const { changes, after, before } = await changesOf(shop, old)

  expect(changes).toEqual(['ALTER', 'REVOKE', 'KILL'])
  expect(after).toEqual({ ...before, ...RIGHTS, connections: 15, seconds: 60 })
})

test('follows the tier and the setting, and keeps connections that gain rights', async () => {
  const large = { user: 'shop', tier: 'large', database_routines: true } as const

  const { changes, after, before } = await changesOf(large, {})

  expect(changes).toEqual(['ALTER', 'GRANT'])
  expect(after).toEqual({ ...before, connections: 15, seconds: 300, routines: true })
})

test.each([
  ['rights to everything', { access: 2 ** 40 }, []],
  ['a database of somebody else', {}, [{ Host: 'localhost', Db: 'other', Select_priv: 'Y' }]],
  ['the right to grant', {}, [{ Host: 'localhost', Db: 'shop', Grant_priv: 'Y' }]],
])('revokes every right of an account that has %s, and grants its own', async (_, priv, rows) => {
  const host = fakeHost()
  host.mariadb.addAccount('shop')
  const socket = { plugin: 'unix_socket', max_user_connections: 15, max_statement_time: 60 }
  host.rows('SELECT Priv', [{ priv: JSON.stringify({ ...socket, ...priv }) }])
  if (rows.length > 0) host.rows('SELECT * FROM mysql.db', rows)

  await applyAccount(host, shop).apply()

  expect(host.queries.filter((query) => !query.startsWith('SELECT'))).toEqual([
    "REVOKE ALL PRIVILEGES, GRANT OPTION FROM ?@'localhost' | shop",
    expect.stringMatching(/^GRANT SELECT, .* \| shop \| shop$/),
    "KILL USER ?@'localhost' | shop",
  ])
})

test('does not create a missing account', async () => {
  const host = fakeHost()

  await applyAccount(host, shop).apply()

  expect(host.queries).toEqual([
    "SELECT Priv AS priv FROM mysql.global_priv WHERE User = ? AND Host = 'localhost' | shop",
  ])
})
