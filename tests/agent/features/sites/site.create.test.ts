import { expect, test } from 'bun:test'
import { readFailedRequests, recordRefusal } from '#agent/features/domains/failed-requests.ts'
import { listDue } from '#agent/features/domains/renewal.ts'
import { siteCreate } from '#agent/features/sites/site.create.ts'
import { parseWpConfig } from '#agent/kernel/scan/wp-config.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { runnerOn } from '#tests/support/plan/carry-out.ts'

const create = (host: FakeHost, site = shop, warnings: Warning[] = []) =>
  outcome(siteCreate.run(site, contextOf(host, warnings)))

function answering(host: FakeHost): FakeHost {
  host.pages.set('http://shop.example/', '<link href="http://shop.example/wp-json/">')
  return host
}

test('creates a site, reports each step, and records the site last', async () => {
  const host = answering(await server())

  const [lines, result] = await create(host)

  expect(result).toEqual({ domain: 'shop.example' })
  expect(lines).toEqual([
    'Creating the system user shop',
    'Creating the folders',
    'Copying WordPress',
    'Creating the database',
    'Installing WordPress',
    'Starting PHP 8.2',
    'Adding the virtual host',
    'Scheduling the jobs of WordPress',
    'Checking the front page',
    'Recording the site',
  ])
  expect(host.disk.all['/var/lib/hosting-agent/sites/shop.example.json']).toBe(
    `${JSON.stringify(shop, null, 2)}\n`,
  )
})

test('each folder of a site has the users that need it, and no others', async () => {
  const host = answering(await server())
  await create(host)

  const idIn = (path: string, name: string) =>
    Number(new RegExp(`^${name}:[^:]*:(\\d+):`, 'm').exec(host.disk.text(path) ?? '')?.[1])
  const user = idIn('/etc/passwd', 'shop')
  const group = idIn('/etc/group', 'shop')
  const web = idIn('/etc/group', 'www-data')
  const found = async (path: string) => {
    const { mode = 0, uid, gid } = (await host.files.stat(path)) ?? {}
    return [(mode & 0o7777).toString(8), uid, gid]
  }
  expect(await found('/srv/www/shop')).toEqual(['711', 0, 0])
  expect(await found('/srv/www/shop/public')).toEqual(['750', user, group])
  expect(await found('/srv/www/shop/logs')).toEqual(['750', user, group])
  expect(await found('/srv/www/shop/tmp')).toEqual(['700', user, group])
  expect(await found('/srv/www/shop/sessions')).toEqual(['700', user, group])
  expect(await found('/var/log/hosting/shop')).toEqual(['750', 0, web])
})

test('starts only the programs that it needs', async () => {
  const host = answering(await server())

  await create(host)

  expect(host.ran.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'getent passwd',
    'getent group',
    'systemctl list-unit-files',
    'systemctl show',
    'nginx -T',
    'nginx -T',
    'useradd --no-create-home',
    'gpasswd --add',
    'cp -r',
    '/usr/bin/php8.2 -d',
    'systemctl start',
    'nginx -T',
    'nginx -v',
    'nginx -t',
    'start-stop-daemon --stop',
    'systemctl restart',
    'sync --file-system',
  ])
})

test('flushes the files of programs to the disk before it records the site', async () => {
  const host = answering(await server())
  host.fail('sync --file-system -- /srv/www/shop', 'Input/output error')
  const before = host.disk.all

  const [, message] = await create(host)

  expect(message).toContain('Input/output error')
  expect(without(host.disk.all)).toEqual(without(before))
})

test('runs every program that touches the files of a site as its user', async () => {
  const host = answering(await server())

  await create(host)

  const inside = host.runs.filter(({ line }) => line.includes('/srv/www/shop/public'))
  // The first copies WordPress, before anything of the site runs: it needs no sandbox.
  expect(inside.map(({ options: { user, site } }) => [user, site?.user])).toEqual([
    ['shop', undefined],
    [undefined, 'shop'],
  ])
})

test('passes the database password to MariaDB and wp-config.php alone', async () => {
  const host = answering(await server())

  const [lines] = await create(host)

  const config = host.runs.flatMap(({ options }) => options.input ?? [])
  const password = String(parseWpConfig(config.join('')).constants.get('DB_PASSWORD'))
  expect(config).toHaveLength(1)
  expect(password).toHaveLength(32)
  const elsewhere = host.runs.map(({ line, options }) => [line, { ...options, input: undefined }])
  expect(JSON.stringify([lines, elsewhere, host.disk.all])).not.toContain(password)
})

test('undoes everything when the front page is not that of the site', async () => {
  const host = await server()
  const before = host.disk.all
  host.pages.set('http://shop.example/', 'Welcome to nginx')

  const [lines, message] = await create(host)

  expect(message).toBe('The front page of shop.example is that of another site')
  expect(lines.slice(-6)).toEqual([
    'Undoing: Scheduling the jobs of WordPress',
    'Undoing: Adding the virtual host',
    'Undoing: Starting PHP 8.2',
    'Undoing: Creating the database',
    'Undoing: Creating the folders',
    'Undoing: Creating the system user shop',
  ])
  expect(without(host.disk.all)).toEqual(without(before))
})

test('keeps the site when its certificate is refused, and warns', async () => {
  const host = answering(await server())
  const warnings: Warning[] = []

  const [lines, result] = await create(host, { ...shop, tls: 'letsencrypt' }, warnings)

  expect(result).toEqual({ domain: 'shop.example' })
  const [, message] =
    /^No certificate yet, the site answers on http: (.+)/.exec(lines.at(-1) ?? '') ?? []
  expect(warnings).toEqual([{ code: 'certificate_refused', message: String(message) }])
})

test.each([
  ['domain', { ...shop, user: 'other' }],
  ['domain', { ...shop, domain: 'www.shop.example', user: 'other' }],
  ['user', { ...shop, domain: 'other.example' }],
  ['user', { ...shop, domain: 'other.example', user: 'sudo' }],
  ['php', { ...shop, domain: 'other.example', user: 'other', php: '7.4' }],
] as const)('refuses a %s that is taken before its first event', async (field, site) => {
  const host = await server(shop)
  host.answer('apt-cache pkgnames', 'php8.2-fpm\n')
  const before = host.disk.all

  const [lines, message] = await create(host, site)

  expect([lines, message]).toEqual([[], `Validation failed: ${field}`])
  expect(host.disk.all).toEqual(before)
})

test('refuses a name that a foreign virtual host serves', async () => {
  const host = await server()
  host.answer(
    'nginx -T',
    '# configuration file /etc/nginx/sites-enabled/old:\nserver {\n  server_name a.example\n    WWW.shop.example;\n}\n',
  )

  await expect(siteCreate.run(shop, contextOf(host)).next()).rejects.toMatchObject({
    fields: {
      domain: ['www.shop.example is already served by /etc/nginx/sites-enabled/old on this server'],
    },
  })
})

test('refuses to fill the disk', async () => {
  const host = await server()
  host.disk.room.free = 400 * 2 ** 20

  expect(await create(host)).toEqual([
    [],
    'Only 400 MB are free on this server, and a site needs 500 MB',
  ])
})

test('ends running copies into the folders before it removes them', async () => {
  const host = answering(await server())
  host.fail('cp -r', 'killed')

  await create(host)

  expect(host.ran.slice(-9)).toEqual([
    'cp -r -- /var/lib/hosting-agent/cache/wordpress/7.1.1/. /srv/www/shop/public/',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'rm -rf --one-file-system -- /srv/www/shop',
    'systemctl stop hosting-shop.slice',
    'systemctl daemon-reload',
    'systemctl stop hosting-shop.slice',
    'start-stop-daemon --stop --oknodo --quiet --retry=KILL/5 --user shop',
    'gpasswd --delete www-data shop',
    'userdel -- shop',
  ])
})

test.each([
  ['of a complete site after a restart', shop, []],
  ['of the user of another site', { ...shop, domain: 'other.example' }, expect.anything()],
])('undoes no files %s', async (_, site, ran) => {
  const host = await server(shop)
  const before = host.disk.all

  for (const step of (await siteCreate.steps?.(site, host)) ?? []) await step.undo?.()

  expect(host.disk.all).toEqual(before)
  expect(host.ran).toEqual(ran)
})

/** Without what a site may leave: the folders that all sites share, and processes that have ended. */
function without(disk: Record<string, string | null>): Record<string, string | null> {
  const units = '/etc/systemd/system'
  const shared = [
    '/etc/hosting/fpm',
    `${units}/multi-user.target.wants`,
    `${units}/timers.target.wants`,
  ]
  const entries = Object.entries(disk)
  return Object.fromEntries(
    entries.filter(([path]) => !shared.includes(path) && !path.startsWith('/proc/')),
  )
}

const SITE = { ...shop, tls: 'letsencrypt' } as const
const CUT_OFF = 'the agent was restarted before the certificate was issued'

const completeWith = (message: string) => {
  const warnings = [{ code: 'certificate_refused', message }]
  return { event: 'complete', data: { status: 'ok', domain: SITE.domain, warnings } }
}

/** Ends the agent while it waits for the certificate; the events of the next process. */
async function cutOff(before: (host: FakeHost) => Promise<void> = async () => undefined) {
  const host = await server()
  host.pages.set(`http://${SITE.domain}/`, `<a href="http://${SITE.domain}/">`)
  const { promise: asked, resolve: asks } = Promise.withResolvers<void>()
  const { probe } = host.net
  host.net.probe = (to) => {
    if (!to.path.includes('acme-challenge')) return probe(to)
    asks()
    return new Promise(() => undefined)
  }
  await runnerOn(host).start('site.create', SITE, 'op1')
  await asked
  await before(host)

  const next = runnerOn(host)
  const { ended } = await next.recover()
  await ended
  const operation = await next.find('op1')
  const events: { event: string; data: unknown }[] = []
  for await (const { event, data } of operation?.follow(0, new AbortController().signal) ?? []) {
    events.push({ event, data })
  }
  return { host, last: events.at(-1) }
}

test('a restart before the certificate keeps the site, its warning and the next attempt', async () => {
  const { host, last } = await cutOff()

  expect(last).toEqual(completeWith(CUT_OFF))
  expect(await findSite(host, SITE.domain)).toMatchObject({ tls: 'letsencrypt' })
  expect(await readFailedRequests(host)).toMatchObject({
    [SITE.domain]: { failures: 1, reason: CUT_OFF },
  })
  host.time += 11 * 60_000
  expect(await listDue(host, { refused: true })).toMatchObject([{ domain: SITE.domain }])
})

test('a restart after a recorded refusal keeps the message of the authority', async () => {
  const refusal = 'DNS problem: NXDOMAIN looking up A'
  const { host, last } = await cutOff((host) => recordRefusal(host, SITE.domain, refusal))

  expect(last).toEqual(completeWith(refusal))
  expect(await readFailedRequests(host)).toMatchObject({ [SITE.domain]: { failures: 1 } })
})
