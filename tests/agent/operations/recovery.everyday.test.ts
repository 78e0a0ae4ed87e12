import { expect, test } from 'bun:test'
import { commands } from '#agent/commands/index.ts'
import { Runner } from '#agent/operations/runner.ts'
import { forgetPhases } from '#agent/os/certificates/phases.ts'
import { withdrawAllTokens } from '#agent/os/certificates/probe-names.ts'
import { type Case, EVERYDAY, perform, stateOf } from '#tests/support/agent/everyday.ts'
import { killedAt } from '#tests/support/agent/killed.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'
import { every } from '#tests/support/runs.ts'

/** The machine whose agent was killed at its n-th effect, and started again. */
async function recoveredFrom({ command, params, make }: Case, at: number) {
  const host = await make()
  const { process, killed } = killedAt(host, at)
  const runner = new Runner({ host: process, commands, report: () => undefined })
  const ended = runner.start(command, params, 'op1').then(async (operation) => {
    for await (const _ of operation.follow(0, new AbortController().signal));
    return false
  })
  const isKilled = await Promise.race([killed, ended])
  // As at the start of the agent.
  if (isKilled) await Promise.all([withdrawAllTokens(host), forgetPhases(host)])
  if (isKilled) await recover(host, commands)
  return isKilled ? host : undefined
}

async function endOf(host: FakeHost): Promise<string | undefined> {
  const runner = new Runner({ host, commands, report: () => undefined })
  return (await runner.store.events('op1')).at(-1)?.event
}

test.each(EVERYDAY)(
  '$command ($title) is done or undone when the agent is killed at any effect',
  async (each) => {
    const { command, params, make } = each
    const before = await stateOf(await make())
    const whole = await make()
    await perform(whole, command, params)
    const after = await stateOf(whole)
    const ends = new Set<string | undefined>()

    for (let at = 1; ; at += every(2)) {
      const host = await recoveredFrom(each, at)
      if (!host) break
      const end = await endOf(host)
      ends.add(end)
      expect([at, end, await stateOf(host)]).toEqual([at, end, end === 'complete' ? after : before])
      if (end === 'complete') continue
      const [, again] = await perform(host, command, params)
      expect([at, again, await stateOf(host)]).toEqual([at, expect.any(Object), after])
    }

    expect(ends.size).toBeGreaterThan(0)
  },
)
