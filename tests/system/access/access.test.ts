// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { AccessWorld } from '#tests/support/system/access-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'
const FOREIGN = '/etc/ssh/sshd_config.d/50-foreign.conf'

/** The ways in which access ends. */
function accessEnds(of: () => AccessWorld): void {
  test('a person who loses the access loses open sessions, and no other process ends', async () => {
    const world = of()
    await world.set(world.shop, [world.grant('anna'), world.grant('ben')])
    const page = `http://${world.shop.domain}/`
    await get(world.host, page)
    const pools = () => world.host.must(['pgrep', '-u', world.shop.user, '-f', 'php-fpm: master'])
    const before = await pools()
    const session = world.client.stay('ben', world.shop.user)
    const lives = async () => {
      const argv = ['pgrep', '-u', world.shop.user, 'sshd']
      return (await world.host.exec(argv)).code === 0
    }
    expect(await lab.poll(lives)).toBe(true)

    await world.set(world.shop, [world.grant('anna')])

    expect(await session.exited).toBe(255)
    expect(await lives()).toBe(false)
    expect(await pools()).toBe(before)
    expect(await world.logsIn('ben', world.shop.user)).toBe(255)
    expect(await world.logsIn('anna', world.shop.user)).toBe(0)
    expect(await world.rootLogsIn()).toBe('root')
  })

  test('a login that sshd is just admitting has no session after its access ended', async () => {
    const world = of()
    const { host, client, shop } = world
    await world.set(shop, [world.grant('anna'), world.grant('ben')])
    await host.put('/root/late.html', 'late\n')
    // After the account was found to be valid, before the session starts.
    const slow = 'account required pam_exec.so /usr/bin/sleep 4.321'
    await host.must(['cp', '/etc/pam.d/sshd', '/root/pam.sshd'])
    await host.must(['bash', '-c', `echo '${slow}' >> /etc/pam.d/sshd`])
    const login = client.sftp('ben', shop.user, ['put /root/late.html'])
    const isChecked = async () => (await host.exec(['pgrep', '-f', 'sleep 4[.]321'])).code === 0
    expect(await lab.poll(isChecked)).toBe(true)

    await world.set(shop, [world.grant('anna')])

    expect((await login).code).toBe(255)
    const page = await host.exec(['test', '-e', `${shop.docroot}/late.html`])
    expect(page.code).toBe(1)
    await host.must(['cp', '/root/pam.sshd', '/etc/pam.d/sshd'])
  })

  test('logins are in the activity, and a site cannot forge one', async () => {
    const world = of()
    const { user, id } = world.victim
    const forged = `Accepted publickey for ${user} from 203.0.113.7 port 1 ssh2: ED25519 SHA256:`
    const drop = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']
    const text = `${forged}${'a'.repeat(43)}`
    await world.host.must([...drop, 'logger', '--tag', 'sshd-session', '--', text])
    await world.host.must([...drop, 'logger', '--tag', 'sshd', '--', text])
    // With fields that only journald may set, and by a program with the name of sshd.
    const native = { input: `MESSAGE=${text}\n_UID=0\n_COMM=sshd\n_TRANSPORT=syslog\n` }
    await world.host.exec([...drop, 'logger', '--journald'], native)
    await world.host.must(['install', '-m', '755', '/usr/bin/logger', '/var/tmp/sshd'])
    await world.host.must([...drop, '/var/tmp/sshd', '--tag', 'sshd', '--', text])
    const refused = `Connection closed by authenticating user ${user} 1.2.3.4 port 1 [preauth]`
    await world.host.must([...drop, '/var/tmp/sshd', '--tag', 'sshd', '--', refused])

    await world.tenants.sync()

    const read = async (site: { id: number }) => {
      const { dashboard, path } = world.tenants.world
      const { body } = await dashboard.call('GET', path(`/sites/${site.id}/access`))
      return Object(body.access).logins as object[]
    }
    const logins = await read(world.shop)
    expect(logins.length).toBeGreaterThan(3)
    expect(new Set(logins.map((login) => Object(login).person))).toEqual(new Set(['anna', 'ben']))
    expect(logins[0]).toMatchObject({ address: '127.0.0.1' })
    const lasted = logins.map((login) => {
      const { at, ended_at } = Object(login)
      return ended_at === null ? undefined : Date.parse(ended_at) - Date.parse(at)
    })
    expect(lasted.filter((ms) => ms !== undefined && ms >= 0)).not.toEqual([])
    expect(lasted.filter((ms) => ms !== undefined && ms < 0)).toEqual([])
    expect(await read({ id })).toEqual([])
    const { dashboard } = world.tenants.world
    const entries = async (query: string) => {
      const { body } = await dashboard.call('GET', `/api/fleet/activity?${query}`)
      return body.activities as object[]
    }
    const known = { domain: world.shop.domain, address: '127.0.0.1', via: 'agent' }
    const detail = expect.stringMatching(/^(anna|ben), key SHA256:/)
    const [first, ...others] = await entries('type=site.sftp_login')
    expect(first).toMatchObject({ ...known, detail })
    expect(others.length).toBeGreaterThan(2)
    const [end] = await entries('type=site.logout')
    expect(end).toMatchObject({ ...known, detail: expect.stringContaining(', since 20') })
    expect(await entries(`domain=${world.victim.domain}&type=site.sftp_login`)).toEqual([])
    // The refused attempts of an hour are reported when it is over.
    const state = await world.host.must(['cat', '/var/lib/hosting-agent/logins.json'])
    const counted = (JSON.parse(state).refusals as { site: string; address: string }[]).map(
      ({ site, address }) => [site, address],
    )
    expect(counted).toContainEqual([world.shop.user, '127.0.0.1'])
    expect(new Set(counted.map(([, address]) => address))).toEqual(new Set(['127.0.0.1']))
  })

  test('who is connected is listed, and the end of one session leaves the others', async () => {
    const world = of()
    const { host, client, shop } = world
    await world.set(shop, [world.grant('anna'), world.grant('ben')])
    const { dashboard, path } = world.tenants.world
    const at = path(`/sites/${shop.id}/access/sessions`)
    const list = async () =>
      Object((await dashboard.call('GET', at)).body).sessions as { id: string; who: string }[]
    const [anna, ben] = [client.stay('anna', shop.user), client.stay('ben', shop.user)]
    expect(await lab.poll(async () => (await list()).length === 2)).toBe(true)
    const open = await list()
    const first = open.find(({ who }) => who.startsWith('anna, key SHA256:'))

    const ended = await dashboard.call('POST', `${at}/end`, { id: first?.id })

    expect(ended.status).toBe(204)
    expect(await anna.exited).toBe(255)
    expect((await list()).map(({ who }) => who.split(',')[0])).toEqual(['ben'])
    expect((await host.exec(['pgrep', '-u', shop.user, '-c', 'sshd'])).stdout.trim()).toBe('1')
    expect((await dashboard.call('POST', `${at}/end`, { id: first?.id })).status).toBe(404)
    await world.tenants.sync()
    const { body } = await dashboard.call('GET', '/api/fleet/activity?type=site.logout')
    const [entry] = body.activities as object[]
    expect(entry).toMatchObject({ detail: expect.stringContaining(String(first?.who)) })
    await world.set(shop, [world.grant('anna')])
    expect(await ben.exited).toBe(255)
    expect(await list()).toEqual([])
  })

  test('an expired grant admits nobody, and ends what was open', async () => {
    const world = of()
    const at = new Date(Date.now() + 10_000).toISOString()
    await world.set(world.shop, [world.grant('anna', at)])
    const session = world.client.stay('anna', world.shop.user)
    expect(await world.logsIn('anna', world.shop.user)).toBe(0)

    const isOver = async () => (await world.logsIn('anna', world.shop.user)) === 255

    expect(await lab.poll(isOver, { timeout_ms: 60_000 })).toBe(true)
    expect(await session.exited).toBe(255)
  })

  test('the trash keeps the access closed, and a restore opens it', async () => {
    const world = of()
    await world.set(world.shop, [world.grant('anna')])
    expect(await world.run('DELETE', world.shop, '')).toBe('complete')
    expect(await world.logsIn('anna', world.shop.user)).toBe(255)

    expect(await world.run('POST', world.shop, '/restore')).toBe('complete')

    expect(await world.logsIn('anna', world.shop.user)).toBe(0)
  })

  test('without grants nothing is left of the access', async () => {
    const world = of()
    expect(await world.set(world.shop, [])).toMatchObject({ event: 'complete', grants: [] })

    expect(await world.logsIn('anna', world.shop.user)).toBe(255)
    expect((await world.host.must(['ls', '/etc/hosting/ssh/keys'])).trim()).toBe('')
    const group = await world.host.must(['getent', 'group', 'hosting-sftp'])
    expect(group.trim()).toEndWith(':')
  })
}

/** SFTP of people on real servers, with the clients of OpenSSH. */
for (const suite of releases('access')) {
  unless(lab.available()).describe(`access to sites by SFTP on ${suite}`, () => {
    let world: AccessWorld

    beforeAll(async () => {
      world = await AccessWorld.start(suite)
    }, 15 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    test('a configuration that sshd does not accept is refused, and administrators log in', async () => {
      const { host } = world
      expect(await world.rootLogsIn()).toBe('root')
      await host.put(FOREIGN, 'NoSuchSetting yes\n')

      const refused = await world.set(world.shop, [world.grant('anna')])

      expect(refused).toMatchObject({
        event: 'error',
        message: expect.stringContaining('NoSuchSetting'),
      })
      expect((await host.exec(['test', '-e', DROP_IN])).code).toBe(1)
      expect(await world.rootLogsIn()).toBe('root')
      await host.must(['rm', FOREIGN])
    })

    test('a person with a grant moves files by SFTP, and sees nothing but the site', async () => {
      const done = await world.set(world.shop, [world.grant('anna')])

      expect(done).toMatchObject({ event: 'complete', user: world.shop.user, ports: [22] })
      expect(await world.rootLogsIn()).toBe('root')
      await world.host.put('/root/page.html', 'a page by sftp\n')
      const put = await world.client.sftp('anna', world.shop.user, ['put /root/page.html', 'ls -l'])
      expect(put.code).toBe(0)
      expect(put.text).toMatch(/-rw-r-----.+page\.html/)
      const page = await world.host.must(['cat', `${world.shop.docroot}/page.html`])
      expect(page).toBe('a page by sftp\n')
      const stat = ['stat', '--format=%U %a', `${world.shop.docroot}/page.html`]
      expect((await world.host.must(stat)).trim()).toBe(`${world.shop.user} 640`)
    })

    test('there is no way out of the site', async () => {
      const outside = [
        ...[
          '/etc/passwd',
          '../../../etc/passwd',
          `/srv/www/${world.victim.user}/public/wp-config.php`,
        ],
        ...[`../../${world.victim.user}/public/wp-config.php`, '/proc/self/environ'],
      ]
      for (const path of outside) {
        const { code, text } = await world.client.sftp('anna', world.shop.user, [
          `get ${path} /root/stolen`,
        ])
        expect([path, code, text]).toEqual([path, 1, expect.stringMatching(/not found/)])
      }
      const links = ['symlink /etc/passwd p', 'get p /root/stolen']
      expect((await world.client.sftp('anna', world.shop.user, links)).code).toBe(1)
      const above = [`ln -s ../../../../srv/www/${world.victim.user} v`, 'ls v/']
      expect((await world.client.sftp('anna', world.shop.user, above)).code).toBe(1)
      for (const line of ['mkdir /new', 'rename /logs /gone', 'put /root/page.html /x'])
        expect([line, (await world.client.sftp('anna', world.shop.user, [line])).code]).toEqual([
          line,
          1,
        ])
      expect((await world.host.exec(['test', '-e', '/root/stolen'])).code).toBe(1)
    })

    test('there is no shell, no command, no forwarding, and no other site', async () => {
      const { text } = await world.client.ssh('anna', world.shop.user, ['id'])
      expect(text).not.toContain('uid=')
      expect((await world.client.ssh('anna', world.shop.user, [], ['-tt'])).text).not.toContain('$')
      const tunnel = await world.client.ssh('anna', world.shop.user, [], ['-W', '127.0.0.1:3306'])
      expect(tunnel.code).not.toBe(0)
      for (const user of [world.victim.user, 'root', 'www-data', 'hosting-agent'])
        expect([user, (await world.client.sftp('anna', user, ['pwd'])).code]).toEqual([user, 255])
      expect(await world.logsIn('ben', world.shop.user)).toBe(255)
    })

    test('the owner of a site cannot give access to itself or to others', async () => {
      const key = await world.host.must(['cat', '/root/keys/ben.pub'])
      await world.host.put('/tmp/ben.pub', key)
      const tries = [
        'cat /tmp/ben.pub >> /etc/hosting/ssh/keys/"$0"',
        'mkdir /srv/www/"$0"/.ssh',
        'cat /etc/hosting/ssh/keys/"$1"',
        'ls /etc/hosting/ssh/keys/"$1" && mv /etc/hosting/ssh/keys/"$1" /tmp',
        'echo "Match all" > /etc/ssh/sshd_config.d/99.conf',
      ]
      for (const script of tries) {
        const drop = ['setpriv', `--reuid=${world.victim.user}`, `--regid=${world.victim.user}`]
        const argv = [
          ...drop,
          '--init-groups',
          'bash',
          '-euc',
          script,
          world.victim.user,
          world.shop.user,
        ]
        expect([script, (await world.host.exec(argv)).code]).not.toEqual([script, 0])
      }
      const sftp = ['put /root/keys/ben.pub /.ssh/authorized_keys']
      expect((await world.client.sftp('anna', world.shop.user, sftp)).code).toBe(1)
      expect(await world.logsIn('ben', world.victim.user)).toBe(255)
    })

    accessEnds(() => world)
  })
}
