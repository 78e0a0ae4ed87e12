import { describe, expect, test } from 'bun:test'
import { OperationStore } from '#agent/operations/store.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import { performing, tableOf } from '#tests/support/commands.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { recover } from '#tests/support/recover.ts'

const request = {
  id: 'op1',
  command: 'cache.purge',
  params: { domain: 'shop.example' },
  fingerprint: 'f',
  created_at: Date.UTC(2026, 0, 1),
} as const

function machine() {
  const host = fakeHost()
  const undone: string[] = []
  const step = (name: string): Step => ({
    name,
    title: `Making ${name}`,
    effects: [],
    apply: async () => undefined,
    undo: async () => void undone.push(name),
  })
  const commands = tableOf(performing(() => [step('a'), step('b'), step('c')]))
  return { host, commands, undone, store: new OperationStore(host.files, '/var/lib/hosting-agent') }
}

test('undoes the steps of the previous process, newest first, and ends the operation', async () => {
  const { host, commands, undone, store } = machine()
  await store.create(request)
  await store.addEvent('op1', { id: 1, event: 'log', data: { message: 'Making a' } })
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEntry('op1', { step: 'a', state: 'done' })
  await store.addEntry('op1', { step: 'b', state: 'intent' })

  await recover(host, commands)

  expect(undone).toEqual(['b', 'a'])
  expect(
    (await store.events('op1')).map(({ id, event, data }) => [id, event, data.message]),
  ).toEqual([
    [1, 'log', 'Making a'],
    [2, 'log', 'The agent was restarted; undoing the started steps'],
    [3, 'log', 'Undoing: Making b'],
    [4, 'log', 'Undoing: Making a'],
    [5, 'error', 'The agent was restarted in the middle of the operation'],
  ])
})

test('skips an incomplete line', async () => {
  const { host, commands, undone, store } = machine()
  await store.create(request)
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await host.files.append(
    '/var/lib/hosting-agent/operations/op1/journal.ndjson',
    '{"step":"b","sta',
  )

  await recover(host, commands)

  expect(undone).toEqual(['a'])
})

test('an incomplete line does not corrupt the next one', async () => {
  const { host, commands, store } = machine()
  const folder = '/var/lib/hosting-agent/operations/op1'
  await store.create(request)
  await host.files.append(`${folder}/journal.ndjson`, '{"step":"a","state":"intent"}\n{"st')
  await host.files.append(`${folder}/events.ndjson`, '{"id":1,"eve')

  await recover(host, commands)

  expect((await store.events('op1')).map(({ id, event }) => [id, event])).toEqual([
    [1, 'log'],
    [2, 'log'],
    [3, 'error'],
  ])
  expect(await store.journal('op1')).toEqual([
    { step: 'a', state: 'intent' },
    { step: 'a', state: 'undone' },
  ])
})

test('does not change ended operations', async () => {
  const { host, commands, undone, store } = machine()
  await store.create(request)
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEvent('op1', { id: 1, event: 'complete', data: { status: 'ok' } })
  await store.markEnded('op1')
  const before = host.disk.all

  await recover(host, commands)

  expect([undone, host.disk.all]).toEqual([[], before])
})

test('completes an operation whose outcome exists, and undoes nothing of it', async () => {
  const { host, commands, undone, store } = machine()
  const command = {
    ...(await commands['cache.purge']()),
    finished: async () => ({ domain: 'shop.example' }),
  }
  await store.create(request)
  await store.addEntry('op1', { step: 'a', state: 'intent' })

  await recover(host, tableOf({ 'cache.purge': command }))

  expect(undone).toEqual([])
  expect((await store.events('op1')).at(-1)).toEqual({
    id: 2,
    event: 'complete',
    data: { status: 'ok', domain: 'shop.example' },
  })
})

describe('an operation with a point of no return', () => {
  /** Cut off at the given step. The step b decides it, `decided` is the state of the machine. */
  async function cut(at: string[], decided: boolean, result?: object) {
    const { host, store } = machine()
    const did: string[] = []
    const step = (name: string, extra: Partial<Step> = {}): Step => ({
      name,
      title: `Making ${name}`,
      effects: [],
      apply: async () => void did.push(name),
      undo: async () => void did.push(`undo ${name}`),
      ...extra,
    })
    const steps = () => [
      step('a'),
      step('b', { decided: async () => decided }),
      step('c'),
      step('d', result ? {} : { apply: () => Promise.reject(new Error('no space')) }),
    ]
    const command = {
      ...performing(steps)['cache.purge'],
      finished: async () => result,
    } as Command<'cache.purge'>
    await store.create(request)
    for (const name of at) await store.addEntry('op1', { step: name, state: 'intent' })
    await recover(host, tableOf({ 'cache.purge': command }))
    return { did, last: (await store.events('op1')).at(-1) }
  }
  const gone = { domain: 'shop.example' }

  test('continues after that step and completes', async () => {
    const { did, last } = await cut(['a', 'b', 'c'], true, gone)

    expect(did).toEqual(['c', 'd'])
    expect(last).toMatchObject({ event: 'complete', data: { status: 'ok', ...gone } })
  })

  test('reports why it did not complete', async () => {
    const { did, last } = await cut(['a', 'b'], true)

    expect(did).toEqual(['c'])
    const message = 'The agent was restarted in the middle of the operation; no space'
    expect(last).toMatchObject({ event: 'error', data: { error: 'Internal error', message } })
  })

  test('is undone before that step', async () => {
    const { did, last } = await cut(['a', 'b'], false)

    expect(did).toEqual(['undo b', 'undo a'])
    expect(last?.event).toBe('error')
  })

  test.each([
    { is: 'not there', result: undefined },
    { is: 'there', result: gone },
  ])('ignores the outcome of another operation: its outcome is $is', async ({ result }) => {
    const { did, last } = await cut(['a'], true, result)

    expect(did).toEqual(['undo a'])
    expect(last?.event).toBe('error')
  })
})
