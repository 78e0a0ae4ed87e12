import { expect, test } from 'bun:test'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { siteDomains } from '#agent/features/domains/site.domains.ts'
import { siteConfigure } from '#agent/features/sites/site.configure.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { servicePathOf, socketPathOf } from '#agent/features/web/page-purge/paths.ts'
import { pluginPathOf } from '#agent/features/web/page-purge/plugin.ts'
import { COMMANDS } from '#shared/commands.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const SOCKET = socketPathOf('shop')
const SERVICE = servicePathOf('shop')
const PLUGIN = pluginPathOf('shop')

const configure = (host: FakeHost, change: object) =>
  outcome(siteConfigure.run({ domain, ...change }, contextOf(host)))
const purgeFiles = (host: FakeHost) =>
  Object.keys(host.disk.all).filter((path) => /hosting-purge@|control-purge/.test(path))

test('a site gets a listener and the plugin, and loses both', async () => {
  const host = await server(shop)
  await configure(host, { page_purge: true })
  await configure(host, { page_purge: false })
  const before = host.disk.all
  host.runs.length = 0

  const [lines, result] = await configure(host, { page_purge: true })

  expect(lines).toContain('Installing the plugin that reports changed pages')
  expect(result).toMatchObject({ domain, page_purge: true })
  expect(host.disk.all[SOCKET]).toContain('SocketUser=shop\nSocketMode=0600\n')
  const service = host.disk.all[SERVICE]
  expect(service).toContain('page-purge-listener.php /var/cache/hosting/shop shop.example www.')
  expect(service).toContain('\nUser=www-data\n')
  expect(host.disk.all[PLUGIN]).toContain('Made by Hosting Control')
  expect(host.ran).toContain('systemctl start hosting-purge@shop.socket')

  await configure(host, { page_purge: false })

  expect(purgeFiles(host)).toEqual([])
  expect(host.disk.all).toEqual(before)
})

test('it follows the names of the site, its page cache, and its deletion', async () => {
  const host = await server(shop)
  await configure(host, { page_purge: true })

  const aliases = COMMANDS['site.domains'].params.parse({ domain, aliases: ['alias.example'] })
  await outcome(siteDomains.run(aliases, contextOf(host)))
  expect(host.disk.all[SERVICE]).toContain('alias.example')
  await configure(host, { page_cache: { enabled: false, paths: [], cookies: [] } })
  expect(purgeFiles(host)).toEqual([PLUGIN])
  await configure(host, { page_cache: null })
  expect(host.disk.all[SOCKET]).toBeDefined()
  await outcome(siteDelete.run({ domain }, contextOf(host)))
  expect(host.disk.all[SOCKET]).toBeUndefined()
  expect(host.disk.all[SERVICE]).toBeUndefined()
})

test('a plugin of somebody else stays, and the change is undone', async () => {
  const host = await server(shop)
  await host.disk.write(PLUGIN, '<?php // mine')
  const before = host.disk.all

  const [lines, message] = await configure(host, { page_purge: true })

  expect(lines).toContain('Undoing: Installing the plugin that reports changed pages')
  expect(message).toBe(`${PLUGIN} was not made by Hosting Control: move it away`)
  expect(host.disk.all).toEqual(before)
})

test('a server without systemd is refused', async () => {
  const host = await server(shop)
  host.init = 'direct'

  expect((await configure(host, { page_purge: true }))[1]).toBe(
    'The purge of pages needs a server with systemd',
  )
})

test('a restored backup from before the setting gets the plugin', async () => {
  const { host, restore } = await savedSite({})
  await configure(host, { page_purge: true })

  const params = restore({ files: true, database: true })
  const [lines] = await outcome(backupRestore.run(params, contextOf(host)))

  expect(lines).toContain('Installing the plugin that reports changed pages')
  expect(host.disk.all[PLUGIN]).toContain('Made by Hosting Control')
})

test('an interrupted removal leaves nothing that stops the next one', async () => {
  const host = await server(shop)
  await configure(host, { page_purge: true })
  await host.disk.remove(SERVICE)
  host.runs.length = 0

  await configure(host, { page_purge: false })

  expect(host.ran).toContain('systemctl stop hosting-purge@shop.socket')
  expect(purgeFiles(host)).toEqual([])
})
