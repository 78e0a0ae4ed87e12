import { expect, test } from 'bun:test'
import { HealthMonitor } from '#agent/os/health/monitor.ts'
import { writeSite } from '#agent/os/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

test('a suspended site has no health', async () => {
  const host = await server(shop)
  const monitor = new HealthMonitor(host, { isBusy: () => false, report: () => undefined })
  await monitor.look()
  expect(monitor.size).toBe(1)
  await writeSite(host, { ...shop, suspended: true })

  await monitor.look()

  expect([monitor.size, monitor.list()]).toEqual([0, []])
})
