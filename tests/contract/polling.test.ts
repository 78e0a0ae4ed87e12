// tier: core
import { expect, test } from 'bun:test'
import { poll, polled, settles } from '#tests/support/lab/wait.ts'

const SOON = { every_ms: 1, timeout_ms: 20 }

test('a state that does not come within its time fails the test, and is named', async () => {
  const online = new Set<string>()
  const isOnline = () => online.has('one.example.test')

  const failure = await poll(isOnline, SOON).catch((error: Error) => error)

  expect(failure).toBeInstanceOf(Error)
  expect((failure as Error).message).toBe('not within 0.02 s: () => online.has("one.example.test")')
  expect((failure as Error).stack).toContain('polling.test.ts')
  const named = poll(isOnline, { ...SOON, awaited: 'the server is online' })
  expect(named).rejects.toThrow('not within 0.02 s: the server is online')
})

test('whoever expects "not yet" gets undefined', async () => {
  expect(await polled(() => false, SOON)).toBeUndefined()
  expect(await polled(() => undefined, SOON)).toBeUndefined()
})

test('the first answer that is neither undefined nor false ends the wait', async () => {
  const answers = [undefined, false, 0, 1]
  const ask = () => answers.shift()

  expect(await poll(ask, SOON)).toBe(0)
  expect(answers).toEqual([1])
})

test('a state is settled once it has lasted, not when it is there for the first time', async () => {
  const answers = [true, false]
  const start = performance.now()

  expect(await settles(async () => answers.shift() ?? true)).toBe(true)

  expect(answers).toEqual([])
  expect(performance.now() - start).toBeGreaterThan(300)
})
