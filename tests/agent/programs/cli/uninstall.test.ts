import { beforeEach, expect, test } from 'bun:test'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { readConfig } from '#agent/kernel/config.ts'
import { install } from '#agent/programs/cli/install.ts'
import { uninstall } from '#agent/programs/cli/uninstall.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const config = readConfig({})
const STATE = '/var/lib/hosting-agent'
const other = { ...shop, domain: 'other.example', user: 'other' }

let host: FakeHost
beforeEach(async () => {
  host = await server()
  await host.files.write('/run/dbus/system_bus_socket', '')
  await host.files.write('/etc/hostname', 'web-1\n')
  await install(config, host, [])
  for (const site of [shop, other]) {
    host.pages.set(`http://${site.domain}/`, `<a href="http://${site.domain}/">`)
    const [, result] = await outcome(siteCreate.run(site, contextOf(host)))
    expect(result).toMatchObject({ domain: site.domain })
  }
  const deleted = await outcome(siteDelete.run({ domain: other.domain }, contextOf(host)))
  expect(deleted[1]).toMatchObject({ domain: other.domain })
})

const left = (...starts: string[]) =>
  Object.keys(host.disk.all).filter((path) => starts.some((start) => path.startsWith(start)))

const records = () =>
  left(`${STATE}/sites`, `${STATE}/trash`).filter((path) => /\/[a-z]+\.example\.json$/.test(path))

test('removes the agent, keeps the sites and their records, and lists the features that stop', async () => {
  const output = await uninstall(config, host, [])

  expect(left('/etc/systemd/system/hosting-agent', '/etc/hosting-agent', `${STATE}/trust`)).toEqual(
    [],
  )
  expect(records()).toEqual([
    `${STATE}/sites/shop.example.json`,
    `${STATE}/trash/other.example.json`,
  ])
  expect(host.ran).toContain('groupdel hosting-agent')
  expect(output).toBe(`removed:
  the agent: its services, settings, keys and program
stays:
  the site shop.example, served as before
  files below /srv/www, databases, and system users
  /etc/hosting, /usr/local/lib/hosting, /var/log/hosting, /var/cache/hosting
  /var/lib/hosting-etc, which sites see as /etc
  units and slices /etc/systemd/system/hosting-*, /etc/logrotate.d/hosting-*
  nginx: /etc/nginx/conf.d/hosting.conf and sites hosting-* of sites-available
  its records: ${STATE}, which a new installation of the agent uses
  all packages, such as nginx, MariaDB and PHP, and their settings of Debian
stops:
  the renewal of certificates
  the mail of sites: it is no longer sent to a relay
  the restart of sites after updates of PHP: reboot the server after each
  stopping the PHP of idle sites, and measuring and limiting disk use
  purging the trash: the site other.example

To remove more: --purge, or --remove-sites <hostname of this server>`)
})

test('lists all of that before it removes anything', async () => {
  const before = host.disk.all
  const ran = host.ran.length

  const output = await uninstall(config, host, ['--dry-run', '--purge'])

  expect(host.disk.all).toEqual(before)
  expect(host.ran.slice(ran)).toEqual([])
  expect(output).toStartWith('would be removed:\n  the agent: ')
  expect(output).toContain('  from the trash, permanently: the site other.example\n')
})

test('purges its records and its trash, and keeps the services of the sites', async () => {
  const served = left('/etc/nginx', '/etc/hosting/', '/etc/systemd/system/hosting-fpm@')

  await uninstall(config, host, ['--purge'])

  expect(left(STATE, '/etc/hosting-agent')).toEqual([])
  expect(left('/etc/nginx', '/etc/hosting/', '/etc/systemd/system/hosting-fpm@')).toEqual(served)
  expect([host.databases.has('shop'), host.databases.has('other')]).toEqual([true, false])
})

test('removes every site and everything that it installed only when the server is named', async () => {
  await expect(uninstall(config, host, ['--remove-sites', 'web-2'])).rejects.toThrow(
    '--remove-sites deletes every site permanently: name this server, web-1',
  )
  expect(records()).toContain(`${STATE}/sites/shop.example.json`)

  const output = await uninstall(config, host, ['--remove-sites', 'web-1'])

  expect(output).toContain('  permanently: the site shop.example\n')
  const places = [STATE, '/etc/hosting', '/etc/systemd/system', '/srv/www', '/usr/local/lib']
  expect(left(...places, '/etc/nginx/conf.d', '/etc/nginx/sites-')).toEqual([
    '/etc/systemd/system/multi-user.target.wants',
    '/etc/systemd/system/timers.target.wants',
    '/srv/www',
  ])
})

test('keeps the services of a site without records, and says so', async () => {
  await uninstall(config, host, ['--purge'])
  await install(config, host, [])
  const served = left('/etc/nginx', '/etc/hosting/', '/usr/local/lib/hosting')

  const output = await uninstall(config, host, ['--remove-sites', 'web-1'])

  expect(left('/etc/nginx', '/etc/hosting/', '/usr/local/lib/hosting')).toEqual(served)
  expect(output).toContain('  of an agent whose records were purged: the site shop.example\n')
  expect(output).toContain('  nginx: /etc/nginx/conf.d/hosting.conf')
})
