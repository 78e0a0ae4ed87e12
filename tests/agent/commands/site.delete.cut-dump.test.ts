import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/commands/site.delete.ts'
import { contextOf, listOfTables, outcome, server, shop } from '#tests/support/agent/debian.ts'

test('refuses an incomplete dump and keeps the site', async () => {
  const host = await server(shop)
  await host.disk.mkdir('/srv/www/.trash', { mode: 0o700 })
  const before = host.disk.all
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    const path = options?.output_file
    if (path !== undefined) await host.disk.write(path, 'CREATE TABLE …', { mode: 0o600 })
    return output
  }

  const [, message] = await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))

  expect(message).toBe('The dump of the database was cut off before its end')
  expect(host.disk.all).toEqual(before)
  expect(host.queries.filter((query) => query.startsWith('DROP'))).toEqual([])
})

test('refuses an incomplete list of the tables', async () => {
  const host = await server(shop)
  host.answer('mariadb --no-defaults', listOfTables('wp_options').replace('end\n', ''))

  const [, message] = await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))

  expect(message).toBe('The list of the tables was cut off before its end')
})
