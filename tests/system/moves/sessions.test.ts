// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClientLogin } from '#shared/access/api/access.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { addSite, lastOf, type MovedSite, moved } from '#tests/support/system/moved-site.ts'
import { PasswordClient } from '#tests/support/system/password-client.ts'
import { SshClient } from '#tests/support/system/ssh-client.ts'
import { thawedBySystemd } from '#tests/support/system/sweep/cut-off.ts'
import { type Member, startTwoServers, type TwoServers } from '#tests/support/system/two-servers.ts'

const KEY = '/root/keys/anna'
const PAUSE = 'sleep 0.02'

/** A person with SFTP and a shell who writes to a site without a pause, and a client account. */
class PeopleAtWork {
  readonly #site: MovedSite
  readonly #client: ClientLogin
  #runs = 0

  private constructor(site: MovedSite, client: ClientLogin) {
    this.#site = site
    this.#client = client
  }

  static async start(world: TwoServers, site: MovedSite): Promise<PeopleAtWork> {
    const { dashboard, one, two } = world
    const key = await new SshClient(one.host).newKey('anna')
    await two.host.put(KEY, await one.host.must(['cat', KEY]), 0o600)
    for (const { host } of [one, two]) {
      await host.put('/root/empty', '')
      // Debian 13 refuses an address for a while after some refused logins.
      await host.put('/etc/ssh/sshd_config.d/10-local.conf', 'PerSourcePenalties no\n')
      await host.must(['systemctl', 'restart', 'ssh'])
    }
    await dashboard.call('PUT', '/api/settings/site_shell', { value: true })
    const { body } = await dashboard.call('POST', '/api/people', { name: 'anna' })
    const { id } = body.person as { id: number }
    await dashboard.call('POST', `/api/people/${id}/keys`, { key })
    const grants = [{ person_id: id, expires_at: null, kind: 'shell' }]
    const path = `/api/servers/${one.id}/sites/${site.id}/access`
    const last = (await dashboard.stream('PUT', path, { grants })).at(-1)
    if (last?.event !== 'complete') throw new Error(JSON.stringify(last?.data))
    await dashboard.call('PUT', '/api/settings/client_accounts', { value: true })
    const made = await dashboard.call('POST', `${path}/clients`, { label: 'Print shop' })
    if (made.status !== 200) throw new Error(JSON.stringify(made.body))
    return new PeopleAtWork(site, made.body as unknown as ClientLogin)
  }

  /** The statuses of a login by SFTP, with the shell and with a password; 255: refused. */
  async logins({ host }: Member): Promise<number[]> {
    const [client, { user }] = [new SshClient(host), this.#site]
    const { login, password } = this.#client
    const all = await Promise.all([
      client.sftp('anna', user, ['pwd']),
      client.ssh('anna', `${user}.ssh`, ['true']),
      new PasswordClient(host).sftp(login, password, ['pwd']),
    ])
    return all.map(({ code }) => code)
  }

  /** Whether all are possible by now. */
  async areAdmitted(at: Member): Promise<boolean> {
    const open = async () => (await this.logins(at)).join() === '0,0,0'
    return (await lab.polled(open, { timeout_ms: 60_000 })) ?? false
  }

  /** Writes by SFTP and with the shell until the server ends the sessions. */
  async write({ host }: Member) {
    this.#runs += 1
    const name = `written-${this.#runs}`
    const [client, { user }] = [new SshClient(host), this.#site]
    const count = `n=0; while ${PAUSE}; do n=$((n+1));`
    const puts = `${count} echo "put /root/empty ${name}-$n"; done`
    const sftp = client.feed('anna', user, puts)
    const loop = `${count} echo $n >> ${name} && echo $n; done`
    const shell = client.spawn('anna', `${user}.ssh`, [loop])
    // sftp prints a line when it begins it, and only after the one before has succeeded.
    const put = () => Math.max(0, numbersIn(sftp.output(), /sftp> put \S+ \S+-(\d+)\n/g) - 1)
    const echoed = () => numbersIn(shell.output(), /^(\d+)\n/gm)
    const works = await lab.polled(() => put() > 5 && echoed() > 5, { timeout_ms: 30_000 })
    if (!works) throw new Error(`nothing is written: ${sftp.output()} ${shell.output()}`)
    return {
      /** Whether the server has ended them by now: sftp dies of the signal if it is writing. */
      cutOff: () => Promise.all([sftp, shell].map((session) => isCutOff(session.exited))),
      /** How many writes were acknowledged, and which of them a server does not have. */
      acknowledged: () => [put(), echoed()],
      lost: async (at: Member) => {
        const folder = `/srv/www/${user}/public`
        const files = new Set((await at.host.must(['ls', folder])).split('\n'))
        const lines = new Set((await at.host.must(['cat', `${folder}/${name}`])).split('\n'))
        const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)
        return [
          ...upTo(put()).filter((n) => !files.has(`${name}-${n}`)),
          ...upTo(echoed()).filter((n) => !lines.has(`${n}`)),
        ]
      },
    }
  }
}

const isCutOff = async (exited: Promise<number>): Promise<boolean> =>
  [255, 141].includes(await Promise.race([exited, Bun.sleep(20_000).then(() => -1)]))

/** The last one. */
const numbersIn = (text: string, line: RegExp): number =>
  Number([...text.matchAll(line)].at(-1)?.[1] ?? 0)

const MINUTES = 60_000
const domain = 'shop.example.test'
const REFUSED: number[] = [255, 255, 255]
const ADMITTED: number[] = [0, 0, 0]

unless(lab.available()).describe('people who write while a site is moved or restored', () => {
  let world: TwoServers
  let shop: MovedSite
  let people: PeopleAtWork

  beforeAll(async () => {
    world = await startTwoServers()
    shop = await addSite(world, { domain, tls: 'none' })
    people = await PeopleAtWork.start(world, shop)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const kill = async ({ host }: Member) => {
    await Bun.sleep(200)
    await host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])
  }
  const at = ({ id }: Member, below: string) => `/api/servers/${id}/sites/${shop.id}${below}`
  /** How a move to the second server ends. */
  const move = async (work: Record<string, () => Promise<unknown>>) => {
    const body = { server_id: world.two.id }
    return (await lastOf(world, at(world.one, '/move'), body, work))?.event
  }

  /** Restores the only backup. The previous database is saved in the pause, and waits for `hold`. */
  const restore = async (work: () => Promise<unknown>) => {
    const { one, dashboard } = world
    const { body } = await dashboard.call('GET', at(one, '/backups'))
    const [{ id: backup_id }] = body.backups as [{ id: number }]
    const parts = { files: true, database: true }
    const hold = 'LOCK TABLES wp_options WRITE; DO SLEEP(8)'
    const last = await lastOf(
      world,
      at(one, '/backups/restore'),
      { backup_id, parts },
      {
        stop: async () => void one.host.spawn(['mariadb', shop.user, '-e', hold]),
        dump: work,
      },
    )
    return last?.event
  }

  test('a restore ends their sessions, admits nobody meanwhile, and everybody afterwards', async () => {
    const { one } = world
    expect(await people.logins(one)).toEqual(ADMITTED)
    expect((await lastOf(world, at(one, '/backups'), {}, {}))?.event).toBe('complete')
    const writing = await people.write(one)
    const seen: number[][] = []

    expect(await restore(async () => seen.push(await people.logins(one)))).toBe('complete')

    expect(await writing.cutOff()).toEqual([true, true])
    expect(seen).toEqual([REFUSED])
    expect(await people.logins(one)).toEqual(ADMITTED)
  })

  test('are admitted again when the agent is killed in a restore', async () => {
    const { one } = world

    expect(await restore(() => kill(one))).toBe('error')

    expect(await people.areAdmitted(one)).toBe(true)
  })

  test.each(['frozen', 'changes'])(
    'are admitted again when the agent is killed while %s',
    async (part) => {
      const { one } = world

      const outcome = await move({ [part]: () => kill(one) })

      expect([outcome, await shop.server()]).toEqual(['error', one.id])
      expect(await people.areAdmitted(one)).toBe(true)
    },
  )

  test('are admitted again when systemd ends a freeze without the agent', async () => {
    const { one } = world
    const { user } = shop
    const page = `http://${domain}/`
    const seen: number[][] = []

    const outcome = await move({
      changes: () =>
        thawedBySystemd(one.host, {
          ...{ user, page },
          served: async () => void seen.push(await people.logins(one)),
        }),
    })

    expect([outcome, await shop.server()]).toEqual(['error', one.id])
    expect(seen).toEqual([ADMITTED])
  })

  test('lose no acknowledged write at the switch, and continue at the other server', async () => {
    const { one, two } = world
    const writing = await people.write(one)
    const seen: number[][] = []

    const seconds = await moved(world, shop, {
      changes: async () => seen.push(await people.logins(one)),
    })

    expect(await writing.cutOff()).toEqual([true, true])
    expect(seen).toEqual([REFUSED])
    const acknowledged = writing.acknowledged()
    console.log(`acknowledged by SFTP and in the shell: ${acknowledged}; frozen for ${seconds} s`)
    for (const count of acknowledged) expect(count).toBeGreaterThan(50)
    expect(await writing.lost(two)).toEqual([])
    expect([await people.logins(one), await people.logins(two)]).toEqual([REFUSED, ADMITTED])
  })
})
