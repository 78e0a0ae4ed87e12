import { expect, test } from 'bun:test'
import {
  createDatabase,
  ensureMariadb,
  refuseExistingDatabase,
  removeDatabase,
} from '#agent/os/mariadb.ts'
import { Secret } from '#shared/secret.ts'
import { server } from '#tests/agent/commands/debian.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('grants a name and not a pattern that other names match', async () => {
  const host = fakeHost()

  await createDatabase(host, 'shop_one', new Secret('secret'))

  const [create, , grant] = host.queries
  expect(create).toBe(
    'CREATE DATABASE ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci | shop_one',
  )
  expect(grant).toEndWith("ON ??.* TO ?@'localhost' | shop\\_one | shop_one")
  expect(grant).not.toMatch(/ALL|FILE|PROCESS|SUPER|GRANT OPTION/)
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
  const { query } = host.database
  let asked = 0
  host.database.query = (sql, values) =>
    asked++ < 3 ? Promise.reject(new Error('not yet')) : query(sql, values)

  await ensureMariadb(host)

  expect(host.ran).toEqual(['systemctl start mariadb.service'])
  expect(asked).toBe(4)
})

test('removes a database also while the machine still starts', async () => {
  const host = await server()
  await host.disk.remove('/run/mysqld/mysqld.pid')

  await removeDatabase(host, 'shop')

  expect(host.ran).toEqual(['systemctl start mariadb.service'])
  expect(host.queries.at(-1)).toBe('DROP DATABASE IF EXISTS ?? | shop')
})
