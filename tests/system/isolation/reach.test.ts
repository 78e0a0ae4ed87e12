// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startEnrolled } from '#tests/support/system/enrolled.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const DOMAINS = ['one.example.test', 'two.example.test'] as const

/**
 * All that a program reaches beside files that it can read: sockets with a path that accept a
 * connection or a datagram, abstract sockets and ports of this machine that accept a connection,
 * devices that it can open, and the uppermost folders and files that it can write. The folders of the
 * site stand for themselves, since it cannot list what is above them.
 */
const PROBE = String.raw`
function paths(array $own, string $matching): array {
  $start = implode(' ', array_map('escapeshellarg', ['/', ...$own]));
  $found = (string) shell_exec("find $start -path '/proc/[0-9]*' -prune -o $matching -printf '%p\n' 2>/dev/null");
  $paths = array_values(array_unique(array_filter(explode("\n", $found))));
  sort($paths);
  return $paths;
}
function connects(string $address): bool {
  return @stream_socket_client($address, $code, $text, 1) !== false;
}
function reached(array $own, array $abstract, array $ports): array {
  return [
    'sockets' => array_values(array_filter(paths($own, '-type s'), fn($path) => connects("unix://$path") || connects("udg://$path"))),
    'abstract' => array_values(array_filter($abstract, fn($name) => connects("unix://\0$name") || connects("udg://\0$name"))),
    'ports' => array_values(array_filter($ports, fn($port) => connects("tcp://127.0.0.1:$port") || connects("tcp://[::1]:$port"))),
    'devices' => array_values(array_filter(paths($own, '\( -type c -o -type b \)'), fn($path) => @fopen($path, 'rn') !== false)),
    'writable' => paths($own, '-writable ! -type l ! -type c -prune'),
  ];
}`

/**
 * MariaDB by its socket; the ports that visitors, administrators and the dashboard reach, too; the
 * devices of every sandbox; its own folders, and the shared ones, of which it has its own.
 */
const SHARED = ['/dev/mqueue', '/dev/shm', '/run/lock', '/tmp', '/var/tmp']
const allowed = (user: string) => ({
  sockets: ['/run/mysqld/mysqld.sock'],
  abstract: [],
  ports: [22, 80, 443, 8443],
  devices: ['full', 'null', 'random', 'urandom', 'zero'].map((name) => `/dev/${name}`),
  writable: [
    ...SHARED,
    '/run/mysqld/mysqld.sock',
    ...['logs', 'public', 'sessions', 'tmp'].map((name) => `/srv/www/${user}/${name}`),
  ].sort(),
})

for (const suite of releases('reach')) {
  const { php } = suites[suite]
  unless(lab.available()).describe(`all that a site reaches on ${suite}`, () => {
    let world: Enrolled
    let user: string
    let probe: string

    beforeAll(async () => {
      world = await startEnrolled(suite)
      for (const domain of DOMAINS) {
        const body = { domain, php, tls: 'none' }
        const created = await world.dashboard.call('POST', world.path('/sites'), body)
        expect((await endOf(world.dashboard, created)).data).toEqual({ status: 'ok', domain })
      }
      const listed = await world.dashboard.call('GET', world.path('/sites'))
      const sites = listed.body.sites as { domain: string; user: string }[]
      user = sites.find(({ domain }) => domain === DOMAINS[0])?.user ?? ''
      const abstract = (await world.host.must(['cat', '/proc/net/unix']))
        .split('\n')
        .map((line) => / @(\S+)$/.exec(line)?.[1] ?? '')
        .filter((name) => name !== '')
      const ports = (await world.host.must(['ss', '-Hltn']))
        .split('\n')
        .map((line) => Number(/:(\d+)\s/.exec(line)?.[1]))
        .filter((port) => port > 0)
      const own = (
        await world.host.must(['find', `/srv/www/${user}`, '-mindepth', '1', '-maxdepth', '1'])
      )
        .trim()
        .split('\n')
      const lists = JSON.stringify({
        own,
        abstract,
        ports: [...new Set(ports)].sort((a, b) => a - b),
      })
      probe = `${PROBE}\n$lists = json_decode('${lists}', true);\n$reached = reached($lists['own'], $lists['abstract'], $lists['ports']);`
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    const plant = async (path: string, text: string) => {
      const target = `/srv/www/${user}/public/${path}`
      await world.host.put(target, text)
      await world.host.must(['chown', `${user}:www-data`, target])
    }

    test('PHP behind nginx reaches exactly this', async () => {
      await plant('reach.php', `<?php ${probe}\necho json_encode($reached);`)

      const { body } = await get(world.host, `http://${DOMAINS[0]}/reach.php`)

      expect(JSON.parse(body)).toEqual(allowed(user))
    })

    test('what PHP writes into a shared folder is visible to no other program', async () => {
      const paths = SHARED.map((folder) => `${folder}/marker`)
      const list = paths.map((path) => `'${path}'`).join(', ')
      const touched = `array_map(fn($path) => touch($path) && file_exists($path), [${list}])`
      await plant('marker.php', `<?php echo json_encode(${touched});`)

      const { body } = await get(world.host, `http://${DOMAINS[0]}/marker.php`)

      expect(JSON.parse(body)).toEqual(SHARED.map(() => true))
      const { stdout } = await world.host.exec(['ls', '-d', ...paths])
      expect(stdout).toBe('')
    })

    test('a job of the site reaches exactly this', async () => {
      await world.host.must([
        'install',
        '-d',
        '-o',
        user,
        `/srv/www/${user}/public/wp-content/mu-plugins`,
      ])
      const path = `/srv/www/${user}/tmp/reach.json`
      await plant(
        'wp-content/mu-plugins/reach.php',
        `<?php if (defined('WP_CLI')) { ${probe}\nfile_put_contents('${path}', json_encode($reached)); }`,
      )

      await world.host.must(['systemctl', 'start', `hosting-cron@${user}.service`])

      expect(JSON.parse(await world.host.must(['cat', path]))).toEqual(allowed(user))
    })
  })
}
