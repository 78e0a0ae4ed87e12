import { expect, test } from 'bun:test'
import { commands } from '#agent/commands/index.ts'
import { Runner } from '#agent/operations/runner.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { killedAt } from '#tests/support/agent/killed.ts'
import {
  NEW,
  OLD,
  renamable,
  rename,
  renameParams,
  standing,
  wholly,
} from '#tests/support/agent/renaming.ts'
import { recover } from '#tests/support/recover.ts'
import { every, times } from '#tests/support/runs.ts'

test('is complete under one name, whichever effect fails', async () => {
  let failed = 0
  const count = await eachFault(
    renamable,
    (host) => rename(host),
    async (host, _, [, result], fault) => {
      const isFailed = typeof result === 'string'
      if (isFailed) failed += 1
      const found = await standing(host)
      // What a step after the decision leaves is reported as pending cleanup.
      const { kept, files } = isFailed ? wholly(OLD) : found
      expect([fault, found]).toEqual([fault, { ...wholly(isFailed ? OLD : NEW), kept, files }])
    },
  )
  expect(failed).toBeGreaterThan(times(20))
  expect(failed).toBeLessThan(count)
}, 240_000)

const EVERY = every(2)

test('is complete under one name, at whichever effect the agent is killed', async () => {
  const ends = new Set<string>()
  for (let at = 1, isKilled = true; isKilled; at += EVERY) {
    const host = await renamable()
    const { process, killed } = killedAt(host, at)
    const runner = new Runner({ host: process, commands, report: () => undefined })
    isKilled = await Promise.race([killed, ended(runner)])
    if (!isKilled) break
    await recover(host, commands)
    const found = await standing(host)
    const end = found.records[0] ?? 'no record'
    ends.add(end)
    expect([at, found]).toEqual([at, wholly(end)])
  }
  expect([...ends].sort()).toEqual([NEW, OLD])
}, 240_000)

async function ended(runner: Runner): Promise<false> {
  const operation = await runner.start('site.rename', renameParams(), 'op1')
  for await (const _ of operation.follow(0, new AbortController().signal));
  return false
}
