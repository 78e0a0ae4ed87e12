import { commands } from '#agent/commands.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

/** All commands of the agent; an error that it would only report fails the test. */
export const runnerOn = (host: FakeHost) =>
  new Runner({
    host,
    commands,
    report: (error) => {
      throw error
    },
  })

/** Carries a command out; returns the steps that its journal has. */
export async function carryOut(
  host: FakeHost,
  command: CommandName,
  params: ParamsOf<CommandName>,
): Promise<string[]> {
  const runner = runnerOn(host)
  const operation = await runner.start(command, params, 'op1')
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  if (events.at(-1)?.event !== 'complete') throw new Error(JSON.stringify(events.at(-1)))
  const journal = await runner.store.journal('op1')
  await runner.store.remove('op1')
  return journal.filter(({ state }) => state === 'intent').map(({ step }) => step)
}
