import { expect, test } from 'bun:test'
import { StepBudget } from '#dashboard/kernel/engine/event-recorder.ts'

const changes = ['running', 'done'].map((state) => ({ name: 'a', title: 'Making a', state }))
const [running, done] = changes
const undone = { ...running, state: 'undone' }

test('leaves out what an agent repeats after a new connection, and nothing else', () => {
  const budget = new StepBudget({ count: 2, sinceEvent: changes })

  expect([running, done, undone].map((change) => budget.take(change))).toEqual([
    ...[undefined, undefined, undone as never],
  ])
  budget.reconnected()
  expect([running, done, undone, running].map((change) => budget.take(change))).toEqual([
    ...[undefined, undefined, undefined, running as never],
  ])
})

test('stores what an agent reports that has lost its own last reports', () => {
  const budget = new StepBudget({ count: 2, sinceEvent: changes })

  expect([running, undone, done].map((change) => budget.take(change))).toEqual([
    ...[undefined, undone as never, done as never],
  ])
})

test('compares with nothing that stands before the last event', () => {
  const budget = new StepBudget({ count: 2, sinceEvent: changes })

  budget.eventStored()

  expect(budget.take(running)).toEqual(running as never)
})
