import { expect, test } from 'bun:test'
import { Runner } from '#agent/operations/runner.ts'
import type { Step } from '#agent/steps/command.ts'
import { performing, tableOf } from '#tests/support/commands.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const shop = { domain: 'shop.example' }
const FULL = 'ENOSPC: no space left on device'

async function endOf(runner: Runner, id: string): Promise<unknown> {
  const operation = await runner.start('cache.purge', shop, id)
  const events = await Array.fromAsync(operation.follow(0, new AbortController().signal))
  await Bun.sleep(0)
  return events.at(-1)?.data.message
}

test('steps after a point of no return complete when there is space', async () => {
  const host = fakeHost()
  const did: string[] = []
  const room = { left: false }
  const step = (name: string, extra: Partial<Step> = {}): Step => ({
    ...{ name, title: `Making ${name}`, effects: [] },
    apply: async () => void did.push(name),
    ...extra,
  })
  const steps = () => [
    step('a', { decided: async () => did.includes('a') }),
    step('b', {
      async apply() {
        if (!room.left) throw new Error(FULL)
        did.push('b')
      },
    }),
  ]
  const commands = tableOf(performing(steps))
  const runner = new Runner({ host, commands, report: () => undefined })
  await endOf(runner, 'op1')
  const meanwhile = [...did]

  room.left = true
  await runner.settle()
  await runner.settle()

  expect([meanwhile, did]).toEqual([['a'], ['a', 'b']])
})

test('steps after a point of no return that are done are not repeated', async () => {
  const did: string[] = []
  const hindered = { by: FULL }
  const step = (name: string, extra: Partial<Step> = {}): Step => ({
    ...{ name, title: `Making ${name}`, effects: [] },
    apply: async () => void did.push(name),
    ...extra,
  })
  const steps = () => [
    step('a', { decided: async () => did.includes('a') }),
    step('b'),
    step('c', {
      async apply() {
        if (hindered.by) throw new Error(hindered.by)
        did.push('c')
      },
    }),
    step('d'),
  ]
  const commands = tableOf(performing(steps))
  const runner = new Runner({ host: fakeHost(), commands, report: () => undefined })
  await endOf(runner, 'op1')

  hindered.by = ''
  await runner.settle()

  expect(did).toEqual(['a', 'b', 'c', 'd'])
})

test('a step after a point of no return that was skipped does not run later', async () => {
  const did: string[] = []
  const machine = { full: true, isReady: true }
  const step = (name: string, extra: Partial<Step> = {}): Step => ({
    ...{ name, title: `Making ${name}`, effects: [] },
    apply: async () => void did.push(name),
    ...extra,
  })
  const steps = () => [
    step('a', { decided: async () => did.includes('a') }),
    step('b', { check: async () => machine.isReady }),
    step('c', {
      async apply() {
        if (machine.full) throw new Error(FULL)
        did.push('c')
      },
    }),
  ]
  const commands = tableOf(performing(steps))
  const runner = new Runner({ host: fakeHost(), commands, report: () => undefined })
  await endOf(runner, 'op1')

  // Another operation follows, and needs what the skipped step would make.
  Object.assign(machine, { full: false, isReady: false })
  await runner.settle()
  await runner.settle()

  expect(did).toEqual(['a', 'c'])
  expect(await runner.store.journal('op1')).toContainEqual({ step: 'b', state: 'skipped' })
  expect(await runner.store.unended()).toEqual([])
})

test('a step after a point of no return that was done, and began again, is repeated', async () => {
  const did: string[] = []
  const machine = { full: true }
  const step = (name: string, extra: Partial<Step> = {}): Step => ({
    ...{ name, title: `Making ${name}`, effects: [] },
    apply: async () => void did.push(name),
    ...extra,
  })
  const steps = () => [
    step('a', { decided: async () => did.includes('a') }),
    step('b'),
    step('c', {
      async apply() {
        if (machine.full) throw new Error(FULL)
      },
    }),
  ]
  const commands = tableOf(performing(steps))
  const runner = new Runner({ host: fakeHost(), commands, report: () => undefined })
  await endOf(runner, 'op1')
  // As a resumed operation that ended there leaves it.
  await runner.store.addEntry('op1', { step: 'b', state: 'intent' })

  machine.full = false
  await runner.settle()
  await runner.settle()

  expect(did).toEqual(['a', 'b', 'b'])
})
