import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { AccessWorld } from './access-world.ts'

const MINUTES = 60_000

/** How sessions of a shell end. */
export function shellEnds(of: () => AccessWorld): void {
  const gate = () => `${of().shop.user}.ssh`
  const runs = async (name: string) =>
    (await of().host.exec(['pgrep', '-u', of().shop.user, '-f', name])).code === 0
  const gone = (name: string) =>
    lab.poll(async () => !(await runs(name)), { timeout_ms: 60_000, every_ms: 250 })

  test(
    'nothing of a session remains after it, nor after a lost connection',
    async () => {
      const { client } = of()
      await client.ssh('anna', gate(), [
        'setsid -f sleep 7771; (trap "" TERM HUP; sleep 7772) & exit',
      ])
      expect(await gone('sleep 777[12]')).toBe(true)

      const session = client.spawn('anna', gate(), ['sleep 7773'])
      expect(await lab.poll(() => runs('sleep 7773'))).toBe(true)
      await session.stop('SIGKILL')
      expect(await gone('sleep 7773')).toBe(true)
    },
    2 * MINUTES,
  )

  test(
    'a session whose owner stops its supervisor ends',
    async () => {
      const session = of().client.spawn('anna', gate(), [
        'pkill -STOP -f shell-server.pl; exec sleep 7774',
      ])
      expect(await lab.poll(() => runs('sleep 7774'))).toBe(true)
      expect(await gone('sleep 7774')).toBe(true)
      expect(await session.exited).toBe(255)
    },
    2 * MINUTES,
  )

  test(
    'a person who loses the shell loses open sessions, and an expired one is closed',
    async () => {
      const world = of()
      const session = world.client.spawn('anna', gate(), ['sleep 7775'])
      expect(await lab.poll(() => runs('sleep 7775'))).toBe(true)

      await world.set(world.shop, [world.grant('anna')])

      expect(await session.exited).toBe(255)
      expect(await runs('sleep 7775')).toBe(false)
      expect((await world.client.ssh('anna', gate(), ['id'])).code).toBe(255)
      expect(await world.logsIn('anna', world.shop.user)).toBe(0)
      expect((await world.host.exec(['getent', 'passwd', gate()])).code).toBe(2)
      const units = await world.host.must(['ls', '/etc/systemd/system', '/run/hosting-shell'])
      expect(units).not.toContain('hosting-shell-')

      const at = new Date(Date.now() + 25_000).toISOString()
      await world.set(world.shop, [{ ...world.shell('anna'), expires_at: at }])
      const late = world.client.spawn('anna', gate(), ['sleep 7776'])
      expect(await lab.poll(() => runs('sleep 7776'))).toBe(true)
      expect(await late.exited).toBe(255)
      expect(await gone('sleep 7776')).toBe(true)
      expect((await world.client.ssh('anna', gate(), ['id'])).code).toBe(255)
    },
    3 * MINUTES,
  )

  test(
    'logins are in the activity, the trash closes the shell, and a restore opens it',
    async () => {
      const world = of()
      await world.set(world.shop, [world.shell('anna')])
      await world.tenants.sync()
      const { dashboard } = world.tenants.world
      const { body } = await dashboard.call('GET', '/api/activity?type=site.shell_login')
      expect(body.activities).toContainEqual(expect.objectContaining({ domain: world.shop.domain }))
      expect(await world.run('DELETE', world.shop, '')).toBe('complete')
      expect((await world.client.ssh('anna', gate(), ['id'])).code).toBe(255)

      expect(await world.run('POST', world.shop, '/restore')).toBe('complete')

      expect((await world.client.ssh('anna', gate(), ['id -un'])).text.trim()).toBe(world.shop.user)
    },
    4 * MINUTES,
  )
}
