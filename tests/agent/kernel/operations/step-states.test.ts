import { expect, test } from 'bun:test'
import { StepStates } from '#agent/kernel/operations/step-states.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

const step = (name: string, extra: Partial<Step> = {}): Step => ({
  name,
  title: `Making ${name}`,
  effects: [],
  apply: async () => undefined,
  ...extra,
})

const broken = async () => {
  throw new Error('no space')
}

/** Lines as they are, changes as `name: state`. */
async function transcript(steps: Step[], states = new StepStates()): Promise<string[]> {
  const news: string[] = []
  try {
    for await (const one of performSteps(steps, async () => undefined, undefined, states))
      news.push(typeof one === 'string' ? one : `${one.name}: ${one.state}`)
  } catch {}
  return news
}

test('begins with the steps to come, those of later calls included', async () => {
  const states = new StepStates()
  states.announce([step('a'), step('b')])

  expect(await transcript([step('a')], states)).toEqual([
    ...['a: waiting', 'b: waiting', 'a: running', 'Making a', 'a: done'],
  ])
  expect(await transcript([step('b')], states)).toEqual(['b: running', 'Making b', 'b: done'])
})

test('reports a step that is already done as skipped', async () => {
  const there = step('a', { check: async () => true })

  expect(await transcript([there, step('b')])).toEqual([
    ...['a: waiting', 'b: waiting', 'a: skipped', 'b: running', 'Making b', 'b: done'],
  ])
})

test('reports a skipped step at once, also when it is the last one', async () => {
  const there = step('b', { check: async () => true })

  expect((await transcript([step('a'), there])).slice(2)).toEqual([
    ...['a: running', 'Making a', 'a: done', 'b: skipped'],
  ])
})

test('reports the state of each step when one fails', async () => {
  const news = await transcript([
    step('a', { undo: async () => undefined }),
    step('b', { undo: broken }),
    step('c', { apply: broken }),
    step('d'),
  ])

  expect(news.slice(4)).toEqual([
    ...['a: running', 'Making a', 'a: done', 'b: running', 'Making b', 'b: done'],
    ...['c: running', 'Making c', 'c: failed', 'Failed: no space'],
    ...['b: undoing', 'Undoing: Making b', 'b: not_undone'],
    ...['a: undoing', 'Undoing: Making a', 'a: undone'],
  ])
})

test.each([
  ['complete', ['a: done', 'c: skipped']],
  ['error', ['b: not_undone', 'a: failed']],
] as const)('leaves no step running at the end of an operation: %s', (end, changes) => {
  const states = new StepStates()
  states.set(step('a'), 'running')
  if (end === 'error') states.set(step('b'), 'undoing')
  states.set(step('c'), 'waiting')
  for (const _ of states.news());

  states.settle(end)

  expect(Array.from(states.news(), ({ name, state }) => `${name}: ${state}`)).toEqual([...changes])
})
