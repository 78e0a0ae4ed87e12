import { expect, test } from 'bun:test'
import { endDebugLogs } from '#agent/debug-watch.ts'
import type { Operation } from '#agent/operations/operation.ts'
import { type Site, writeSite } from '#agent/os/site/sites.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const later = (at: number, ms: number) => ({ until: new Date(at + ms).toISOString() })

async function watched(failure?: string) {
  const host = await server(shop)
  const now = host.clock.now()
  const sites: Site[] = [
    { ...shop, debug: later(now, -1) },
    { ...shop, domain: 'busy.example', user: 'busy', debug: later(now, -1) },
    { ...shop, domain: 'on.example', user: 'on', debug: later(now, 1000) },
    { ...shop, domain: 'plain.example', user: 'plain' },
  ]
  for (const site of sites) await writeSite(host, site)
  const started: unknown[] = []
  const runner = {
    isBusy: (key: string) => key === 'busy.example',
    start: async (...call: unknown[]) => {
      started.push(call)
      return { untilEnd: async () => failure && { message: failure } } as unknown as Operation
    },
  }
  const reports: unknown[] = []
  await endDebugLogs(host, runner, (error) => reports.push(error))
  return { started, reports }
}

test('switches the debug logs off whose time is over; a busy site follows later', async () => {
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
