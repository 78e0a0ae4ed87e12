import { expect, test } from 'bun:test'
import { HealthMonitor } from '#agent/os/health/monitor.ts'
import { writeSite } from '#agent/os/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

test.each([
  ['a suspended site', { suspended: true as const }],
  ['the closed copy of a moving site', { moving: { peers: [], closed: true } }],
])('%s has no health', async (_, state) => {
  const host = await server(shop)
  const monitor = new HealthMonitor(host, { isBusy: () => false, report: () => undefined })
  await monitor.look()
  expect(monitor.size).toBe(1)
  await writeSite(host, { ...shop, ...state })

  await monitor.look()

  expect([monitor.size, monitor.list()]).toEqual([0, []])
})
