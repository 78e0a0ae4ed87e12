import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { listServed } from '#agent/features/existing/vhosts.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const FIXTURES = join(import.meta.dirname, '../../../../support/fixtures/caddy')
const MAIN = '/etc/caddy/Caddyfile'
const RUN = '/usr/bin/caddy run --environ --config /etc/caddy/Caddyfile'
const SAVED = '/var/lib/caddy/.config/caddy/autosave.json'
const SOCKET = '/run/php/php8.2-fpm.sock'

/** A machine with a Caddyfile, and Caddy's own translation of it. */
async function machine(name: string): Promise<FakeHost> {
  const host = fakeHost()
  await host.disk.write(MAIN, await Bun.file(join(FIXTURES, `${name}.caddyfile`)).text())
  host.answer('caddy adapt', await Bun.file(join(FIXTURES, `${name}.json`)).text())
  return host
}

async function served(host: FakeHost, line = RUN) {
  const found = await listServed(host, [{ pid: 7, root: false, line }])
  return found.map(({ names, docroot, proxy, php, unknown }) =>
    [
      names.join(','),
      docroot || proxy || '-',
      php.address || '-',
      ...Object.entries(unknown).map((entry) => entry.join('=')),
    ].join(' '),
  )
}

test('reads sites, an address and one label, and not what only some paths have', async () => {
  const expected = [
    `shop.example,www.shop.example /var/www/shop ${SOCKET} tls=no_certificate_yet`,
    'laravel.example /srv/laravel/public 127.0.0.1:9000 tls=no_certificate_yet',
    '203.0.113.8 /srv/ip - tls=no_certificate_yet',
    'intranet /srv/intranet -',
  ]
  expect(await served(await machine('common'))).toEqual(expected)
})

test('reads the site for any name, whose settings are several routes', async () => {
  expect(await served(await machine('catchall-php'))).toEqual([`_ /var/www/html ${SOCKET}`])
})

test('reads the names of a wildcard that have settings of their own', async () => {
  const host = await machine('wildcard')
  await host.disk.write(
    '/var/lib/caddy/.local/share/caddy/certificates/local/wildcard_.wild.example/wildcard_.wild.example.crt',
    'certificate',
  )
  expect(await served(host)).toEqual([
    `blog.wild.example /srv/blog ${SOCKET}`,
    'app.wild.example localhost:3000 -'.replace('localhost', '127.0.0.1'),
  ])
})

test('reads the sites of folders that are named after hosts and labels', async () => {
  const host = await machine('mass')
  await host.disk.write('/srv/sites/a.example/public/index.php', '')
  await host.disk.write('/home/anna/www/index.php', '')
  expect(await served(host)).toEqual([
    'anna.users.example /home/anna/www - tls=no_certificate_yet',
    `a.example /srv/sites/a.example/public ${SOCKET}`,
    '*.users.example - - docroot=computed tls=no_certificate_yet',
    `_ - ${SOCKET} docroot=computed`,
  ])
})

test.each([
  ['resumes it', '/usr/bin/caddy run --environ --resume', 'catchall-php'],
  ['has variables of its environment', RUN, 'catchall-php'],
])('reads the configuration that Caddy saved when it %s', async (_, line, name) => {
  const host = await machine('common')
  await host.disk.write(MAIN, '{$SITE_ADDRESS} {\n\troot * /srv/x\n}')
  await host.disk.write(SAVED, await Bun.file(join(FIXTURES, `${name}.json`)).text())

  expect(await served(host, line)).toEqual([`_ /var/www/html ${SOCKET}`])
  expect(host.ran).toEqual([])
})

test.each([
  ['is refused', '', 1],
  ['is no JSON', '{', 0],
  ['is of another shape', '{"apps":{"http":{"servers":{"a":{"routes":[{"handle":7}]}}}}}', 0],
  ['is nested without end', `${'{"apps":'.repeat(50_000)}`, 0],
])('finds no site in a configuration that %s', async (_, text, code) => {
  const host = fakeHost()
  await host.disk.write(MAIN, 'shop.example')
  host.answer('caddy adapt', text)
  if (code !== 0) host.fail('caddy adapt', 'refused')
  expect(await served(host)).toEqual([])
})
