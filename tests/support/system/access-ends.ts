import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { AccessWorld } from './access-world.ts'
import { get } from './requests.ts'

const MINUTES = 60_000

/** The ways in which access ends. */
export function accessEnds(of: () => AccessWorld): void {
  test(
    'a person who loses the access loses open sessions, and no other process ends',
    async () => {
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
    },
    2 * MINUTES,
  )

  test(
    'a login that sshd is just admitting has no session after its access ended',
    async () => {
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
    },
    2 * MINUTES,
  )

  test(
    'logins are in the activity, and a site cannot forge one',
    async () => {
      const world = of()
      const { user, id } = world.victim
      const forged = `Accepted publickey for ${user} from 203.0.113.7 port 1 ssh2: ED25519 SHA256:`
      const drop = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']
      const text = `${forged}${'a'.repeat(43)}`
      await world.host.must([...drop, 'logger', '--tag', 'sshd-session', '--', text])
      await world.host.must([...drop, 'logger', '--tag', 'sshd', '--', text])

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
      const { body } = await dashboard.call('GET', '/api/activity?type=site.sftp_login')
      expect(body.activities).toContainEqual(expect.objectContaining({ domain: world.shop.domain }))
    },
    2 * MINUTES,
  )

  test(
    'an expired grant admits nobody, and ends what was open',
    async () => {
      const world = of()
      const at = new Date(Date.now() + 10_000).toISOString()
      await world.set(world.shop, [world.grant('anna', at)])
      const session = world.client.stay('anna', world.shop.user)
      expect(await world.logsIn('anna', world.shop.user)).toBe(0)

      const isOver = async () => (await world.logsIn('anna', world.shop.user)) === 255

      expect(await lab.poll(isOver, { timeout_ms: 60_000 })).toBe(true)
      expect(await session.exited).toBe(255)
    },
    2 * MINUTES,
  )

  test(
    'the trash keeps the access closed, and a restore opens it',
    async () => {
      const world = of()
      await world.set(world.shop, [world.grant('anna')])
      expect(await world.run('DELETE', world.shop, '')).toBe('complete')
      expect(await world.logsIn('anna', world.shop.user)).toBe(255)

      expect(await world.run('POST', world.shop, '/restore')).toBe('complete')

      expect(await world.logsIn('anna', world.shop.user)).toBe(0)
    },
    4 * MINUTES,
  )

  test(
    'without grants nothing is left of the access',
    async () => {
      const world = of()
      expect(await world.set(world.shop, [])).toMatchObject({ event: 'complete', grants: [] })

      expect(await world.logsIn('anna', world.shop.user)).toBe(255)
      expect((await world.host.must(['ls', '/etc/hosting/ssh/keys'])).trim()).toBe('')
      const group = await world.host.must(['getent', 'group', 'hosting-sftp'])
      expect(group.trim()).toEndWith(':')
    },
    2 * MINUTES,
  )
}
