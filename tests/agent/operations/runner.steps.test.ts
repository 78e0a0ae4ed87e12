import { expect, test } from 'bun:test'
import { Runner } from '#agent/operations/runner.ts'
import { OperationStore } from '#agent/operations/store.ts'
import type { Step } from '#agent/steps/command.ts'
import { isNumbered, type StoredEvent } from '#shared/sse.ts'
import { performing, tableOf } from '#tests/support/commands.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'

const shop = { domain: 'shop.example' }
const step = (name: string): Step => ({
  name,
  title: `Making ${name}`,
  effects: [],
  apply: async () => undefined,
  undo: async () => undefined,
})
const stateOf = (id: number, name: string, state: string): StoredEvent => ({
  id,
  event: 'step',
  data: { name, title: `Making ${name}`, state },
})

test('a caller that asks for steps gets them from the event that it knows', async () => {
  const commands = tableOf(performing(() => [step('a')]))
  const runner = new Runner({ host: fakeHost(), commands, report: () => undefined })
  const operation = await runner.start('cache.purge', shop, 'op1')
  const { signal } = new AbortController()
  const followed = (after: number, steps: boolean) =>
    Array.fromAsync(operation.follow(after, signal, steps))
  const log: StoredEvent = { id: 1, event: 'log', data: { message: 'Making a' } }
  const end: StoredEvent = { id: 2, event: 'complete', data: { status: 'ok', ...shop } }

  expect(await followed(0, false)).toEqual([log, end])
  expect(await followed(0, true)).toEqual([
    ...[stateOf(0, 'a', 'waiting'), stateOf(0, 'a', 'running'), log],
    ...[stateOf(1, 'a', 'done'), end],
  ])
  expect(await followed(1, true)).toEqual([stateOf(1, 'a', 'done'), end])
})

test('the next process reports the states of steps as the journal has them', async () => {
  const host = fakeHost()
  const store = new OperationStore(host.files, '/var/lib/hosting-agent')
  const created_at = Date.UTC(2026, 0, 1)
  const request = { command: 'cache.purge', params: shop, fingerprint: 'f', created_at } as const
  await store.create({ id: 'op1', ...request })
  await store.addEvent('op1', stateOf(0, 'a', 'running'))
  await store.addEvent('op1', stateOf(0, 'c', 'waiting'))
  await store.addEvent('op1', { id: 1, event: 'log', data: { message: 'Making a' } })
  await store.addEvent('op1', stateOf(1, 'b', 'running'))
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEntry('op1', { step: 'a', state: 'done' })
  await store.addEntry('op1', { step: 'b', state: 'intent' })

  await recover(host, tableOf(performing(() => ['a', 'b', 'c'].map(step))))

  const history = (await store.history('op1')).slice(4)
  expect(history.filter((event) => !isNumbered(event))).toEqual([
    // A client may have read that it runs, and a power failure may have lost that.
    stateOf(2, 'c', 'waiting'),
    stateOf(2, 'a', 'done'),
    stateOf(2, 'b', 'failed'),
    stateOf(2, 'b', 'undoing'),
    stateOf(3, 'b', 'undone'),
    stateOf(3, 'a', 'undoing'),
    stateOf(4, 'a', 'undone'),
  ])
})
