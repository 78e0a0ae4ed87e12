import { beforeEach, expect, test } from 'bun:test'
import { checkSites as lookAt, pauseAfter } from '#agent/features/health/check-sites.ts'
import { HealthMonitor } from '#agent/features/health/monitor.ts'
import { newlyWatched } from '#agent/features/health/watched-site.ts'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { VISIT_AGENT, type VisitResult } from '#agent/kernel/host/visit-port.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const PROCESSES =
  '/sys/fs/cgroup/hosting.slice/hosting-shop.slice/hosting-fpm@shop-php8.2.service/cgroup.procs'
const SOCKET = socketOf({ user: 'shop', php: '8.2' })
const PUBLIC = '/srv/www/shop/public'
const PLUGIN = `${PUBLIC}/wp-content/plugins/shop`
const CONFIG = `<?php
define('DB_NAME', 'shop'); define('DB_USER', 'shop'); define('DB_PASSWORD', 'secret');
$table_prefix = 'wp_';`
const SELECT = 'SET STATEMENT'

let host: FakeHost
let monitor: HealthMonitor
const busy = new Set<string>()
const reported: unknown[] = []
beforeEach(async () => {
  busy.clear()
  reported.length = 0
  host = await server(shop)
  await host.disk.write(`${PUBLIC}/wp-includes/version.php`, "<?php\n$wp_version = '7.1.1';\n")
  await host.disk.write(`${PUBLIC}/wp-config.php`, CONFIG)
  await host.disk.write('/var/log/hosting/shop/access.log', '1')
  monitor = new HealthMonitor(host, {
    isBusy: (domain) => busy.has(domain),
    report: (error) => reported.push(error),
  })
})

const seen = () => monitor.list().map(({ state, code }) => `${state} ${code}`)
/** One look after the other, until a site that took long is looked at, too. */
async function look(times = 1): Promise<string[]> {
  for (let round = 0; round < times; round++) {
    host.time += 70_000
    await monitor.look()
  }
  return seen()
}
const units = (service: string, socket: string) =>
  host.answer(
    'systemctl show --property=Names,ActiveState,SubState',
    `Names=hosting-fpm@shop-php8.2.service\n${service}\n\nNames=hosting-fpm@shop-php8.2.socket\n${socket}\n`,
  )
const LISTENING = 'ActiveState=active\nSubState=listening'
/** As nginx does. */
const logged = (agent: string) =>
  host.disk.append(
    '/var/log/hosting/shop/access.log',
    `192.0.2.1 - - [23/Nov/2026:14:50:33 +0000] "GET / HTTP/1.1" 200 9 "-" "${agent}" HTTP/1.1 0 - -\n`,
  )
const visitors = () => host.disk.append('/var/log/hosting/shop/access.log', '1')

test('reports nothing before the first check, and then each check', async () => {
  expect(monitor.list()).toEqual([])
  await look()
  const up = { state: 'up', code: 'up', reason: '' } as const
  const checks = [
    { check: 'php', ...up },
    { check: 'database', ...up },
  ] as const
  const version = expect.stringMatching(/^[\w-]{43}$/)
  expect(monitor.list()).toEqual([{ domain: 'shop.example', ...up, checks: [...checks], version }])
  expect(reported).toEqual([])
})

test.each<[string, () => Promise<unknown>, string]>([
  ['whose PHP has failed', async () => stopped('ActiveState=failed', LISTENING), 'down php_failed'],
  [
    'whose PHP ends again and again',
    async () => stopped('ActiveState=activating\nSubState=auto-restart', LISTENING),
    'down php_failing',
  ],
  [
    'whose PHP was stopped with its socket',
    async () => stopped('ActiveState=inactive', 'ActiveState=inactive'),
    'down php_stopped',
  ],
  [
    'whose PHP was stopped by a signal',
    async () => host.disk.write('/proc/20/status', 'Name:\tphp-fpm8.2\nState:\tT (stopped)\n'),
    'down php_frozen',
  ],
  [
    'whose PHP does not answer',
    async () => host.pings.set(SOCKET, 'silent'),
    'degraded php_silent',
  ],
  ['whose PHP has a full queue', async () => host.pings.set(SOCKET, 'busy'), 'degraded php_busy'],
  ['whose account is refused', async () => failSql(1045), 'down database_refused'],
  ['whose tables are gone', async () => failSql(1146), 'down database_missing'],
  ['whose tables are broken', async () => failSql(1194), 'down database_broken'],
  ['whose database is locked', async () => failSql(1205), 'degraded database_slow'],
  ['without a free connection', async () => failSql(1203), 'degraded database_busy'],
  [
    'whose MariaDB is stopped',
    async () => host.disk.remove('/run/mysqld/mysqld.pid'),
    'down database_away',
  ],
  [
    'whose MariaDB refuses connections',
    async () => failSql(45_000, 'ECONNREFUSED'),
    'down database_away',
  ],
  ['whose certificate is missing', async () => wantsCertificate(), 'degraded certificate_missing'],
])(
  'reports a site %s immediately, and as up again after the repair',
  async (_, broken, verdict) => {
    expect(await look()).toEqual(['up up'])
    const before = { ...host.disk.all }
    const select = host.select.bind(host)
    await broken()
    expect(await look()).toEqual([verdict])
    expect(monitor.list()[0]?.reason).not.toBe('')

    host.select = select
    host.pings.clear()
    await writeSite(host, shop)
    for (const [path, text] of Object.entries(before))
      if (text !== null) await host.disk.write(path, text)
    expect(await look()).toEqual(['up up'])
    expect(reported).toEqual([])
  },
)

async function stopped(service: string, socket: string): Promise<void> {
  await host.disk.remove(PROCESSES)
  units(service, socket)
}
function failSql(errno: number, code = ''): void {
  host.select = async () => {
    throw Object.assign(new Error(SELECT), { errno, code })
  }
}
const wantsCertificate = () => writeSite(host, { ...shop, tls: 'letsencrypt' })

test('one missing answer changes nothing', async () => {
  await look()
  let pings = 0
  host.visitor.pingFpm = async () => (pings++ === 0 ? 'silent' : 'pong')
  expect(await look()).toEqual(['up up'])
  expect(pings).toBe(2)
})

test('a sleeping PHP is up, and gets neither pings nor visits', async () => {
  await stopped('ActiveState=inactive', LISTENING)
  host.pinged.length = 0
  await look(3)
  await monitor.visit()
  expect(seen()).toEqual(['up php_asleep'])
  expect([host.pinged, host.visited]).toEqual([[], []])
})

test('visits a site without visitors rarely, so that its PHP can sleep', async () => {
  await look()
  await monitor.visit()
  const from = host.time
  host.pinged.length = 0
  host.visited.length = 0
  while (host.time - from < 13 * 3_600_000) {
    const before = host.visited.length
    await look()
    await monitor.visit()
    if (host.visited.length > before) await logged(VISIT_AGENT)
    await logged(OUTSIDE_AGENT)
  }
  expect(host.visited.length).toBeLessThanOrEqual(3 + 5)
  const quiet = host.pinged.length
  expect(quiet).toBeLessThan(12)

  await visitors()
  await look(2)
  expect(host.pinged.length).toBeGreaterThan(quiet)
})

test.each<[string, () => Promise<unknown>]>([
  ['a plugin is added', () => host.disk.write(`${PUBLIC}/wp-content/plugins/new/new.php`, '<?php')],
  ['a file of a plugin changes', () => host.disk.write(`${PLUGIN}/shop.php`, '<?php broken')],
  ['the theme changes', () => host.disk.write(`${PUBLIC}/wp-content/themes/a/functions.php`, '')],
  ['wp-config.php changes', () => host.disk.write(`${PUBLIC}/wp-config.php`, `${CONFIG} // x`)],
  [
    'an option changes',
    async () => {
      host.select = async () => [{ value: 'b'.repeat(32) }]
    },
  ],
])('reports another version and requests the page at once when %s', async (_, change) => {
  await host.disk.write(`${PLUGIN}/shop.php`, '<?php')
  host.select = async () => [{ value: 'a'.repeat(32) }]
  await look(12)
  await monitor.visit()
  await look()
  await monitor.visit()
  const before = monitor.list()[0]?.version
  host.visited.length = 0

  await change()
  await look()
  await monitor.visit()

  expect(host.visited).toHaveLength(1)
  expect(monitor.list()[0]?.version).not.toBe(before)
})

test('keeps the version while the database does not answer', async () => {
  await look()
  const before = monitor.list()[0]?.version
  failSql(1040)
  await look()

  expect(monitor.list()[0]).toMatchObject({ code: 'database_busy', version: before })
})

test('requests a page past every cache, and not twice within half a minute', async () => {
  await look()
  const urls = new Set<string>()
  for (let minute = 0; minute < 5; minute++) {
    await visitors()
    await look()
    await monitor.visit()
    await monitor.visit()
  }
  for (const url of host.visited) urls.add(url)
  expect(host.visited.length).toBeLessThanOrEqual(5)
  expect(urls.size).toBe(host.visited.length)
  expect(host.visited[0]).toStartWith('http://shop.example/?hosting-health=')
  expect(monitor.list()[0]?.checks.map(({ check }) => check)).toEqual(['php', 'database', 'http'])
})

test('a site is down after two failed pages, and up again after a good one', async () => {
  const fatal: VisitResult = { status: 500, headers: {}, body: 'class="wp-die-message"', ms: 40 }
  await look()
  await monitor.visit()
  host.visits.set('http://shop.example/', fatal)
  await visitors()
  await look()
  await monitor.visit()
  expect(seen()).toEqual(['down http_fatal'])
  host.visits.clear()
  host.time += 15_000
  await monitor.visit()
  expect(seen()).toEqual(['up up'])
})

test('a site keeps its state during an operation', async () => {
  await look()
  busy.add('shop.example')
  failSql(1045)
  expect(await look(2)).toEqual(['up up'])
  busy.clear()
  expect(await look()).toEqual(['down database_refused'])
})

test('the state of a site is removed with it', async () => {
  await look()
  await host.disk.remove('/var/lib/hosting-agent/sites/shop.example.json')
  expect(await look()).toEqual([])
})

test('omits states that are too old', async () => {
  await look()
  host.time += 6 * 60_000
  expect(seen()).toEqual(['unknown not_checked'])
})

test('checks a hanging site less often than the others', async () => {
  await writeSite(host, { ...shop, domain: 'slow.example', user: 'slow' })
  const asked: string[] = []
  const database = host.scanner.database.bind(host.scanner)
  host.scanner.database = async (site) => {
    asked.push(site.user ?? '')
    if (site.user !== 'slow') return database(site)
    // When the other one is done already.
    await new Promise((resolve) => setTimeout(resolve, 20))
    host.time += 6000
    return { state: 'slow' }
  }
  for (let round = 0; round < 6; round++) {
    host.time += 12_000
    await monitor.look()
  }
  const count = (user: string) => asked.filter((one) => one === user).length
  expect(count('shop')).toBeGreaterThan(count('slow'))
})

test('reports a failed check, and continues with the other sites', async () => {
  await writeSite(host, { ...shop, domain: 'odd.example', user: 'odd' })
  const database = host.scanner.database.bind(host.scanner)
  host.scanner.database = async (site) => {
    if (site.user === 'odd') throw new Error('The site could not be read')
    return database(site)
  }
  await look()
  expect(monitor.list().map(({ domain }) => domain)).toEqual(['shop.example'])
  expect(reported.length).toBe(1)
})

test.each([
  ['at once where there are few', 1, 1, 300],
  ['after what its look took, ten times', 3000, 10, 30_000],
  ['with 100 of them', 5, 100, 30_000],
  ['never later than after a minute', 5, 5000, 60_000],
  ['nor when it takes long', 90_000, 1, 60_000],
])('checks a site again %s', (_, took, all, rest) => {
  expect(pauseAfter(took, all)).toBe(rest)
})

test('waits between two checks of a site', async () => {
  const host = await server(shop)
  const watched = newlyWatched(shop, host)
  const looking = { isBusy: () => false, report: (error: unknown) => expect(error).toBe(undefined) }
  await lookAt(host, [watched], { ...looking, all: 200 })
  expect(watched.look_at - host.clock.elapsed()).toBeGreaterThanOrEqual(60_000)
})

test.each([
  ['a suspended site', { suspended: true as const }],
  ['the closed copy of a moving site', { moving: { peers: [], closed: true } }],
])('%s has no health', async (_, state) => {
  const host = await server(shop)
  const monitor = new HealthMonitor(host, { isBusy: () => false, report: () => undefined })
  await monitor.look()
  expect(monitor.size).toBe(1)
  await writeSite(host, { ...shop, ...state })

  await monitor.look()

  expect([monitor.size, monitor.list()]).toEqual([0, []])
})
