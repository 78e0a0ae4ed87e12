// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fpmService } from '#agent/features/php/fpm-files.ts'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

setDefaultTimeout(12 * MINUTES)

interface Site {
  id: number
  domain: string
  user: string
  health: string | null
  health_code: string
  health_reason: string
  health_checks: { check: string; state: string; code: string }[]
}

const FATAL = '<?php this_function_is_not_there();'
const PHP_STOPS = 'mu-plugins/fatal.php'

/**
 * Faults made by hand are shown by domain, and as up again after the repair: PHP, the database, the
 * certificate, and a fatal error behind a cached page. `world` has two sites without TLS.
 */
function showsHealth(world: () => Enrolled, php: string): void {
  const { timeout_ms } = { timeout_ms: 3 * MINUTES }
  const took: string[] = []

  const sites = async (): Promise<[one: Site, two: Site]> => {
    const { body } = await world().dashboard.call('GET', '/api/fleet/sites?q=example.test')
    const ids = (body.sites as Site[]).map(({ id }) => id)
    const shown = await Promise.all(
      ids.map(async (id) => {
        const answer = await world().dashboard.call('GET', `/api/fleet/sites/${id}`)
        return answer.body.site as Site
      }),
    )
    const [one, two] = shown.sort((a, b) => (a.domain < b.domain ? -1 : 1))
    if (!one || !two) throw new Error('no two sites')
    return [one, two]
  }
  const codes = async () => {
    const found = await sites()
    return found.map(({ health, health_code, health_checks }) => {
      const checks = health_checks.filter(({ state }) => state !== 'up').map(({ code }) => code)
      return [health, health_code, ...checks].join(' ')
    })
  }
  /** Waits for both states; returns the duration. */
  const become = async (what: string, expected: [one: string, two: string]) => {
    const from = Date.now()
    let seen: string[] = []
    await lab.polled(
      async () => {
        seen = await codes()
        return JSON.stringify(seen) === JSON.stringify(expected)
      },
      { every_ms: 500, timeout_ms },
    )
    took.push(`${what}: ${Math.round((Date.now() - from) / 1000)} s`)
    expect([what, ...seen]).toEqual([what, ...expected])
  }
  const must = (...argv: string[]) => world().host.must(argv)
  const sql = (statement: string) => world().host.must(['mariadb', '-e', statement])
  const folder = (domain: string) => `/etc/hosting/tls/${domain}`

  test('a site that is broken by hand is shown by domain, and as up again after the repair', async () => {
    const { host, dashboard, path } = world()
    const [one, two] = await sites()
    // Its requests would find the same faults, and wake PHP.
    await world().dashboard.call('PUT', '/api/settings/visit_interval', { value: 0 })
    const units = fpmService({ user: one.user, php })
    const content = `/srv/www/${one.user}/public/wp-content`
    await must('rm', '-rf', `${content}/mu-plugins`)
    const issue = async (tls: string) =>
      (await dashboard.stream('POST', path(`/sites/${two.id}/tls`), { tls })).at(-1)
    await issue('self-signed')
    // It stays in the page cache: no later step empties it.
    await get(host, `http://${one.domain}/`)
    await become('at first', ['up up', 'up up'])

    await must('mkdir', '-p', `${content}/mu-plugins`)
    await host.put(`${content}/${PHP_STOPS}`, FATAL)
    await must('chown', '-R', `${one.user}:www-data`, `${content}/mu-plugins`)
    await sql(`ALTER USER '${two.user}'@localhost ACCOUNT LOCK`)
    await must('mv', `${folder(two.domain)}/fullchain.pem`, '/root/fullchain.pem')
    await become('broken', [
      'down http_fatal http_fatal',
      'down database_refused database_refused certificate_missing',
    ])
    const { body } = await dashboard.call('GET', '/api/fleet')
    const attention = body.attention as { kind: string; items: { name: string }[] }[]
    const down = attention.find(({ kind }) => kind === 'site_down')
    expect(down?.items.map(({ name }) => name)).toEqual([one.domain, two.domain])

    await must('rm', `${content}/${PHP_STOPS}`)
    await sql(`ALTER USER '${two.user}'@localhost ACCOUNT UNLOCK`)
    await must('mv', '/root/fullchain.pem', `${folder(two.domain)}/fullchain.pem`)
    await must('systemctl', 'stop', units.socket_unit, units.unit)
    await become('repaired, and PHP stopped', ['down php_stopped php_stopped', 'up up'])

    const restart = { service: `php-fpm:${one.user}` }
    expect((await dashboard.call('POST', path('/services/restart'), restart)).status).toBe(200)
    expect(await issue('letsencrypt')).toMatchObject({ event: 'complete' })
    const last = await dashboard.call('GET', `/api/operations?site_id=${two.id}&limit=1`)
    const [operation] = last.body.operations as {
      status: string
      warnings: { code: string; message: string }[]
    }[]
    const warnings = operation?.warnings.map(({ code }) => code)
    expect([operation?.status, warnings]).toEqual(['success', ['certificate_refused']])
    await become('up, and a certificate refused', [
      'up up',
      'degraded certificate_missing certificate_missing',
    ])
    const [, { health_reason }] = await sites()
    expect(health_reason).toContain(operation?.warnings[0]?.message ?? '-')

    await world().acme.resolve(two.domain, host.address)
    await world().acme.resolve(`www.${two.domain}`, host.address)
    await issue('letsencrypt')
    await become('the certificate is there', ['up up', 'up up'])
    console.log(took.join('\n'))
  })

  test('a sleeping pool is up, and no check wakes it', async () => {
    const { host } = world()
    const [one] = await sites()
    const { unit } = fpmService({ user: one.user, php })
    const [from, used] = [Date.now(), await processorMs(host)]
    let stops = 0
    await lab.poll(
      async () => {
        const { code } = await host.exec(['systemctl', 'is-active', '--quiet', unit])
        // A check that started before the stop wakes PHP; it is the last one.
        if (code === 0) {
          await must('systemctl', 'stop', unit)
          stops += 1
        }
        const [{ health, health_checks }] = await sites()
        return health === 'up' && health_checks.some(({ code }) => code === 'php_asleep')
      },
      { every_ms: 500, timeout_ms },
    )
    expect(stops).toBeWithin(1, 4)
    const [seconds, ms] = [(Date.now() - from) / 1000, (await processorMs(host)) - used]
    console.log(`agent and scan: ${ms.toFixed(0)} ms of processor in ${seconds.toFixed(0)} s`)
    expect((await host.exec(['systemctl', 'is-active', unit])).stdout).toBe('inactive\n')
  })
}

/** CPU time of the agent and of its process that reads sites. */
async function processorMs(host: lab.Host): Promise<number> {
  const show = ['systemctl', 'show', '--property=CPUUsageNSec', '--value']
  const { stdout } = await host.exec([...show, 'hosting-agent.service', 'hosting-scan-*.service'])
  return stdout.split('\n').reduce((sum, text) => sum + (Number(text) || 0), 0) / 1e6
}

interface Running {
  host: lab.Host
  domain: string
  user: string
  php: string
}

const OUTSIDE = 'outside.example.test'
const AGENT = ['hosting-agent.service', 'hosting-agent-front.service']

/** A site's view of the server's /etc, as JSON. */
const SEEN = `<?php
header('Cache-Control: no-store');
$text = fn($path) => (string) @file_get_contents($path);
echo json_encode([
  'me' => [trim((string) shell_exec('whoami')), posix_getpwuid(posix_geteuid())['dir'] ?? null],
  'system' => [posix_getpwnam('root')['uid'] ?? null, posix_getgrnam('www-data')['gid'] ?? null],
  'people' => preg_match_all('/^\\w+:x:1\\d{3}:/m', $text('/etc/passwd')),
  'newcomer' => [(bool) posix_getpwnam('newcomer'), str_contains($text('/etc/passwd') . $text('/etc/group'), 'newcomer')],
  'listed' => array_values(array_intersect(scandir('/etc'), ['cron.d', 'nginx', 'shadow', 'subuid', 'systemd', 'hosting-agent'])),
  'pools' => @scandir('/etc/php/' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '/fpm/pool.d'),
  'ini' => [php_ini_loaded_file(), (string) ini_get('user_agent')],
  'imagick' => count((new Imagick())->queryFormats('PNG')),
  'locale' => setlocale(LC_ALL, 'C.UTF-8'),
  'resolv' => $text('/etc/resolv.conf'),
  'zone' => @readlink('/etc/localtime'),
  'address' => gethostbyname('${OUTSIDE}'),
  'tls' => @file_get_contents('https://${OUTSIDE}:4433/') !== false,
]);
`

/**
 * A running site sees changes of the server's /etc, without the agent, but not the accounts added
 * meanwhile. Its PHP-FPM is the same process all the time.
 */
function followsEtc(running: () => Running): void {
  let asked = 0

  test('a running site sees changes in /etc without the agent, and no new account', async () => {
    const { host, domain, user, php } = running()
    const path = `/srv/www/${user}/public/seen.php`
    await host.put(path, SEEN)
    await host.must(['chown', `${user}:www-data`, path])
    const seen = async () =>
      JSON.parse((await get(host, `http://${domain}/seen.php?n=${asked++}`)).body)
    const becomes = async (wanted: object) => {
      const done = async () => {
        const now = await seen()
        return Object.entries(wanted).every(([key, value]) => Bun.deepEquals(now[key], value))
      }
      if (!(await lab.polled(done, { every_ms: 500, timeout_ms: 3 * MINUTES })))
        expect(await seen()).toMatchObject(wanted)
    }
    const unit = `hosting-fpm@${user}-php${php}.service`
    const master = () => host.must(['systemctl', 'show', '--property=MainPID', '--value', unit])
    const { gid } = JSON.parse(
      await host.must(['php', '-r', "echo json_encode(posix_getgrnam('www-data'));"]),
    )
    await host.must(['systemctl', 'stop', ...AGENT])

    expect(await seen()).toMatchObject({
      me: [user, `/srv/www/${user}`],
      system: [0, gid],
      people: 1,
      newcomer: [false, false],
      listed: [],
      pools: false,
      ini: [`/etc/php/${php}/fpm/php.ini`, ''],
      imagick: 1,
      locale: 'C.UTF-8',
      tls: false,
    })
    const before = await master()

    await host.must(['ln', '-sf', '/usr/share/zoneinfo/Asia/Tokyo', '/etc/localtime'])
    const hosts = await host.must(['cat', '/etc/hosts'])
    await host.put('/etc/hosts', `${hosts}\n127.0.0.1 ${OUTSIDE}\n`)
    await becomes({ zone: '/usr/share/zoneinfo/Asia/Tokyo', address: '127.0.0.1', tls: false })

    // useradd(8) replaces a file, which drops the mount over it.
    await host.must(['useradd', 'newcomer'])
    const resolv = await host.must(['readlink', '-f', '/etc/resolv.conf'])
    await host.put('/etc/resolv.conf.new', 'nameserver 192.0.2.53\n')
    await host.must(['mv', '/etc/resolv.conf.new', resolv.trim()])
    await becomes({ resolv: 'nameserver 192.0.2.53\n' })
    // Written in place.
    await host.must(['tee', resolv.trim()], { input: 'nameserver 192.0.2.54\n' })
    await becomes({ resolv: 'nameserver 192.0.2.54\n' })

    const certificate = '/usr/local/share/ca-certificates/outside.crt'
    await host.must([
      ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${OUTSIDE}`, '-addext', `subjectAltName=DNS:${OUTSIDE}`],
      ...['-keyout', '/root/outside.key', '-out', certificate],
    ])
    const files = ['-cert', certificate, '-key', '/root/outside.key']
    const outside = host.spawn(['openssl', 's_server', '-accept', '4433', '-www', ...files])
    await host.must(['update-ca-certificates'])
    await becomes({ tls: true, people: 1, newcomer: [false, false] })
    await outside.stop()

    await host.put(`/etc/php/${php}/fpm/conf.d/99-own.ini`, 'user_agent = of the server\n')
    await host.must(['systemctl', 'reload', unit])
    await becomes({ ini: [`/etc/php/${php}/fpm/php.ini`, 'of the server'] })

    expect(await master()).toBe(before)
    await host.must(['rm', path, `/etc/php/${php}/fpm/conf.d/99-own.ini`])
  })
}

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
