import { expect, test } from 'bun:test'
import { serverProvision } from '#agent/features/servers/server.provision.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { planOf } from '#agent/kernel/operations/runner.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import {
  contextOf,
  debian,
  installed,
  outcome,
  runs,
  server,
  shop,
} from '#tests/support/agent/debian.ts'

const WILDCARD = `# configuration file /etc/nginx/nginx.conf:
http { include sites-enabled/*; }
# configuration file /etc/nginx/sites-enabled/wild:
server { listen 80; server_name *.example; }
`

const asked = async (steps: readonly Step[]) =>
  (await planOf(steps)).steps.flatMap(({ effects }) => effects).filter(({ asks }) => asks)

test('takes a name from a wildcard only when the caller accepts it', async () => {
  const host = await server()
  host.answer('nginx -T', WILDCARD)
  host.pages.set('http://shop.example/', '<a href="http://shop.example/">')
  const what = 'shop.example, which /etc/nginx/sites-enabled/wild serves as *.example'

  expect(await asked(await siteCreate.plan(shop, host))).toContainEqual({
    ...{ action: 'change', kind: 'name', name: what, asks: 'name_taken_over' },
  })
  await expect(siteCreate.run(shop, contextOf(host)).next()).rejects.toMatchObject({
    fields: { accept: [expect.stringContaining(`name ${what} (name_taken_over),`)] },
  })
  expect(host.ran.filter((line) => line.startsWith('useradd'))).toEqual([])
  const accepted = siteCreate.run({ ...shop, accept: ['name_taken_over'] }, contextOf(host))
  expect((await outcome(accepted))[1]).toEqual({ domain: 'shop.example' })
})

test('upgrades, removes and restarts packages that others use only when the caller accepts it', async () => {
  const host = debian()
  await host.disk.write('/var/lib/dpkg/status', installed(['nginx', 'cron', 'php8.2-fpm']))
  runs(host.disk, '/run/php/php8.2-fpm.pid', 30, 'php-fpm8.2')
  host.answer(
    'apt-get -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o Debug::NoLocking=true --simulate',
    'Remv mysql-server [8.0]\nInst php8.2-common [8.2.1] (8.2.2)\nInst mariadb-server (10.11)\n',
  )

  const run = serverProvision.run({ php_versions: [] }, contextOf(host))

  await expect(run.next()).rejects.toMatchObject({
    fields: {
      accept: [
        'This changes what Hosting Control did not create: package mysql-server (packages_removed), package php8.2-common (packages_changed), restart php8.2-fpm.service (php_restarted). Confirm it with accept: ["packages_removed", "packages_changed", "php_restarted"]',
      ],
    },
  })
  expect(
    host.ran.filter((line) => line.includes(' install -y') && !line.includes('--simulate')),
  ).toEqual([])
})

test('starts a stopped service only when the caller accepts it', async () => {
  const host = debian()
  await host.disk.remove('/run/crond.pid')

  const run = serverProvision.run({ php_versions: [] }, contextOf(host))

  await expect(run.next()).rejects.toMatchObject({
    fields: {
      accept: [
        'This changes what Hosting Control did not create: service cron.service (service_started). Confirm it with accept: ["service_started"]',
      ],
    },
  })
})

test('a restored site takes its name from a wildcard only when the caller accepts it', async () => {
  const host = await server(shop)
  await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))
  host.answer('nginx -T', WILDCARD)
  const before = host.disk.all
  const only = { domain: 'shop.example' }

  await expect(siteRestore.run(only, contextOf(host)).next()).rejects.toMatchObject({
    fields: { accept: [expect.stringContaining('name shop.example, which ')] },
  })
  expect(host.disk.all).toEqual(before)
  expect(await asked(await siteRestore.plan(only, host))).not.toEqual([])
  const accepted = siteRestore.run({ ...only, accept: ['name_taken_over'] }, contextOf(host))
  expect((await outcome(accepted))[1]).toEqual(only)
})

test('a restore starts a stopped service only when the caller accepts it', async () => {
  const host = await server(shop)
  await outcome(siteDelete.run({ domain: 'shop.example' }, contextOf(host)))
  await host.disk.remove('/run/crond.pid')

  const run = siteRestore.run({ domain: 'shop.example' }, contextOf(host))

  await expect(run.next()).rejects.toMatchObject({
    fields: {
      accept: [
        'This changes what Hosting Control did not create: service cron.service (service_started). Confirm it with accept: ["service_started"]',
      ],
    },
  })
})

test('the plan of a site says that it is served by IPv4 only where the other sites are', async () => {
  const host = await server()
  host.answer('nginx -T', WILDCARD.replace('*.example', 'other.example'))
  await host.disk.write(
    '/proc/1/net/if_inet6',
    '20010db8000000000000000000000001 02 40 00 80 eth0\n',
  )
  const { steps } = await planOf(await siteCreate.plan(shop, host))
  expect(steps.filter(({ notes }) => notes).map(({ name, notes }) => ({ name, notes }))).toEqual([
    { name: 'vhost', notes: [expect.stringContaining('by IPv4 only')] },
  ])
})
