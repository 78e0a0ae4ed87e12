import { expect, test } from 'bun:test'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { limitsOf, type OperationLimits } from '#agent/kernel/operations/time-limits.ts'
import { COMMANDS, type CommandName } from '#shared/commands.ts'
import { tableOf } from '#tests/support/commands.ts'
import { freeHost } from '#tests/support/fake-host.ts'

const HOUR = 3_600_000
const plenty: OperationLimits = {
  wall_ms: HOUR,
  stall_ms: HOUR,
  output_bytes: 1 << 20,
  events: 1000,
}

/**
 * The messages of an operation that prints these lines and then runs a program that hangs, or ends.
 */
async function said(
  limits: Partial<OperationLimits>,
  lines: string[],
  hang = false,
): Promise<unknown[]> {
  const host = freeHost()
  if (hang) host.hang('wait')
  const commands = tableOf({
    'cache.purge': {
      lock: () => 'x',
      plan: async () => [],
      async *run(_, own) {
        yield* lines
        await own.host.shell.run(['wait'])
        return { domain: 'shop.example' }
      },
    },
  })
  const all = { ...plenty, ...limits }
  const runner = new Runner({ host, commands, report: () => undefined, limits: () => all })
  const operation = await runner.start('cache.purge', { domain: 'shop.example' })
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
  return events.map(({ event, data }) => (event === 'complete' ? 'complete' : data.message))
}

const LEFT_OUT = 'The rest of the output is omitted: it is over the limit of the operation'

test('ends a step that exceeds its time limit, and names the limit', async () => {
  expect(await said({ wall_ms: 5 }, ['one'], true)).toEqual([
    'one',
    'The operation was ended after 0 minutes, its time limit',
  ])
})

test('reports a silence once', async () => {
  const lines = await said({ stall_ms: 5, wall_ms: 100 }, ['one'], true)

  expect(lines.slice(0, -1)).toEqual([
    'one',
    'Warning: no output for 0 minutes; it is ended after 0 minutes, its time limit',
  ])
})

const LONG = 'x'.repeat(100_000)
const NINE = Array.from({ length: 9 }, (_, index) => `line ${index}`)

test.each<[string, Partial<OperationLimits>, string[], string[]]>([
  ['lines beyond the limit', { events: 4 }, NINE, NINE.slice(0, 3)],
  [
    'text beyond the limit, and cuts a line that is too long',
    { output_bytes: 20_000 },
    [LONG, LONG, 'end'],
    [`${'x'.repeat(16 << 10)}…`],
  ],
])('drops %s', async (_, limits, lines, kept) => {
  expect(await said(limits, lines)).toEqual([...kept, LEFT_OUT, 'complete'])
})

test.each(Object.keys(COMMANDS) as CommandName[])('%s has consistent limits', (name) => {
  const { wall_ms, stall_ms, output_bytes, events } = limitsOf(COMMANDS[name])

  expect(stall_ms).toBeLessThan(wall_ms)
  // A site may have hundreds of gigabytes, and a job of its owner may take a day.
  expect(wall_ms).toBeLessThanOrEqual(
    /^(backup\.|database\.(import|maintain)$|site\.(catch-up|clone|compare|gather|job-run|push|receive|refresh|rename|rename-preview)$)/.test(
      name,
    )
      ? 24 * HOUR
      : HOUR,
  )
  expect([output_bytes, events].every((most) => most > 0)).toBe(true)
})
