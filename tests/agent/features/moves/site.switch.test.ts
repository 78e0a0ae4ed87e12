import { describe, expect, test } from 'bun:test'
import { discoverSites } from '#agent/features/existing/discovery.ts'
import { siteSwitch } from '#agent/features/moves/site.switch.ts'
import { TEST_PATH } from '#agent/features/web/move-locations.ts'
import { findSite, getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { eachFailure } from '#tests/support/agent/faults.ts'
import {
  answering,
  paramsFor,
  receivingServer,
  switched,
  VHOST,
} from '#tests/support/agent/moving.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import { anna, setAccess } from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { times } from '#tests/support/runs.ts'

const { domain } = shop
const TIMER = '/etc/systemd/system/hosting-thaw@shop.timer'

const leaving = async () => answering(await server(shop))

describe('the server of the site', () => {
  test('forwards the challenges, and serves as before', async () => {
    const host = await leaving()

    const [lines, result] = await switched(host, 'leaving')

    expect(lines).toEqual([
      'Changing the virtual host of shop.example',
      'Scheduling the jobs of WordPress',
      'Recording the state of shop.example',
    ])
    expect(result).toEqual({ domain, certificate: '' })
    const vhost = host.disk.text(VHOST) ?? ''
    expect(vhost.split('\n').filter((line) => line.includes('proxy_pass'))).toEqual([
      '        proxy_pass http://10.0.0.2;',
      '        proxy_pass http://10.0.0.2;',
    ])
    expect(vhost).toContain('fastcgi_pass')
  })

  test('answers 503 while it is frozen, and systemd ends that', async () => {
    const host = await leaving()

    const [lines] = await switched(host, 'leaving', 'frozen')

    expect(lines).toEqual([
      'Checking the connection to the other server',
      'Limiting the freeze',
      'Pausing the jobs of shop.example',
      'Freezing shop.example',
      'Waiting for running requests and jobs',
    ])
    expect(host.disk.text(VHOST)).toContain('add_header Retry-After 30 always;')
    expect(host.disk.text(VHOST)).not.toContain('fastcgi_pass')
    expect(host.disk.text(TIMER)).toContain('OnActiveSec=300\n')
    expect(host.disk.text('/etc/systemd/system/hosting-thaw@shop.service')).toContain(
      `ExecStart=/usr/bin/mv --force ${VHOST}.serving ${VHOST}\n`,
    )
  })

  test('reports the frozen site, so that no sync takes it for missing', async () => {
    const host = await leaving()
    await switched(host, 'leaving', 'frozen')
    const served = '# configuration file /etc/nginx/sites-enabled/hosting-shop.example.conf:'
    host.answer('nginx -T', `${served}\n${host.disk.text(VHOST)}`)

    const found = await discoverSites(host)

    const docroot = '/srv/www/shop/public'
    expect(found).toMatchObject([{ domain, user: 'shop', docroot, closed: true }])
  })

  test('does not freeze the site while the other server does not answer', async () => {
    const host = await leaving()
    await switched(host, 'leaving')
    host.net.probe = async () => ({ status: 502, body: '', headers: {} })

    const [, reason] = await switched(host, 'frozen')

    expect(reason).toBe('The other server does not answer over HTTP as it should (status 502)')
    expect(host.disk.text(VHOST)).toContain('fastcgi_pass')
    expect(host.disk.find(TIMER)).toBeUndefined()
  })

  test('serves as before the move when the move ends', async () => {
    const host = await leaving()
    const before = host.disk.text(VHOST)

    await switched(host, 'leaving', 'frozen', 'settled')

    expect(host.disk.text(VHOST)).toBe(before)
    expect(await findSite(host, domain)).toEqual(shop)
    expect([host.disk.find(TIMER), host.disk.find(`${VHOST}.serving`)]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('only forwards after the handover, and is not a site of its server any more', async () => {
    const host = await leaving()

    const [lines] = await switched(host, 'leaving', 'frozen', 'parted')

    expect(lines).toEqual([
      'Checking that shop.example is still frozen',
      'Handing over shop.example',
      'Forwarding all requests',
      'Stopping PHP and the jobs',
    ])
    const moving = { to: '10.0.0.2', challenges: true, parted: true }
    expect(await findSite(host, domain)).toBeUndefined()
    expect(await findSite(host, domain, 'moved')).toEqual({ ...shop, moving })
    const vhost = host.disk.text(VHOST) ?? ''
    expect(vhost).toContain('        proxy_set_header X-Real-IP $remote_addr;\n')
    expect(vhost).not.toContain('fastcgi_pass')
    expect(vhost.match(/location .*|return 503/g)).toEqual([
      'location ^~ /.well-known/acme-challenge/ {',
      'location / {',
      'location @hosting_unanswered {',
      'return 503',
    ])
    expect(host.disk.find('/srv/www/shop/public')).toBeDefined()
    const finished = await siteSwitch.finished?.(paramsFor('parted'), host)
    expect(finished).toEqual({ domain, certificate: '' })
  })

  test('is not handed over after it thawed automatically', async () => {
    const host = await leaving()
    await switched(host, 'leaving', 'frozen')
    await host.files.rename(`${VHOST}.serving`, VHOST)

    const [, reason] = await switched(host, 'parted')

    expect(reason).toBe('shop.example is not frozen any more: the move took too long')
    expect(await findSite(host, domain, 'moved')).toBeUndefined()
    expect(host.disk.text(VHOST)).toContain('fastcgi_pass')
  })
})

describe('the other server', () => {
  test('serves everybody, and schedules the jobs, when the site has arrived', async () => {
    const { host } = await receivingServer()

    await switched(host, 'arrived')

    expect(await findSite(host, domain)).toEqual({ ...shop, moving: { from: ['10.0.0.2'] } })
    const vhost = host.disk.text(VHOST) ?? ''
    expect([vhost.includes('$hosting_asked '), vhost.includes('set_real_ip_from')]).toEqual([
      false,
      true,
    ])
    expect(host.disk.find('/etc/systemd/system/hosting-cron@shop.timer')).toBeDefined()
  })

  test('that only forwards serves the site again, closed first', async () => {
    const host = await leaving()
    await switched(host, 'leaving', 'frozen', 'parted')

    const [lines] = await switched(host, 'arriving')

    expect(lines).toEqual([
      'Starting PHP 8.2',
      'Forwarding visitors to the other server',
      'Recording the site',
    ])
    expect(await findSite(host, domain, 'moved')).toBeUndefined()
    expect(await findSite(host, domain)).toEqual({
      ...shop,
      moving: { from: ['10.0.0.2'], closed: true },
    })
  })

  test.each(['leaving', 'frozen', 'returning'] as const)(
    'refuses to become %s while its copy is closed',
    async (state) => {
      const { host } = await receivingServer()

      const [, reason] = await switched(host, state)

      expect(reason).toBe(`shop.example cannot become ${state} on this server`)
    },
  )
})

const SERVICE = '/etc/systemd/system/hosting-thaw@shop.service'
const isClosed = ({ disk }: FakeHost) => /^shop:!:+2:/m.test(disk.text('/etc/shadow') ?? '')

/** A site that a person can log in to, before it is frozen. */
async function withAccess(): Promise<FakeHost> {
  const host = await server(shop)
  await writeSite(host, { ...shop, access: [anna] })
  await switched(answering(host), 'leaving')
  return host
}

test('nobody can log in while the site is frozen', async () => {
  const host = await withAccess()

  const [lines] = await switched(host, 'frozen')

  expect(lines).toEqual([
    'Checking the connection to the other server',
    'Limiting the freeze',
    'Pausing the jobs of shop.example',
    'Freezing shop.example',
    'Ending the SFTP and SSH sessions of shop.example',
    'Waiting for running requests and jobs',
  ])
  expect(isClosed(host)).toBe(true)
})

test('systemd opens the accounts when it ends a freeze, after the virtual host', async () => {
  const host = await withAccess()

  await switched(host, 'frozen')

  const lines = (host.disk.text(SERVICE) ?? '').split('\n')
  expect(lines.filter((line) => line.startsWith('ExecStart='))).toEqual([
    `ExecStart=/usr/bin/mv --force ${VHOST}.serving ${VHOST}`,
    'ExecStart=-/usr/bin/systemctl --no-block reload nginx.service',
    'ExecStart=-/usr/bin/systemctl --no-block start hosting-cron@shop.timer',
    'ExecStart=-/usr/bin/chage --expiredate=-1 shop',
  ])
})

test('people can log in again when the move ends without a switch', async () => {
  const host = await withAccess()

  await switched(host, 'frozen', 'settled')

  expect(isClosed(host)).toBe(false)
})

test('after the handover nobody can, and everybody after the site is restored', async () => {
  const host = await withAccess()

  await switched(host, 'frozen', 'parted')
  expect(isClosed(host)).toBe(true)
  await switched(host, 'arriving', 'arrived')

  expect(isClosed(host)).toBe(false)
})

test('whatever fails in the freeze, the accounts are as before', async () => {
  const failed = await eachFailure(
    withAccess,
    (host) => switched(host, 'frozen'),
    async (host, fault) => {
      expect([fault, isClosed(host)]).toEqual([fault, false])
    },
  )
  expect(failed).toBeGreaterThan(times(10))
})

test('a handover that fails before its record opens the accounts', async () => {
  const host = await withAccess()
  await switched(host, 'frozen')
  const { write } = host.files
  host.files.write = async (path, ...rest) => {
    if (path.includes('/moved/')) throw new Error('disk full')
    return write.call(host.files, path, ...rest)
  }

  const [, reason] = await switched(host, 'parted')

  expect([reason, isClosed(host)]).toEqual(['disk full', false])
})

test('a frozen site accepts no new people, and removes those whose access ends', async () => {
  const host = await withAccess()
  await switched(host, 'frozen')
  const grant = { ...anna, id: 2, person: 'Ben' }

  const [, refused] = await setAccess(host, [anna, grant])
  expect(refused).toBe('shop.example is frozen while it moves')

  await setAccess(host, [])
  expect((await getSite(host, domain)).access).toBeUndefined()
  await switched(host, 'settled')
  expect(isClosed(host)).toBe(false)
})

test.each([
  ['asks for a password', { basic_auth: { user: 'ann', password_hash: hashOf('letmein') } }],
  ['shows its maintenance page', { maintenance: { allow: [], message: '' } }],
])('forwards the test request also of a site that %s', async (_, settings) => {
  const host = await server({ ...shop, settings })

  await switched(host, 'leaving')

  const vhost = host.disk.text(VHOST) ?? ''
  const [, trial = ''] = vhost.split(`    location = ${TEST_PATH} {\n`)
  expect(trial).toStartWith('        auth_basic off;\n        proxy_pass ')
  expect(vhost.includes(`    "0${TEST_PATH}" "";\n`)).toBe('maintenance' in settings)
})
