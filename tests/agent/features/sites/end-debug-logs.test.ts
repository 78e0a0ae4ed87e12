import { expect, test } from 'bun:test'
import { DebugWatch } from '#agent/features/sites/end-debug-logs.ts'
import { servingPathOf } from '#agent/features/web/vhost-files.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const MINUTE_MS = 60_000
const later = (at: number, ms: number) => ({ until: new Date(at + ms).toISOString() })

async function watched(failure?: string) {
  const host = await server(shop)
  const now = host.clock.now()
  const sites: Site[] = [
    { ...shop, debug: later(now, -1) },
    { ...shop, domain: 'busy.example', user: 'busy', debug: later(now, -1) },
    { ...shop, domain: 'on.example', user: 'on', debug: later(now, 48 * 60 * MINUTE_MS) },
    { ...shop, domain: 'plain.example', user: 'plain' },
    {
      ...{ ...shop, domain: 'moving.example', user: 'moving', debug: later(now, -1) },
      moving: { to: '10.0.0.2' },
    },
    {
      ...{ ...shop, domain: 'copy.example', user: 'copy', debug: later(now, -1) },
      moving: { from: ['10.0.0.2'], closed: true },
    },
    { ...shop, domain: 'frozen.example', user: 'frozen', debug: later(now, -1) },
  ]
  for (const site of sites) await writeSite(host, site)
  await host.disk.write(servingPathOf('frozen.example'), '')
  const started: unknown[] = []
  const outcome = { failure }
  const runner = {
    isBusy: (key: string) => key === 'busy.example',
    start: async (...call: unknown[]) => {
      started.push(call)
      const end = outcome.failure && { message: outcome.failure }
      return { untilEnd: async () => end } as unknown as Operation
    },
  }
  const reports: unknown[] = []
  const watch = new DebugWatch()
  const look = () => watch.look(host, runner, (error) => reports.push(error))
  await look()
  return { host, look, started, reports, outcome }
}

test('switches the debug logs off whose time is over; a busy or moving site follows later', async () => {
  const { started, reports } = await watched()

  expect(started).toEqual([['wp.debug', { domain: 'shop.example', until: null }]])
  expect(reports).toEqual([])
})

test('reports a debug log that could not be switched off', async () => {
  const { reports } = await watched('PHP does not answer')

  expect(reports.map(String)).toEqual([
    'Error: The debug log of shop.example could not be switched off: {"message":"PHP does not answer"}',
  ])
})

test('waits twice as long after each failure, up to an hour', async () => {
  const { host, look, started, outcome } = await watched('PHP does not answer')
  const minutes: number[] = []
  for (let minute = 1; minute <= 125; minute++) {
    const before = started.length
    host.time += MINUTE_MS
    await look()
    if (started.length > before) minutes.push(minute)
  }
  outcome.failure = undefined
  host.time += 60 * MINUTE_MS
  await look()
  await look()

  expect(minutes).toEqual([1, 3, 7, 15, 31, 63, 123])
  expect(started).toHaveLength(10)
})
