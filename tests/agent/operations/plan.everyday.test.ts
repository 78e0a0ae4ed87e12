import { expect, test } from 'bun:test'
import { commands } from '#agent/commands/index.ts'
import { Runner } from '#agent/operations/runner.ts'
import { Plan } from '#shared/plan.ts'
import { type Case, EVERYDAY, MORE } from '#tests/support/agent/everyday.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { deviations } from '#tests/support/plan/deviations.ts'
import { emptying, thingsOf } from '#tests/support/plan/fake-things.ts'

const runnerOn = (host: FakeHost) =>
  new Runner({
    host,
    commands,
    report: (error) => {
      throw error
    },
  })

/** Carries a command out; returns the steps that its journal has. */
async function done(host: FakeHost, { command, params }: Case): Promise<string[]> {
  const runner = runnerOn(host)
  const operation = await runner.start(command, params, 'op1')
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  if (events.at(-1)?.event !== 'complete') throw new Error(JSON.stringify(events.at(-1)))
  const journal = await runner.store.journal('op1')
  await runner.store.remove('op1')
  return journal.filter(({ state }) => state === 'intent').map(({ step }) => step)
}

test.each([...EVERYDAY, ...MORE])(
  '$command ($title) does exactly what its plan says',
  async (each) => {
    const host = emptying(await each.make())
    host.time += 1000
    const before = await thingsOf(host)

    const plan = await runnerOn(host).plan(each.command, each.params)

    expect(Plan.parse(plan)).toEqual(plan)
    expect(await thingsOf(host)).toEqual(before)
    expect(await done(host, each)).toEqual(plan.steps.map(({ name }) => name))
    expect(deviations(plan, before, await thingsOf(host))).toEqual([])
  },
)
