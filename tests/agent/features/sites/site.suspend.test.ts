import { expect, test } from 'bun:test'
import { siteSuspend } from '#agent/features/sites/site.suspend.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'

const { domain } = shop
const VHOST = '/etc/nginx/sites-available/hosting-shop.example.conf'
const TIMER = '/etc/systemd/system/hosting-cron@shop.timer'

test('closes the site to visitors and stops its jobs, without touching PHP', async () => {
  const host = await server(shop)

  const [lines, result] = await outcome(siteSuspend.run({ domain }, contextOf(host)))

  expect([lines, result]).toEqual([
    [
      'Suspending shop.example',
      'Applying the virtual host',
      'Applying the jobs',
      'Recording the site',
    ],
    { domain },
  ])
  expect(host.disk.all[VHOST]).toContain('return 503')
  expect(host.disk.all[TIMER]).toBeUndefined()
  expect(await getSite(host, domain)).toEqual({ ...shop, suspended: true })
  expect(host.ran.filter((line) => line.startsWith('systemctl'))).toEqual([
    'systemctl stop hosting-cron@shop.timer hosting-cron@shop.service',
    'systemctl reset-failed hosting-cron@shop.timer hosting-cron@shop.service',
  ])
})

test('a later change of the site leaves it suspended', async () => {
  const host = await server(shop)
  await outcome(siteSuspend.run({ domain }, contextOf(host)))

  await outcome(siteUpdate.run({ domain, tier: 'medium' }, contextOf(host)))

  expect(host.disk.all[VHOST]).toContain('return 503')
  expect(host.disk.all[TIMER]).toBeUndefined()
})
