// tier: gate

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { AccessWorld } from '#tests/support/system/access-world.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { PasswordClient } from '#tests/support/system/password-client.ts'
import { get } from '#tests/support/system/requests.ts'
import { SecretWatch } from '#tests/support/system/secret-watch.ts'
import type { Tenant } from '#tests/support/system/tenants.ts'
import { releases } from '#tests/support/turns.ts'

interface Login {
  token: string
  login: string
  password: string
}

/** Two sites and their client accounts. */
class ClientWorld {
  readonly access: AccessWorld
  readonly client: PasswordClient

  private constructor(access: AccessWorld) {
    this.access = access
    this.client = new PasswordClient(access.host)
  }

  static async start(suite: Suite): Promise<ClientWorld> {
    return new ClientWorld(await AccessWorld.start(suite))
  }

  get host() {
    return this.access.host
  }
  get shop() {
    return this.access.shop
  }
  get victim() {
    return this.access.victim
  }

  call(site: Tenant, below: string, body: object) {
    const { dashboard, path } = this.access.tenants.world
    return dashboard.call('POST', path(`/sites/${site.id}/access/clients${below}`), body)
  }

  async create(site: Tenant, label: string, expires_at: string | null = null): Promise<Login> {
    return this.#login(await this.call(site, '', { label, expires_at }))
  }

  async reset(site: Tenant, token: string): Promise<Login> {
    return this.#login(await this.call(site, '/password', { token }))
  }

  async end(site: Tenant, token: string): Promise<number> {
    return (await this.call(site, '/end', { token })).status
  }

  #login({ status, body }: { status: number; body: object }): Login {
    if (status !== 200) throw new Error(`answered with ${status}: ${JSON.stringify(body)}`)
    return body as Login
  }

  /** Returns the access to a site as the site's page shows it. */
  async shown(site: Tenant) {
    const { dashboard, path } = this.access.tenants.world
    const { body } = await dashboard.call('GET', path(`/sites/${site.id}/access`))
    return Object(body.access)
  }

  /** The settings of sshd for sessions of others. */
  async others(): Promise<string[]> {
    const of = (user: string) =>
      this.host.must(['sshd', '-T', '-C', `user=${user},host=localhost,addr=127.0.0.1`])
    return [await of('root'), await of('nobody'), await of('www-data')]
  }

  /** A process of sshd runs as the user of the site. */
  async hasSession({ user }: Tenant): Promise<boolean> {
    return (await this.host.exec(['pgrep', '-u', user, 'sshd'])).code === 0
  }
}

const MINUTES = 60_000
setDefaultTimeout(8 * MINUTES)

/** The ways in which a client account ends. */
function clientEnds(of: () => ClientWorld): void {
  test('a removed account loses its live session, and no other process ends', async () => {
    const { host, shop, client, ...world } = parts(of())
    const { token, login, password } = await world.create('Leaving')
    const stays = await world.create('Staying')
    await get(host, `http://${shop.domain}/`)
    const pools = () => host.must(['pgrep', '-u', shop.user, '-f', 'php-fpm: master'])
    const before = await pools()
    const session = await client.stay(login, password)
    expect(await lab.poll(() => of().hasSession(shop))).toBe(true)

    expect(await of().end(shop, token)).toBe(200)

    expect(await session.exited).toBe(255)
    expect(await of().hasSession(shop)).toBe(false)
    expect(await pools()).toBe(before)
    expect((await host.exec(['getent', 'passwd', login])).code).toBe(2)
    expect(await client.logsIn(login, password)).toBe(255)
    expect(await client.logsIn(stays.login, stays.password)).toBe(0)
    expect(await of().access.rootLogsIn()).toBe('root')
  })

  test('with a new password the previous one is refused, and its session ends', async () => {
    const { shop, client, ...world } = parts(of())
    const { token, login, password } = await world.create('Forgetful')
    const session = await client.stay(login, password)
    expect(await lab.poll(() => of().hasSession(shop))).toBe(true)

    const again = await of().reset(shop, token)

    expect(await session.exited).toBe(255)
    expect([again.login, again.password === password]).toEqual([login, false])
    expect(await client.logsIn(login, password)).toBe(255)
    expect(await client.logsIn(login, again.password)).toBe(0)
  })

  test('an expired account is refused, and its session ends', async () => {
    const { client, ...world } = parts(of())
    const at = new Date(Date.now() + 15_000).toISOString()
    const { login, password } = await world.create('For a moment', at)
    const session = await client.stay(login, password)
    expect(await client.logsIn(login, password)).toBe(0)

    const isOver = async () => (await client.logsIn(login, password)) === 255

    expect(await lab.poll(isOver, { timeout_ms: 90_000 })).toBe(true)
    expect(await session.exited).toBe(255)
  })

  test('the trash keeps the accounts closed, and a restore opens them', async () => {
    const { shop, client, ...world } = parts(of())
    const { login, password } = await world.create('Trashed')
    expect(await of().access.run('DELETE', shop, '')).toBe('complete')
    expect(await client.logsIn(login, password)).toBe(255)

    expect(await of().access.run('POST', shop, '/restore')).toBe('complete')

    expect(await client.logsIn(login, password)).toBe(0)
  })

  test('logins are in the activity with the account', async () => {
    const { shop } = of()
    await of().access.tenants.sync()

    const { logins } = await of().shown(shop)

    expect(logins[0]).toMatchObject({ address: '127.0.0.1', person: null, client: 'Trashed' })
    const { dashboard } = of().access.tenants.world
    const { body } = await dashboard.call('GET', '/api/activity?type=site.client_login')
    expect(body.activities).toContainEqual(expect.objectContaining({ domain: shop.domain }))
  })

  test('a permanently deleted site leaves no account', async () => {
    const { host, victim, client } = of()
    const { login, password } = await of().create(victim, 'Last')
    expect(await client.logsIn(login, password)).toBe(0)
    expect(await of().access.run('DELETE', victim, '')).toBe('complete')
    const { dashboard, path } = of().access.tenants.world
    const body = { domain: victim.domain }
    const answer = await dashboard.call('POST', path(`/sites/${victim.id}/purge`), body)
    expect((await endOf(dashboard, answer)).event).toBe('complete')

    const passwd = await host.must(['cat', '/etc/passwd', '/etc/shadow', '/etc/group'])

    expect(passwd).not.toContain(victim.user)
  })
}

function parts(world: ClientWorld) {
  const { host, shop, client } = world
  const create = (label: string, at?: string) => world.create(shop, label, at)
  return { host, shop, client, create }
}

const EARLIER = '/etc/ssh/sshd_config.d/00-a.conf'
const LOOSE = `Match Group hosting-client
    ChrootDirectory none
    DisableForwarding no
Match all
`
const DID =
  'it listed folders outside of its site, reached a port of the server, reached /run/mysqld/mysqld.sock. '

/** The isolation check from a client account. */
function clientIsolation(of: () => ClientWorld): void {
  const checked = async () => {
    const { dashboard, path } = of().access.tenants.world
    const events = await dashboard.stream('POST', path('/isolation-check'))
    const { results = [] } = Object(events.at(-1)?.data) as { results?: IsolationResult[] }
    return results.find(({ id }) => id === 'ssh.clients')
  }

  test('an isolation check finds what a client account must not do, and leaves nothing', async () => {
    const { host } = of()
    const users = () => host.must(['cat', '/etc/passwd', '/etc/group', '/etc/shadow'])
    const before = await users()

    expect(await checked()).toMatchObject({ outcome: 'refused', detail: '' })
    expect(await users()).toBe(before)
    await host.put(EARLIER, LOOSE)
    await host.must(['systemctl', 'reload', 'ssh'])

    expect(await checked()).toMatchObject({
      outcome: 'succeeded',
      detail: expect.stringContaining(DID),
    })

    await host.must(['rm', EARLIER])
    await host.must(['systemctl', 'reload', 'ssh'])
    const left = await host.must(['ls', '/var/lib/hosting-agent'])
    expect(left).not.toMatch(/askpass|forwarded/)
  })
}

/** Client accounts on a real server, with the clients of OpenSSH and a password. */
for (const suite of releases('clients')) {
  unless(lab.available()).describe(`client accounts on ${suite}`, () => {
    let world: ClientWorld

    beforeAll(async () => {
      world = await ClientWorld.start(suite)
    }, 15 * MINUTES)
    afterAll(() => world?.access.stop(), 5 * MINUTES)

    test('they are off until the setting allows them', async () => {
      const { status, body } = await world.call(world.shop, '', { label: 'Print shop' })
      expect([status, body.message]).toEqual([409, expect.stringContaining('client_accounts')])
      const { dashboard } = world.access.tenants.world
      await dashboard.call('PUT', '/api/settings/client_accounts', { value: true })
    })

    test('a client moves files with a password, which is stored nowhere', async () => {
      const { host, shop, client } = world
      const before = await world.others()
      const watch = new SecretWatch(host)
      await watch.start([])

      const { login, password } = await world.create(shop, 'Print shop')

      expect(login).toMatch(new RegExp(`^${shop.user}\\.[a-z2-7]{8}$`))
      expect(await world.others()).toEqual(before)
      await host.put('/root/page.html', 'a page of a client\n')
      const put = await client.sftp(login, password, ['put /root/page.html', 'ls -l'])
      expect([put.code, put.text]).toEqual([0, expect.stringMatching(/-rw-r-----.+page\.html/)])
      const stat = ['stat', '--format=%U %G %a', `${shop.docroot}/page.html`]
      expect((await host.must(stat)).trim()).toBe(`${shop.user} ${shop.user} 640`)
      expect(await host.must(['cat', `${shop.docroot}/page.html`])).toBe('a page of a client\n')
      expect(await watch.found([password])).toEqual([])
      const { clients } = await world.shown(shop)
      expect(clients).toMatchObject([{ label: 'Print shop', login, applied: true }])
      expect(await world.access.rootLogsIn()).toBe('root')
    })

    test('no other password and no other account is accepted', async () => {
      const { shop, victim, client, host } = world
      const { login, password } = await world.create(shop, 'Photos')
      const other = await world.create(victim, 'Neighbour')
      expect(await client.logsIn(login, password)).toBe(0)

      for (const [name, text] of [
        ...[
          [login, `${password}x`],
          [login, ''],
          [login, other.password],
        ],
        ...[
          [shop.user, password],
          [victim.user, password],
          [other.login, password],
        ],
        ...[
          ['root', password],
          [`${shop.user}.ssh`, password],
          ['www-data', password],
        ],
      ] as [string, string][])
        expect([name, await client.logsIn(name, text)]).toEqual([name, 255])
      await host.must(['bash', '-c', 'echo root:a-password-of-root | chpasswd'])
      expect(await client.logsIn('root', 'a-password-of-root')).toBe(255)
      expect(await world.access.logsIn('admin', login)).toBe(255)
      expect((await host.exec(['sshd', '-t'])).code).toBe(0)
      await world.end(victim, other.token)
    })

    test('there is no way out of the site', async () => {
      const { shop, victim, client, host } = world
      const { login, password } = await world.create(shop, 'Attacker')
      const outside = [
        ...['/etc/passwd', '../../../etc/shadow', '/proc/self/environ'],
        ...[`/srv/www/${victim.user}/public/wp-config.php`, `../../${victim.user}/public`],
      ]
      for (const path of outside) {
        const { code, text } = await client.sftp(login, password, [`get ${path} /root/stolen`])
        expect([path, code, text]).toEqual([path, 1, expect.stringMatching(/not found/)])
      }
      const above = [`ln -s ../../../../srv/www/${victim.user} v`, 'ls v/']
      expect((await client.sftp(login, password, above)).code).toBe(1)
      for (const line of ['mkdir /new', 'rename /logs /gone', 'put /root/page.html /x'])
        expect([line, (await client.sftp(login, password, [line])).code]).toEqual([line, 1])
      expect((await host.exec(['test', '-e', '/root/stolen'])).code).toBe(1)
    })

    test('there is no shell, no command and no forwarding', async () => {
      const { shop, client, host } = world
      const { login, password } = await world.create(shop, 'Another attacker')
      const ssh = (command: string[], more: string[] = []) =>
        client.ssh(login, password, command, more)

      expect((await ssh(['id'])).text).not.toContain('uid=')
      expect((await ssh(['/bin/sh', '-c', 'id'], ['-tt'])).text).not.toContain('uid=')
      expect((await ssh([], ['-tt'])).text).not.toContain('$')
      expect((await ssh([], ['-W', '127.0.0.1:3306'])).code).not.toBe(0)
      await host.put('/root/ask.sh', 'exec 3<>/dev/tcp/127.0.0.1/4406 && timeout 2 cat <&3\n')
      const local = await client.stay(login, password, ['-L', '4406:127.0.0.1:3306'])
      expect(await lab.poll(() => world.hasSession(shop))).toBe(true)
      expect((await host.exec(['bash', '/root/ask.sh'])).stdout).toBe('')
      await local.stop()
      const remote = ['-o', 'ExitOnForwardFailure=yes', '-R', '4407:127.0.0.1:22', '-N']
      expect((await ssh([], remote)).code).not.toBe(0)
      expect((await ssh([], ['-o', 'ExitOnForwardFailure=yes', '-w', '0:0', '-N'])).code).not.toBe(
        0,
      )
    })

    clientEnds(() => world)
    clientIsolation(() => world)
  })
}
