import { expect, test } from 'bun:test'
import type { Host } from '#agent/host/ports.ts'
import {
  CANCELLED,
  other,
  purging,
  runnerOf,
  runs,
  type Steps,
  shop,
  step,
  transcript,
  two,
} from '#tests/support/agent/cancelling.ts'
import { freeHost } from '#tests/support/fake-host.ts'

test.each([
  { force: false, signals: ['SIGTERM op1'] },
  { force: true, signals: ['SIGKILL op1'] },
])(
  'ends the running step ($force), undoes the started ones, and reports it',
  async ({ force, signals }) => {
    const host = freeHost()
    host.hang('second')
    const { runner } = runnerOf(host, purging(two))
    const operation = await runner.start('cache.purge', shop, 'op1')
    await runs(host, 'second')

    expect(await runner.cancel('op1', force)).toBe(false)

    expect(await transcript(operation)).toEqual([
      'Making a',
      'Making b',
      'The operation was cancelled',
      'Undoing: Making b',
      'Undoing: Making a',
      CANCELLED,
    ])
    expect(host.ran).toEqual(['first', 'second', 'unsecond', 'unfirst'])
    expect(host.signals).toEqual([...signals])
    expect(await runner.cancel('op1', force)).toBe(true)
  },
)

test('gives a program 10 seconds to end, and undoes nothing while it runs', async () => {
  const host = freeHost()
  host.hang('second', true)
  const { runner } = runnerOf(host, purging(two))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'second')
  const began = host.time

  await runner.cancel('op1', false)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.time - began).toBeGreaterThanOrEqual(10_000)
  expect(host.time - began).toBeLessThan(10_100)
  expect(host.signals).toEqual(['SIGTERM op1', 'SIGKILL op1'])
})

test('a forced cancel after a graceful one does not wait any longer', async () => {
  const host = freeHost()
  host.hang('second', true)
  const elapsing = Promise.withResolvers<void>()
  const { sleep } = host.clock
  host.clock.sleep = (ms) => (ms > 10 ? elapsing.promise : sleep(ms))
  const { runner } = runnerOf(host, purging(two))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'second')
  await runner.cancel('op1', false)

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.signals).toEqual(['SIGTERM op1', 'SIGKILL op1'])
})

test('an operation with queued steps is undone completely after a cancel', async () => {
  const host = freeHost()
  host.hang('second')
  const undo = async (session: Host) =>
    session.exclusive('nginx', async () => {
      await session.shell.run(['unfirst'])
    })
  const { runner } = runnerOf(
    host,
    purging((session) =>
      two(session).map((one) => (one.undo ? { ...one, undo: () => undo(session) } : one)),
    ),
  )
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'second')

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual(CANCELLED)
  expect(host.ran).toEqual(['first', 'second', 'unfirst', 'unfirst'])
})

test('an operation that is being undone cannot be cancelled', async () => {
  const host = freeHost()
  host.fail('second', 'no space')
  host.hang('unsecond')
  const { runner } = runnerOf(host, purging(two))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'unsecond')

  expect(await runner.cancel('op1', true)).toBe(false)
  expect(host.hanging).toHaveLength(1)
  for (const { end } of host.hanging.splice(0)) end(1)

  expect((await transcript(operation)).at(-1)).toEqual({
    error: 'Internal error',
    message: expect.stringContaining('second failed (exit status 1): no space; could not undo'),
    code: 'not_undone',
  })
  expect(host.ran.at(-1)).toBe('unfirst')
})

test('an operation past the point of no return completes', async () => {
  const host = freeHost()
  host.hang('second')
  const steps: Steps = (on) => [
    step('a', 'first', on, { decided: async () => true }),
    step('b', 'second', on),
  ]
  const { runner } = runnerOf(host, purging(steps))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'second')

  expect(await runner.cancel('op1', true)).toBe(false)
  expect(host.signals).toEqual([])
  for (const { end } of host.hanging.splice(0)) end(0)

  expect((await transcript(operation)).at(-1)).toEqual({ status: 'ok', ...shop })
})

test('an operation that is cancelled while it passes the point of no return continues', async () => {
  const host = freeHost()
  host.hang('first')
  const steps: Steps = (on) => [
    step('a', 'first', on, { decided: async () => true }),
    step('b', 'second', on),
  ]
  const { runner } = runnerOf(host, purging(steps))
  const operation = await runner.start('cache.purge', shop, 'op1')
  await runs(host, 'first')

  await runner.cancel('op1', true)

  expect((await transcript(operation)).at(-1)).toEqual({ status: 'ok', ...shop })
  expect(host.ran).toEqual(['first', 'second'])
})

test.each([1, 2])('a queued operation ends immediately, with %d slots', async (places) => {
  const host = freeHost()
  host.hang('second')
  const { runner } = runnerOf(host, purging(two), places)
  const first = await runner.start('cache.purge', shop, 'op1')
  const waiting = await runner.start('cache.purge', places === 1 ? other : shop, 'op2')
  await runs(host, 'second')

  await runner.cancel('op2', false)

  expect(await transcript(waiting)).toEqual(['Waiting for another operation to end', CANCELLED])
  expect(host.ran).toEqual(['first', 'second'])
  const third = await runner.start('cache.purge', shop, 'op3')
  await runner.cancel('op1', true)
  await transcript(first)
  host.hangs.length = 0
  expect((await transcript(third)).at(-1)).toEqual({ status: 'ok', ...shop })
})
