// tier: gate

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { INSIDE_PROGRAMS, STARTED_BY } from '#agent/kernel/host/root-programs.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { readEvents } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { type Answer, endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, installEnrolled } from '#tests/support/system/enrolled.ts'
import { inventory } from '#tests/support/system/odd-site.ts'
import { get } from '#tests/support/system/requests.ts'
import { type Snapshot, snapshot } from '#tests/support/system/snapshot.ts'
import { unplanned } from '#tests/support/system/unplanned.ts'
import { MINUTES, type Site } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

setDefaultTimeout(8 * MINUTES)

const WRITABLE = [
  ...['/etc', '/srv', '/srv/www', '/var', '/var/lib/hosting-agent', '/run', '/run/lock'],
  ...['/usr/local/bin', '/tmp', '/var/tmp', '/dev/shm'],
]
const OTHERS = [
  ...['/usr/bin/perl', '/bin/sh', '/usr/bin/bash', '/usr/bin/dd', '/usr/sbin/logrotate'],
  '/usr/lib/systemd/systemd-journald',
]
/** The paths of programs that a provisioned server of these tests does not have. */
const MISSING = /^\/usr\/sbin\/(sshd|php-fpm\d\.\d|nscd|sss_cache)$|^\/usr\/bin\/ssh-keygen$/

/** What the working half of an agent may execute, on a provisioned server without sites. */
function executesItsTable(getWorld: () => Enrolled): void {
  const inside = async () => {
    const { host } = getWorld()
    const show = ['systemctl', 'show', '--property=MainPID', '--value', 'hosting-agent.service']
    const pid = (await host.must(show)).trim()
    const refused = async (path: string) => {
      const { stderr } = await host.exec(['nsenter', `--target=${pid}`, '--mount', path, '--help'])
      return /failed to execute .*: Permission denied/.test(stderr)
    }
    return { host, pid, refused }
  }

  test('the working half executes no program but those of its table', async () => {
    const { host, pid, refused } = await inside()
    const drafts = WRITABLE.map((folder) => `${folder}/hosting-draft`)
    for (const path of drafts) await host.must(['cp', '/usr/bin/id', `/proc/${pid}/root${path}`])
    const ran: string[] = []
    for (const path of [...drafts, ...OTHERS]) if (!(await refused(path))) ran.push(path)
    for (const path of drafts) await host.must(['rm', `/proc/${pid}/root${path}`])

    expect(ran).toEqual([])
  })

  test('a package may replace every one of these programs, and those that they start', async () => {
    const { host, refused } = await inside()
    const withheld: string[] = []
    const all = [...Object.values(INSIDE_PROGRAMS), ...Object.values(STARTED_BY).flat()]
    for (const path of new Set(all)) {
      if ((await host.exec(['test', '-e', path])).code !== 0) {
        expect(path).toMatch(MISSING)
        continue
      }
      const real = (await host.must(['realpath', path])).trim()
      if ((await host.exec(['test', '-d', real])).code === 0) continue
      await host.must(['cp', '--preserve=mode', real, `${real}.dpkg-new`])
      await host.must(['mv', `${real}.dpkg-new`, real])
      if (await refused(path)) withheld.push(path)
    }
    expect(withheld).toContain('/usr/bin/systemd-run')
    expect(withheld).toContain('/usr/bin/systemctl')
    expect(withheld).toContain('/usr/sbin/useradd')
    expect(withheld).toContain('/usr/bin/env')
    expect(withheld).toContain('/usr/bin/gzip')
  })
}

const ROOT = 'hosting-agent.service'
const FRONT = 'hosting-agent-front.service'
const DOMAIN = 'shop.example.test'
const POLICY = '/etc/hosting-agent/policy.json'

/** Without the server's account at the authority, and programs of Debian's timers. */
function lasting({ files, processes, ...rest }: Snapshot): Snapshot {
  const account = /^\/var\/lib\/(hosting-acme\/|hosting-agent\/acme)/
  return {
    ...rest,
    files: files.filter((path) => !account.test(path)),
    processes: processes.filter((line) => !line.endsWith(' systemctl')),
  }
}

/** The logs of a site that answers at `domain`, read by an installed agent. */
function readsLogs(of: () => { world: Enrolled; site: number }, domain: string): void {
  test('reads and follows the logs of a site through both halves', async () => {
    const { world, site } = of()
    const at = world.path(`/sites/${site}/logs`)
    const following = await world.dashboard.open(`${at}/events?source=access`)
    await lab.poll(async () => {
      await get(world.host, `https://${domain}/?logged=yes`)
      const { body } = await world.dashboard.call('GET', `${at}/lines?source=access&text=logged`)
      return (body.lines as unknown[]).length > 0
    })

    const { status, body } = await world.dashboard.call('GET', at)
    expect([status, (body.logs as unknown[]).length > 0]).toEqual([200, true])
    for await (const { data } of readEvents(following.body ?? new ReadableStream()))
      if (JSON.stringify(data).includes('logged=yes')) break
  })
}

const HALVES = ['hosting-agent-front.service', 'hosting-agent.service']

/** No site has a user that the server or Hosting Control has, or can reach what runs as that user. */
function refusesKnownUsers(
  found: () => { world: Enrolled; site: Site },
  { domain, php }: { domain: string; php: string },
): void {
  const world = () => found().world
  const site = () => found().site

  test('refuses a site with a user of Hosting Control or of a unit', async () => {
    const unit = (name: string, user: string) =>
      world().host.put(
        `/etc/systemd/system/${name}.service`,
        `[Service]\nExecStart=/bin/sleep infinity\n${user}\n`,
      )
    await unit('dynamo', 'DynamicUser=yes')
    await unit('rests', 'User=resting')
    await world().host.must(['systemctl', 'daemon-reload'])
    await world().host.must(['systemctl', 'start', 'dynamo'])
    const asked = async (user: string) => {
      const body = { domain: 'second.example.test', php, tls: 'none', user, dry_run: true }
      const { status, body: answer } = await world().dashboard.call(
        'POST',
        world().path('/sites'),
        body,
      )
      return [status, Object(answer).fields]
    }

    const ours = 'Must not begin with hosting: these names belong to Hosting Control'
    for (const user of ['hosting-agent-front', 'hosting-front', 'hosting-keeper']) {
      expect(await asked(user)).toEqual([422, { user: [ours] }])
    }
    const system = 'Must not be the name of root or of a system account'
    for (const user of ['root', 'www-data', 'mysql', '_apt']) {
      expect(await asked(user)).toEqual([422, { user: [system] }])
    }
    expect(await asked('resting')).toEqual([
      422,
      { user: ['rests.service of this server runs as this user'] },
    ])
    const [status, fields] = await asked('dynamo')
    expect([status, fields.user]).toEqual([
      422,
      [expect.stringMatching(/^Already exists in the passwd|^dynamo\.service of this server/)],
    ])
    expect((await asked('dynamic'))[0]).toBe(200)
    await world().host.must(['systemctl', 'stop', 'dynamo'])
    expect(await asked('dynamo')).toEqual([
      422,
      { user: ['dynamo.service of this server runs as this user'] },
    ])
    await world().host.must([
      'rm',
      ...['dynamo', 'rests'].map((name) => `/etc/systemd/system/${name}.service`),
    ])
    await world().host.must(['systemctl', 'daemon-reload'])
  })

  test('the PHP of a site cannot take the port of the agent while it restarts, or that of MariaDB', async () => {
    const settings = await world().host.must(['cat', '/etc/hosting-agent/agent.env'])
    const port = /^AGENT_LISTEN=.*:(\d+)$/m.exec(settings)?.[1]
    const take = `@stream_socket_server('tcp://0.0.0.0:${port}') ?: @stream_socket_server('tcp://[::]:${port}')`
    const code = `<?php for ($until = time() + 6; time() < $until; usleep(1000)) if (${take}) exit('taken'); echo 'refused';`
    const path = `/srv/www/${site().user}/public/take.php`
    await world().host.put(path, code)
    await world().host.must(['chown', site().user, path])

    const taking = get(world().host, `https://${domain}/take.php`)
    for (const action of ['restart', 'kill', 'restart']) {
      await world().host.must(['systemctl', action, 'hosting-agent-front.service'])
    }

    expect((await taking).body).toBe('refused')
    const path_of_site = world().path(`/sites/${site().id}/logs`)
    expect((await world().dashboard.call('GET', path_of_site)).status).toBe(200)
    const listening = await world().host.must(['ss', '-Hltn'])
    expect(listening).not.toMatch(/:3306\b/)
    await world().host.must(['rm', path])
  })

  test('the PHP of a site cannot signal the halves of the agent', async () => {
    const show = ['systemctl', 'show', '--property=MainPID', '--value']
    const pids = await Promise.all(
      HALVES.map(async (name) => Number(await world().host.must([...show, name]))),
    )
    const stop = 'fn($pid) => [posix_kill($pid, 19), posix_get_last_error()]'
    const code = `<?php echo json_encode(array_map(${stop}, [${pids}]));`
    const path = `/srv/www/${site().user}/public/signal.php`
    await world().host.put(path, code)
    await world().host.must(['chown', site().user, path])

    const { body } = await get(world().host, `https://${domain}/signal.php`)

    // ESRCH: it does not even see them; EPERM: it may not.
    const seen = JSON.parse(body) as [boolean, number][]
    expect(seen.map(([sent, reason]) => [sent, [1, 3].includes(reason)])).toEqual([
      [false, true],
      [false, true],
    ])
    const status = await world().host.must(['cat', `/proc/${pids[0]}/status`])
    // T would be a stopped process.
    expect(/^State:\s+(\S)/m.exec(status)?.[1]).toMatch(/^[DRS]$/)
    await world().host.must(['rm', path])
  })
}

/** All work on a server, by an installed agent. */
for (const suite of releases('sandbox')) {
  const { php } = suites[suite]
  unless(lab.available()).describe(`the agent in its sandbox on ${suite}`, () => {
    let world: Enrolled
    let before: Snapshot
    let site: Site

    beforeAll(async () => {
      world = await installEnrolled(suite)
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)
    const statusOf = async (unit: string) => {
      const show = ['systemctl', 'show', '--property=MainPID', '--value', unit]
      const pid = (await world.host.must(show)).trim()
      const status = await world.host.must(['cat', `/proc/${pid}/status`])
      const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
      const devices = await world.host.must(['cat', `/proc/${pid}/net/dev`])
      return { field, devices: [...devices.matchAll(/^\s*(\w+):/gm)].map(([, name]) => name) }
    }
    const ended = async (answer: Answer) => (await endOf(world.dashboard, answer)).data

    test.each([
      [FRONT, 15],
      [ROOT, 25],
    ])('systemd scores %s at most %d tenths', async (unit, tenths) => {
      const argv = ['systemd-analyze', 'security', '--offline=yes', `--threshold=${tenths}`]

      const { code, stdout } = await world.host.exec([...argv, `/etc/systemd/system/${unit}`])

      expect([code, /Overall exposure.*/.exec(stdout)?.[0]]).toEqual([0, expect.any(String)])
    })

    test('the listening half has a fixed user, no capability and no access to the keys', async () => {
      const { field } = await statusOf(FRONT)

      const entry = await world.host.must(['getent', 'passwd', 'hosting-front'])
      expect(entry.split(':').slice(2, 3)).toEqual([field('Uid')])
      expect(Number(field('Uid'))).toBeLessThan(1000)
      expect([field('CapEff'), field('CapBnd'), field('NoNewPrivs'), field('Seccomp')]).toEqual([
        '0000000000000000',
        '0000000000000000',
        '1',
        '2',
      ])
      const reads = (path: string) =>
        world.host.exec(['setpriv', `--reuid=${field('Uid')}`, '--clear-groups', 'cat', path])
      for (const name of ['identity.json', 'tls.key']) {
        expect((await reads(`/var/lib/hosting-agent/trust/${name}`)).code).toBe(1)
      }
      expect((await reads('/etc/hosting-agent/agent.env')).code).toBe(1)
    })

    test('the working half has no network, and few rights of root except files and users', async () => {
      const { field, devices } = await statusOf(ROOT)

      expect(devices).toEqual(['lo'])
      expect([field('CapBnd'), field('NoNewPrivs'), field('Seccomp')]).toEqual([
        '00000000000001fb',
        '1',
        '2',
      ])
      const socket = await world.host.must([
        'stat',
        '-c',
        '%U:%G %a',
        '/run/hosting-agent/root.sock',
      ])
      expect(socket.trim()).toBe('root:hosting-agent 660')
    })

    test('provisions the server', async () => {
      const body = { php_versions: [php] }
      const asked = { ...body, dry_run: true }
      const planned = await world.dashboard.call('POST', world.path('/provision'), asked)
      const { steps } = planned.body.plan as Plan
      const files = [
        ...['nginx', 'shared pools', 'sites slice', 'run folders', 'mail', 'login'],
        ...['debug log', 'site etc', 'restarts'],
      ]
      const names = ['database port', 'packages', ...files, 'services', 'wp-cli', 'job recorder']
      expect(steps.map(({ name }) => name)).toEqual(names)
      const events = await world.dashboard.stream('POST', world.path('/provision'), body)

      expect(events.at(-1)).toMatchObject({ event: 'complete', data: { php_versions: [php] } })
      before = lasting(await snapshot(world.host))
    })

    executesItsTable(() => world)

    test('creates a site with a certificate that an authority issued', async () => {
      for (const name of [DOMAIN, `www.${DOMAIN}`]) {
        await world.acme.resolve(name, world.host.address)
      }
      const body = { domain: DOMAIN, php, tls: 'letsencrypt' }
      let id = 0
      const asked = { method: 'POST', path: '/sites', body }
      const unexpected = await unplanned(world, asked, async (planned) => {
        const path = world.path('/sites')
        const created = await world.dashboard.call('POST', path, Object(planned.site))
        expect(created.status).toBe(201)
        expect(await ended(created)).toEqual({ status: 'ok', domain: DOMAIN })
        id = (created.body.site as Site).id
      })
      expect(unexpected).toEqual([])
      await world.dashboard.stream('POST', world.path('/sync'))

      const found = await world.dashboard.call('GET', world.path(`/sites/${id}`))
      site = found.body.site as Site
      expect(site).toMatchObject({ domain: DOMAIN, tls: 'letsencrypt' })
      const page = await get(world.host, `https://${DOMAIN}/`)
      expect([page.status, page.body.includes(`https://${DOMAIN}/`)]).toEqual([200, true])
      expect((await get(world.host, `https://${DOMAIN}/wp-json/`)).status).toBe(200)
    })

    test('runs every other operation of a site', async () => {
      const { call, stream } = world.dashboard
      const password = await call('POST', world.path(`/sites/${site.id}/admin-password`))
      expect([password.status, password.body.password]).toEqual([200, expect.any(String)])
      const scan = await stream('POST', world.path('/wp-scan'), { site_id: site.id })
      expect(scan.at(-1)?.event).toBe('complete')
      const pool = { user: site.user, php_version: php, tier: 'medium' }
      expect((await call('POST', world.path('/pool-apply'), pool)).status).toBe(200)
      expect((await get(world.host, `https://${DOMAIN}/`)).status).toBe(200)
    })

    refusesKnownUsers(() => ({ world, site }), { domain: DOMAIN, php })
    readsLogs(() => ({ world, site: site.id }), DOMAIN)
    test('a policy of root protects the site and its passwords from the dashboard', async () => {
      const { call } = world.dashboard
      const rules = { deny: ['site.delete'], passwords: 'deny' }
      await world.host.put(POLICY, JSON.stringify(rules), 0o600)

      const password = await call('POST', world.path(`/sites/${site.id}/admin-password`))
      expect([password.status, password.body.message]).toEqual([
        403,
        `${POLICY} on this server denies passwords`,
      ])
      const deleted = await call('DELETE', world.path(`/sites/${site.id}`))
      expect(await ended(deleted)).toEqual({
        error: 'Forbidden',
        message: `${POLICY} on this server denies site.delete`,
      })
      expect((await get(world.host, `https://${DOMAIN}/`)).status).toBe(200)
      await world.host.must(['rm', POLICY])
    })

    const trash = async () => {
      const deleted = await world.dashboard.call('DELETE', world.path(`/sites/${site.id}`))
      const done = { status: 'ok', domain: DOMAIN, size: expect.any(Number) }
      expect(await ended(deleted)).toEqual(done)
    }

    test('moves the site to the trash and restores it with its certificate', async () => {
      const whole = await inventory(world.host, site)
      await trash()
      await expect(get(world.host, `https://${DOMAIN}/`)).rejects.toThrow()

      const path = world.path(`/sites/${site.id}/restore`)
      const restored = await ended(await world.dashboard.call('POST', path))

      expect(restored).toEqual({ status: 'ok', domain: DOMAIN })
      expect(await inventory(world.host, site)).toEqual(whole)
      const page = await get(world.host, `https://${DOMAIN}/`)
      expect([page.status, page.body.includes(`https://${DOMAIN}/`)]).toEqual([200, true])
    })

    test('purges the site completely', async () => {
      await trash()
      const path = world.path(`/sites/${site.id}/purge`)
      const purged = await world.dashboard.call('POST', path, { domain: DOMAIN })

      expect(await ended(purged)).toEqual({ status: 'ok', domain: DOMAIN })
      const left = async () => lasting(await snapshot(world.host))
      await lab.polled(async () => Bun.deepEquals(await left(), before))
      expect(await left()).toEqual(before)
    })
  })
}
