import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/commands/backup.create.ts'
import { RESTORES } from '#agent/os/site/paths.ts'
import { restorable } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { during, keeps, REPLACED } from '#tests/support/agent/replaced.ts'

const jobs = (ran: readonly string[]) =>
  ran.filter((line) => /^systemctl (stop|start) hosting-cron@shop.timer$/.test(line))
const STOP = 'systemctl stop hosting-cron@shop.timer'

test('fails when a restore of the site begins meanwhile, and does not start its jobs', async () => {
  const { host, saving } = await restorable()
  await host.disk.remove(RESTORES)
  during(host, 'xargs', () => keeps(host, shop.user))

  const [lines, reason] = await outcome(backupCreate.run(saving, contextOf(host)))

  expect(reason).toBe(REPLACED(shop.domain, 'backup'))
  expect(lines).toContain('Undoing: Pausing the jobs of WordPress')
  expect(jobs(host.ran)).toEqual([STOP])
})

test('does not start the jobs of a site that a move freezes meanwhile', async () => {
  const { host, saving } = await restorable()
  const thaw = '/etc/systemd/system/hosting-thaw@shop.timer'
  during(host, 'xargs', () => host.disk.putText(thaw, ''))

  const [, result] = await outcome(backupCreate.run(saving, contextOf(host)))

  expect(result).toMatchObject({ domain: shop.domain })
  expect(jobs(host.ran)).toEqual([STOP])
})
