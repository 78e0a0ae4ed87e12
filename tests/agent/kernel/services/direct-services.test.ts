import { expect, test } from 'bun:test'
import { mailService } from '#agent/features/mail/service.ts'
import { ensureServices } from '#agent/features/servers/ensure-services.ts'
import { MARIADB, NGINX } from '#agent/kernel/services/debian-services.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
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

test('a program with a user starts once, without privileges, and the agent writes its pid file', async () => {
  const host = await restarted()
  const mail = mailService(host)
  const program = '/usr/local/bin/hosting-agent'
  const { installed, uninstalled } = servicesOf(host)

  await uninstalled(mail).apply()
  await installed(mail, 'unit').apply()
  runs(host.disk, mail.pid_file, Number(host.disk.all[mail.pid_file]), 'hosting-agent')
  await installed(mail, 'unit').apply()
  await uninstalled(mail).apply()

  expect(host.ran).toEqual([
    `setpriv --reuid=hosting-mail --regid=hosting-mail --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all -- env AGENT_MAIL_DIR=/var/lib/hosting-mail ${program} mail`,
    `start-stop-daemon --stop --quiet --oknodo --retry=TERM/25/KILL/5 --remove-pidfile --pidfile /run/hosting-mail.pid --exec ${program}`,
  ])
  const effects = [installed(mail, 'unit').effects(), uninstalled(mail).effects()]
  expect(await Promise.all(effects)).toEqual([[], []])
})

test('systemd runs it with a unit, restarts it with another one, and forgets it', async () => {
  const host = await server(shop)
  const mail = mailService(host)
  const path = `/etc/systemd/system/${mail.unit}`
  const { installed, uninstalled } = servicesOf(host)
  const unit = (text: string) => `# Made by Hosting Control\n${text}`
  host.runs.length = 0

  await installed(mail, unit('one')).apply()
  await installed(mail, unit('two')).apply()
  const written = host.disk.all[path]
  await uninstalled(mail).apply()
  await uninstalled(mail).apply()

  expect([written, host.disk.all[path]]).toEqual([unit('two'), undefined])
  expect(host.ran).toEqual([
    'systemctl daemon-reload',
    `systemctl restart ${mail.unit}`,
    'systemctl daemon-reload',
    `systemctl restart ${mail.unit}`,
    `systemctl stop ${mail.unit}`,
    'systemctl daemon-reload',
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
