import { expect, test } from 'bun:test'
import { ensureServices } from '#agent/os/server/ensure-services.ts'
import { servicesOf } from '#agent/os/services/index.ts'
import { MARIADB, NGINX } from '#agent/os/services/known.ts'
import { isRunning } from '#agent/os/services/service.ts'
import { runs, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const PROGRAMS: Record<string, [string, number, string]> = {
  '/usr/sbin/nginx': ['/run/nginx.pid', 51, 'nginx'],
  '/usr/sbin/mariadbd': ['/run/mysqld/mysqld.pid', 52, 'mariadbd'],
  '/usr/sbin/php-fpm8.2': ['/run/hosting-fpm/shop-php8.2.pid', 53, 'php-fpm8.2'],
}

/** After a start of the machine: nothing runs; what is started writes its pid file. */
async function restarted(programs = PROGRAMS): Promise<FakeHost> {
  const host = await server(shop)
  host.init = 'direct'
  for (const path of Object.keys(host.disk.all)) {
    if (/^\/(run|proc\/\d)/.test(path)) await host.disk.remove(path)
  }
  const { daemon } = host.shell
  host.shell.daemon = async (argv, options) => {
    const started = programs[argv.find((word) => word in programs) ?? '']
    if (started) runs(host.disk, ...started)
    return daemon(argv, options)
  }
  return host
}

test('starts enabled services after a restart, sites before nginx', async () => {
  const host = await restarted()

  expect(await ensureServices(host)).toEqual([])
  expect(host.ran).toEqual([
    '/usr/sbin/mariadbd --user=mysql --pid-file=/run/mysqld/mysqld.pid',
    'env PHP_INI_SCAN_DIR=:/etc/hosting/fpm/shop-php8.2.d setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+chown,+kill,+setgid,+setuid -- /usr/sbin/php-fpm8.2 --nodaemonize --fpm-config /etc/hosting/fpm/shop-php8.2.d/pool.conf',
    '/usr/sbin/nginx -g daemon off;',
  ])
  expect(host.disk.find('/run/mysqld')?.options).toMatchObject({ owner: 'mysql' })
})

test('starts nothing twice, and nothing under systemd', async () => {
  const host = await restarted()
  await ensureServices(host)
  host.runs.length = 0

  await ensureServices(host)
  host.init = 'systemd'
  await ensureServices(host)

  expect(host.ran).toEqual([])
})

test('names the program that did not start, and starts the others', async () => {
  const { '/usr/sbin/mariadbd': _, ...others } = PROGRAMS
  const host = await restarted(others)

  const problems = await ensureServices(host)

  expect(problems).toEqual([
    'mariadb.service: /usr/sbin/mariadbd did not start: see /var/log/hosting-services.log',
  ])
  expect(await isRunning(host, NGINX)).toBe(true)
})

test('stops by pid file and program, so that no other process with this number is hit', async () => {
  const host = await restarted()

  await servicesOf(host).stop(MARIADB)

  expect(host.ran).toEqual([
    'start-stop-daemon --stop --quiet --oknodo --retry=TERM/15/KILL/5 --remove-pidfile --pidfile /run/mysqld/mysqld.pid --exec /usr/sbin/mariadbd',
  ])
})

test.each([
  ['nginx', 'S (sleeping)', true],
  ['nginx', 'Z (zombie)', false],
  ['sshd', 'S (sleeping)', false],
])('a process %s in state %s is a running nginx: %p', async (name, state, expected) => {
  const host = await server()
  await host.disk.write('/proc/11/status', `Name:\t${name}\nUmask:\t0022\nState:\t${state}\n`)

  expect(await isRunning(host, NGINX)).toBe(expected)
})
