import { expect, test } from 'bun:test'
import { askReadings, type ReadingDeps } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { readings } from '#agent/readings.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { idle, readingDeps } from '#tests/support/agent/readings.ts'
import { tableOf } from '#tests/support/commands.ts'

const upload = 'a'.repeat(16)
const { domain } = shop
const params = { domain, upload, part_count: 1, packed: false, replace: false }
const askWith = (host: Host, runner: ReadingDeps['runner']) =>
  askReadings(readings, { ...readingDeps(host), runner }, new AbortController().signal)

test('an upload is closed while its import waits or runs', async () => {
  const host = await server(shop)
  const { promise: end, resolve: finish } = Promise.withResolvers<void>()
  const commands = tableOf({
    'database.import': {
      lock: ({ domain }) => domain,
      plan: async () => [],
      async *run() {
        yield 'Importing'
        await end
        return { domain, at: '', until: '', bytes: 3 }
      },
    },
  })
  const runner = new Runner({ host, commands, report: () => undefined })
  const send = (part: number) =>
    askWith(host, runner)('POST /sites/database-upload', { domain, upload, part, data: 'YWJj' })
  const refused = { code: 'conflict' }
  expect(await send(0)).toEqual({ part: 0 })

  const other = 'b'.repeat(16)
  const first = await runner.start('database.import', { ...params, upload: other }, 'op1')
  await runner.start('database.import', params, 'op2')
  await expect(send(0)).rejects.toMatchObject(refused)
  await expect(send(1)).rejects.toMatchObject(refused)

  finish()
  await Array.fromAsync(first.follow(0, new AbortController().signal))
  await Bun.sleep(1)
  expect(await send(1)).toEqual({ part: 1 })
})

test('a database that another operation may be replacing is not exported', async () => {
  const host = await server(shop)
  const busy = { ...idle, isBusy: (key: string) => key === domain }
  const exported = (runner: ReadingDeps['runner']) =>
    askWith(host, runner)('POST /sites/database-export', { domain: `www.${domain}` })

  await expect(exported(busy)).rejects.toThrow('Another operation is running on')
  await expect(exported(idle)).rejects.toThrow(`Site www.${domain}`)
})
