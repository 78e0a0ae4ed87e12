import { expect, test } from 'bun:test'
import { unsteadyTables } from '#agent/kernel/database/dump.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const with_ = (...names: string[]) => {
  const host = new FakeHost()
  for (const name of names) host.disk.putText(`/var/lib/mysql/shop/${name}`, '')
  return unsteadyTables(host, 'shop')
}

test('a dump of tables with transactions has one moment', async () => {
  expect(await with_('db.opt', 'wp_posts.frm', 'wp_posts.ibd')).toEqual([])
})

test('tables without transactions are a warning', async () => {
  const rest = 'an engine without transactions, so that the dump may have rows of several moments'
  expect(await with_('a.frm', 'a.MYD', 'a.MYI')).toEqual([
    `Warning: 1 table has ${rest}: convert to InnoDB`,
  ])
  expect(await with_('a.MYD', 'b.MAD', 'c.CSV', 'd.ARZ')).toEqual([
    `Warning: 4 tables have ${rest}: convert to InnoDB`,
  ])
})
