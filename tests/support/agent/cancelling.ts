import type { Host } from '#agent/host/ports.ts'
import type { Operation } from '#agent/operations/operation.ts'
import { Runner } from '#agent/operations/runner.ts'
import type { Step } from '#agent/steps/command.ts'
import type { StoredEvent } from '#shared/sse.ts'
import { type GivenCommands, tableOf } from '#tests/support/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { poll } from '#tests/support/lab/wait.ts'

export const shop = { domain: 'shop.example' }
export const other = { domain: 'other.example' }
export const CANCELLED = {
  error: 'Conflict',
  message: 'The operation was cancelled',
  code: 'cancelled',
}

export type Steps = (host: Host) => Step[]

/** A cache.purge with these steps. */
export function purging(steps: Steps): GivenCommands {
  return {
    'cache.purge': {
      lock: ({ domain }) => domain,
      steps: (_, host) => steps(host),
      plan: async (_, host) => steps(host),
      async *run({ domain }, { host, perform }) {
        yield* perform(steps(host))
        return { domain }
      },
    },
  }
}

export function step(name: string, program: string, host: Host, extra: Partial<Step> = {}): Step {
  return {
    name,
    title: `Making ${name}`,
    effects: [],
    apply: async () => void (await host.shell.run([program])),
    undo: async () => void (await host.shell.run([`un${program}`])),
    ...extra,
  }
}

export const two: Steps = (host) => [step('a', 'first', host), step('b', 'second', host)]

export function runnerOf(host: FakeHost, table: GivenCommands, places = 2) {
  const reported: unknown[] = []
  const report = (error: unknown) => void reported.push(error)
  return { reported, runner: new Runner({ host, commands: tableOf(table), report, places }) }
}

export const runs = (host: FakeHost, line: string) => poll(async () => host.ran.includes(line))

export async function transcript(operation: Operation): Promise<unknown[]> {
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  return events.map(({ event, data }: StoredEvent) => (event === 'log' ? data.message : data))
}
