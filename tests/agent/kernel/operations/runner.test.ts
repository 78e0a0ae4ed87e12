import { expect, test } from 'bun:test'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { isNumbered, type StoredEvent } from '#shared/kernel/sse.ts'
import { type GivenCommands, performing, tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'

function runnerOf(given: GivenCommands, host: FakeHost = fakeHost()) {
  return new Runner({ host, commands: tableOf(given), report: () => undefined, places: 2 })
}

async function eventsOf(operation: Operation, after = 0) {
  return Array.fromAsync(operation.follow(after, new AbortController().signal))
}

const purge = (lines: string[], gate: Promise<unknown> = Promise.resolve()) => ({
  'cache.purge': {
    lock: ({ domain }: { domain: string }) => domain,
    plan: async () => [],
    async *run({ domain }: { domain: string }) {
      for (const line of lines) {
        yield line
        await gate
      }
      return { domain }
    },
  },
})

const STATE = '/var/lib/hosting-agent'
const shop = { domain: 'shop.example' }

test('numbers the events from 1 and ends with exactly one terminal event', async () => {
  const operation = await runnerOf(purge(['one', 'two'])).start('cache.purge', shop, 'op1')

  expect(await eventsOf(operation)).toEqual([
    { id: 1, event: 'log', data: { message: 'one' } },
    { id: 2, event: 'log', data: { message: 'two' } },
    { id: 3, event: 'complete', data: { status: 'ok', domain: 'shop.example' } },
  ])
})

test('attaches to the operation of the same id and replays missed events', async () => {
  const runner = runnerOf(purge(['one', 'two']))
  const first = await runner.start('cache.purge', shop, 'op1')

  const again = await runner.start('cache.purge', shop, 'op1')

  expect(again).toBe(first)
  expect((await eventsOf(again, 2)).map(({ id }) => id)).toEqual([3])
})

test('starts once when the same id arrives twice at the same time', async () => {
  const runner = runnerOf(purge(['one']))

  const [a, b] = await Promise.all([
    runner.start('cache.purge', shop, 'op1'),
    runner.start('cache.purge', shop, 'op1'),
  ])

  expect(a).toBe(b)
})

test('refuses the same id with other parameters', async () => {
  const runner = runnerOf(purge(['one']))
  await runner.start('cache.purge', shop, 'op1')

  const second = runner.start('cache.purge', { domain: 'other.example' }, 'op1')

  await expect(second).rejects.toEqual(
    new ServiceError('conflict', { message: 'Operation op1 was started with other parameters' }),
  )
})

test('finds an ended operation on the disk after a restart', async () => {
  const host = fakeHost()
  const before = await runnerOf(purge(['one']), host).start('cache.purge', shop, 'op1')
  const events = await eventsOf(before)

  const after = await runnerOf(purge(['never']), host).start('cache.purge', shop, 'op1')

  expect(await eventsOf(after)).toEqual(events)
})

/** `answers`: what it throws before its first line, one start after the other; then it works. */
function refusing(answers: Error[]): GivenCommands {
  return {
    'cache.purge': {
      lock: () => 'x',
      plan: async () => [],
      async *run({ domain }) {
        const refusal = answers.shift()
        if (refusal) throw refusal
        yield 'one'
        return { domain }
      },
    },
  }
}

const unknownSite = new ServiceError('not_found', { message: 'Site shop.example not found' })

test('throws a failure before the first line, and leaves nothing of it on the disk', async () => {
  const host = fakeHost()
  const runner = runnerOf(refusing([unknownSite]), host)

  await expect(runner.start('cache.purge', shop)).rejects.toEqual(unknownSite)
  await Bun.sleep(1)
  expect(host.disk.all).toEqual({})
})

test('refuses a refused id always, also after a restart', async () => {
  const invalid = new ServiceError('invalid', { fields: { domain: ['must be known'] } })
  for (const refusal of [unknownSite, invalid]) {
    const host = fakeHost()
    const commands = refusing([refusal])
    const refused = runnerOf(commands, host).start('cache.purge', shop, 'op1')
    await expect(refused).rejects.toEqual(refusal)

    const late = runnerOf(commands, host).start('cache.purge', shop, 'op1')

    await expect(late).rejects.toEqual(refusal)
    const other = runnerOf(commands, host).start('cache.purge', { domain: 'other.example' }, 'op1')
    await expect(other).rejects.toThrow('Operation op1 was started with other parameters')
  }
})

test('runs an operation again under its id after a temporary failure', async () => {
  const runner = runnerOf(refusing([new Error('ENOSPC: no space left on device'), new Error('?')]))
  for (const reason of ['No space left on a disk', '?'])
    await expect(runner.start('cache.purge', shop, 'op1')).rejects.toThrow(reason)

  const events = await eventsOf(await runner.start('cache.purge', shop, 'op1'))

  expect(events.map(({ event }) => event)).toEqual(['log', 'complete'])
})

test('lets the second operation on a site wait for the first', async () => {
  const gate = Promise.withResolvers<void>()
  const runner = runnerOf(purge(['one'], gate.promise))
  const first = await runner.start('cache.purge', shop, 'op1')
  const second = await runner.start('cache.purge', shop, 'op2')

  gate.resolve()

  const [a, b] = await Promise.all([eventsOf(first), eventsOf(second)])
  expect(a.map(({ data }) => data.message ?? 'end')).toEqual(['one', 'end'])
  expect(b.map(({ data }) => data.message ?? 'end')).toEqual([
    'Waiting for another operation to end',
    'one',
    'end',
  ])
})

test('reports the message of an unforeseen error as the last event, once', async () => {
  const runner = runnerOf({
    'cache.purge': {
      lock: () => 'x',
      plan: async () => [],
      async *run() {
        yield 'one'
        throw new Error('nginx failed (exit status 1): no space')
      },
    },
  })

  expect((await eventsOf(await runner.start('cache.purge', shop))).at(-1)).toEqual({
    id: 2,
    event: 'error',
    data: { error: 'Internal error', message: 'nginx failed (exit status 1): no space' },
  })
})

/** A running operation whose disk is full; space is freed while it waits for that. */
async function onFullDisk(work: (gate: Promise<unknown>) => GivenCommands) {
  const host = fakeHost()
  const gate = Promise.withResolvers<void>()
  const operation = await runnerOf(work(gate.promise), host).start('cache.purge', shop, 'op1')
  let waited = 0
  host.disk.guard = () => {
    throw new Error('ENOSPC: no space left on device')
  }
  host.clock.sleep = async () => {
    waited += 1
    host.disk.guard = () => undefined
  }
  gate.resolve()
  const events = await eventsOf(operation)
  return { events, stored: async () => new OperationStore(host.files, STATE).events('op1'), waited }
}

test('reports a success once it is stored, without the lines that could not be stored', async () => {
  const { events, stored, waited } = await onFullDisk((gate) => purge(['one', 'two'], gate))

  expect(events).toEqual([
    { id: 1, event: 'log', data: { message: 'one' } },
    { id: 2, event: 'complete', data: { status: 'ok', domain: 'shop.example' } },
  ])
  expect([await stored(), waited]).toEqual([events, 1])
})

test('reports a full disk immediately, and what to do', async () => {
  const { events, stored } = await onFullDisk((gate) => ({
    'cache.purge': {
      lock: ({ domain }) => domain,
      plan: async () => [],
      async *run() {
        yield 'one'
        await gate
        throw new Error("ENOSPC: no space left on device, open '/srv/x'")
      },
    },
  }))

  const message =
    "No space left on a disk of this server: free some space, and retry (ENOSPC: no space left on device, open '/srv/x')"
  expect(events).toEqual([
    { id: 1, event: 'log', data: { message: 'one' } },
    { id: 2, event: 'error', data: { error: 'Internal error', message, code: 'disk_full' } },
  ])
  await Bun.sleep(0)
  expect(await stored()).toEqual(events)
})

test('reports that a full disk prevents a cancel', async () => {
  const host = fakeHost()
  host.disk.guard = () => {
    throw new Error('ENOSPC: no space left on device, mkdir')
  }

  const cancelled = runnerOf(purge(['one']), host).cancel('op1', false)

  await expect(cancelled).rejects.toThrow('No space left on a disk of this server')
})

test('changes nothing when the agent is not root', async () => {
  const host = fakeHost()
  host.privileged = false

  const started = runnerOf(purge(['one']), host).start('cache.purge', shop)

  await expect(started).rejects.toThrow('The agent must run as root to change this server')
})

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
