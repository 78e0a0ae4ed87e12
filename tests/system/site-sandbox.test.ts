// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { showsHealth } from '#tests/support/system/health.ts'
import { get } from '#tests/support/system/requests.ts'
import { followsEtc } from '#tests/support/system/site-etc.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const DOMAINS = ['one.example.test', 'two.example.test'] as const
const NEIGHBOUR = 'two.example.test'

/** A site's view of its machine, as JSON. */
const PROBE = `
function probed(): array {
  $status = file_get_contents('/proc/self/status');
  $field = fn($name) => preg_match("/^$name:\\s+(\\S+)/m", $status, $found) ? $found[1] : '';
  $places = ['/srv/www', '/etc/cron.d', '/etc/logrotate.d', '/etc/nginx/sites-enabled', '/run/hosting-fpm',
    '/etc/systemd/system', '/etc/hosting/fpm', '/var/lib/mysql', '/var/log/hosting', '/var/cache/hosting',
    '/sys/fs/cgroup/hosting.slice', '/run/systemd/units', '/run/systemd/transient', '/tmp', '/dev/shm', '/run/lock'];
  $names = [];
  foreach ($places as $place) foreach (@scandir($place) ?: [] as $name) if (strpos($name, 'two') !== false) $names[] = "$place/$name";
  preg_match_all('~/\\S*two\\S*~', file_get_contents('/proc/net/unix'), $listed);
  array_push($names, ...$listed[0]);
  foreach (['passwd', 'passwd-', 'group', 'group-', 'subuid', 'subgid'] as $name) {
    if (preg_match('/^two/m', (string) @file_get_contents("/etc/$name"))) $names[] = "/etc/$name";
  }
  if (preg_match('/^two/m', (string) shell_exec('getent passwd; getent group'))) $names[] = 'getent';
  $sockets = ['/run/dbus/system_bus_socket', '/run/systemd/private', '/run/hosting-agent/root.sock'];
  $open = array_values(array_filter($sockets, fn($path) => @fsockopen("unix://$path") !== false));
  $foreign = [];
  foreach (glob('/proc/[0-9]*') as $path) if (@fileowner($path) !== posix_geteuid()) $foreign[] = $path;
  return ['user' => posix_getpwuid(posix_geteuid())['name'], 'NoNewPrivs' => $field('NoNewPrivs'),
    'CapBnd' => $field('CapBnd'), 'Seccomp' => $field('Seccomp'), 'names' => $names, 'sockets' => $open,
    'foreign' => $foreign];
}`

/** Equal in every program of a site. */
const confined = (user: string) => ({
  user,
  NoNewPrivs: '1',
  CapBnd: '0000000000000000',
  Seccomp: '2',
  names: [],
  sockets: [],
  foreign: [],
})

/** The reach of a site's PHP, jobs and wp-cli on an installed server. */
for (const suite of releases('site-sandbox')) {
  const { php } = suites[suite]
  unless(lab.available()).describe(`what runs as a site on ${suite}`, () => {
    let world: Enrolled
    const users = new Map<string, string>()
    const user = () => users.get(DOMAINS[0]) ?? ''
    const docroot = () => `/srv/www/${user()}/public`

    beforeAll(async () => {
      world = await startEnrolled(suite)
      for (const domain of DOMAINS) {
        const body = { domain, php, tls: 'none' }
        const created = await world.dashboard.call('POST', world.path('/sites'), body)
        expect((await endOf(world.dashboard, created)).data).toEqual({ status: 'ok', domain })
      }
      const listed = await world.dashboard.call('GET', world.path('/sites'))
      for (const site of listed.body.sites as { domain: string; user: string }[])
        users.set(site.domain, site.user)
      await world.host.must(['touch', '/dev/shm/of-two', '/run/lock/of-two', '/tmp/of-two'])
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    /** Writes a file as the site's own PHP would. */
    const plant = async (path: string, text: string) => {
      await world.host.put(`${docroot()}/${path}`, text)
      await world.host.must(['chown', '-R', `${user()}:www-data`, `${docroot()}/wp-content`])
      await world.host.must(['chown', `${user()}:www-data`, `${docroot()}/${path}`])
    }
    /** A must-use plugin that runs this when wp-cli loads WordPress. */
    const inWpCli = (code: string) =>
      plant(
        'wp-content/mu-plugins/probe.php',
        `<?php ${PROBE}\nif (defined('WP_CLI')) { $home = '/srv/www/${user()}/tmp'; ${code} }`,
      )
    const written = async () =>
      JSON.parse(await world.host.must(['cat', `/srv/www/${user()}/tmp/probe.json`]))
    const NOTE =
      "file_put_contents(\"$home/probe.json\", json_encode(probed() + ['cgroup' => trim(file_get_contents('/proc/self/cgroup'))]));"
    const job = () => world.host.exec(['systemctl', 'start', `hosting-cron@${user()}.service`])

    test('the master of PHP-FPM is the user of the site from its start, without a capability', async () => {
      const unit = `hosting-fpm@${user()}-php${php}.service`
      const show = ['systemctl', 'show', '--property=MainPID', '--value', unit]
      const pid = (await world.host.must(show)).trim()
      const uid = (await world.host.must(['id', '-u', user()])).trim()

      const status = await world.host.must(['cat', `/proc/${pid}/status`])

      const fields = ['Uid', 'CapPrm', 'CapEff', 'CapBnd', 'NoNewPrivs'].map((name) =>
        new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1]?.split('\t'),
      )
      const none = ['0000000000000000']
      expect(fields).toEqual([[uid, uid, uid, uid], none, none, none, ['1']])
    })

    test('nobody can log in as the user of the site', async () => {
      const entry = (await world.host.must(['getent', 'passwd', user()])).trim().split(':')
      const shadow = (await world.host.must(['getent', 'shadow', user()])).trim().split(':')

      expect([entry[6], shadow[1]]).toEqual(['/usr/sbin/nologin', '!'])
    })

    test('PHP behind nginx sees no neighbour, no process of others and no way to systemd', async () => {
      await plant('probe.php', `<?php ${PROBE}\necho json_encode(probed());`)

      const { body } = await get(world.host, `http://${DOMAINS[0]}/probe.php`)

      expect(JSON.parse(body)).toEqual(confined(user()))
      await world.host.must(['rm', `${docroot()}/probe.php`])
    })

    test('the jobs of a site run in its slice and sandbox, and their children end with them', async () => {
      await inWpCli(`${NOTE} exec('setsid sleep 4711 >/dev/null 2>&1 &');`)

      expect((await job()).code).toBe(0)

      const { cgroup, ...rest } = await written()
      expect(rest).toEqual(confined(user()))
      expect(cgroup).toEndWith(`/hosting-${user()}.slice/hosting-cron@${user()}.service`)
      expect((await world.host.exec(['pgrep', '-f', 'sleep 4711'])).code).toBe(1)
    })

    test('the output of a failed run is stored', async () => {
      await inWpCli("fwrite(STDERR, 'the reason of it'); exit(3);")

      expect((await job()).code).not.toBe(0)

      const log = `/srv/www/${user()}/logs/jobs.log`
      expect(await world.host.must(['cat', log])).toContain('the reason of it')
      const rights = await world.host.must(['stat', '-c', '%U %a', log])
      expect(rights.trim()).toBe(`${user()} 640`)
    })

    test('wp-cli of the agent runs in the slice and the sandbox of the site', async () => {
      await inWpCli(NOTE)
      const { body } = await world.dashboard.call('GET', world.path('/sites'))
      const site = (body.sites as { id: number; user: string }[]).find((one) => one.user === user())

      const asked = await world.dashboard.call(
        'POST',
        world.path(`/sites/${site?.id}/admin-password`),
      )

      expect(asked.status).toBe(200)
      const { cgroup, ...rest } = await written()
      expect(rest).toEqual(confined(user()))
      expect(cgroup).toContain(`/hosting-${user()}.slice/`)
    })

    test('a weakened unit sees its neighbours again', async () => {
      const folder = `/etc/systemd/system/hosting-cron@${user()}.service.d`
      const loose = ['TemporaryFileSystem=', 'InaccessiblePaths=', 'BindPaths=', 'KillMode=process']
      await world.host.put(`${folder}/loose.conf`, ['[Service]', ...loose, ''].join('\n'))
      await world.host.must(['systemctl', 'daemon-reload'])
      await inWpCli(`${NOTE} exec('setsid sleep 4712 >/dev/null 2>&1 &');`)

      await job()

      const { names } = await written()
      expect(names).toContain(`/srv/www/${users.get(NEIGHBOUR)}`)
      expect((await world.host.exec(['pkill', '-f', 'sleep 4712'])).code).toBe(0)
      await world.host.must(['rm', '-r', folder])
      await world.host.must(['systemctl', 'daemon-reload'])
    })

    showsHealth(() => world, php)

    // Last: it stops the agent.
    followsEtc(() => ({ ...world, domain: DOMAINS[0], user: user(), php }))
  })
}
