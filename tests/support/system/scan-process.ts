import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import type { Attack, Tenants } from './tenants.ts'
import { MINUTES } from './world.ts'

/** The ids of scanning processes, and their systemd units. */
async function running({ host }: Tenants) {
  const argv = ['pgrep', '--full', '^/usr/local/bin/hosting-agent scan$']
  const { stdout } = await host.exec(argv)
  const list = ['systemctl', 'list-units', '--plain', '--no-legend', 'hosting-scan-*']
  const units = (await host.must(list)).split('\n').filter(Boolean)
  return { pids: stdout.split('\n').filter(Boolean), units: units.length }
}

export function replaced(attack: Attack): void {
  test.each(['KILL', 'STOP'])(
    'a process that got SIG%s is replaced, and every site has an answer',
    async (signal) => {
      const { tenants, evil, victim } = attack
      await tenants.sync()
      const before = await running(tenants)
      expect([before.pids.length, before.units]).toEqual([1, 1])
      await tenants.host.must(['kill', `-${signal}`, before.pids[0] ?? ''])

      const { bad, worst_ms } = await tenants.withHealth(() => tenants.sync())

      for (const site of [evil, victim])
        expect((await tenants.found(site)).framework).toBe('wordpress')
      expect(bad).toEqual([])
      if (long) expect(worst_ms).toBeLessThan(5000)
      await poll(async () => (await running(tenants)).units === 1)
      const after = await running(tenants)
      expect([after.pids.length, after.pids[0] === before.pids[0]]).toEqual([1, false])
    },
    5 * MINUTES,
  )

  test(
    'a process that hangs ends with the agent',
    async () => {
      const { tenants } = attack
      const [pid = ''] = (await running(tenants)).pids
      await tenants.host.must(['kill', '-STOP', pid])

      await tenants.host.must(['systemctl', 'restart', 'hosting-agent.service'])

      await poll(async () => !(await running(tenants)).pids.includes(pid))
      const synced = async () =>
        tenants.sync().then(
          () => true,
          () => false,
        )
      expect(await poll(synced, { every_ms: 500 })).toBe(true)
    },
    5 * MINUTES,
  )
}
