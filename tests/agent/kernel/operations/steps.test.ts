import { expect, test } from 'bun:test'
import type { JournalEntry } from '#agent/kernel/operations/records.ts'
import { isDecided, performSteps, startedSteps } from '#agent/kernel/operations/steps.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

/** Runs the steps and returns everything that happened, in order. */
async function transcript(steps: (did: string[]) => Step[]) {
  const did: string[] = []
  const write = async ({ step, state }: JournalEntry) => void did.push(`journal ${step} ${state}`)
  try {
    for await (const news of performSteps(steps(did), write))
      if (typeof news === 'string') did.push(news)
  } catch (error) {
    did.push(`threw ${error instanceof Error ? error.message : error}`)
  }
  return did
}

function step(did: string[], name: string, extra: Partial<Step> = {}): Step {
  return {
    name,
    title: `Making ${name}`,
    effects: [],
    apply: async () => void did.push(`apply ${name}`),
    undo: async () => void did.push(`undo ${name}`),
    ...extra,
  }
}

const broken = async () => {
  throw new Error('no space')
}

test('journals the intent before each step and its end after it', async () => {
  const did = await transcript((list) => [step(list, 'a'), step(list, 'b')])

  expect(did).toEqual([
    'Making a',
    'journal a intent',
    'apply a',
    'journal a done',
    'Making b',
    'journal b intent',
    'apply b',
    'journal b done',
  ])
})

test('undoes the started steps, newest first and including the failed one, and keeps the reason', async () => {
  const did = await transcript((list) => [
    step(list, 'a'),
    step(list, 'b', { apply: broken }),
    step(list, 'c'),
  ])

  expect(did).toEqual([
    'Making a',
    'journal a intent',
    'apply a',
    'journal a done',
    'Making b',
    'journal b intent',
    'Failed: no space',
    'Undoing: Making b',
    'undo b',
    'journal b undone',
    'Undoing: Making a',
    'undo a',
    'journal a undone',
    'threw no space',
  ])
})

test('neither applies nor undoes existing state', async () => {
  const did = await transcript((list) => [
    step(list, 'a', { check: async () => true }),
    step(list, 'b', { apply: broken }),
  ])

  expect(did).not.toContain('apply a')
  expect(did).not.toContain('undo a')
})

test.each<[string, Partial<Step>[], string[]]>([
  [
    'continues undoing when one undo fails, and lists what is left',
    [{}, { undo: broken }, { apply: broken }],
    ['undo a', 'journal a undone', 'threw no space; could not undo: Making b (no space)'],
  ],
  [
    'does not undo a step that holds what later ones need before them',
    [{}, { holds: true }, { undo: broken }, { apply: broken }],
    [
      'Undoing: Making c',
      'Undoing: Making a',
      'undo a',
      'journal a undone',
      'threw no space; could not undo: Making c (no space)',
    ],
  ],
  [
    'undoes a failure before the decision, whoever decides',
    [{ apply: broken }, { decided: async () => true }],
    ['undo a', 'journal a undone', 'threw no space'],
  ],
])('%s', async (_, steps, end) => {
  const did = await transcript((list) =>
    steps.map((extra, at) => step(list, 'abcd'.charAt(at), extra)),
  )

  expect(did.slice(-end.length)).toEqual(end)
})

test('forwards the lines of a step', async () => {
  const did = await transcript((list) => [
    step(list, 'a', {
      async *apply() {
        yield 'half'
        list.push('apply a')
      },
    }),
  ])

  expect(did.slice(2, 4)).toEqual(['half', 'apply a'])
})

test('a restart undoes started steps that are not undone yet', () => {
  const steps = ['a', 'b', 'c', 'd'].map((name) => step([], name))
  const journal: JournalEntry[] = [
    { step: 'a', state: 'intent' },
    { step: 'a', state: 'done' },
    { step: 'b', state: 'intent' },
    { step: 'c', state: 'intent' },
    { step: 'c', state: 'undone' },
  ]

  expect(startedSteps(steps, journal).map(({ name }) => name)).toEqual(['a', 'b'])
})

test('a lost end of a step in the journal undoes nothing: the start counts', async () => {
  const did: string[] = []
  const write = async ({ step, state }: JournalEntry) => {
    if (state === 'done') throw new Error('no space')
    did.push(`journal ${step} ${state}`)
  }

  for await (const news of performSteps([step(did, 'a')], write))
    if (typeof news === 'string') did.push(news)

  expect(did).toEqual(['Making a', 'journal a intent', 'apply a'])
})

test.each([false, true])(
  'stops at a failure after the decision (%p), and undoes nothing',
  async (taken) => {
    const did = await transcript((list) => [
      step(list, 'a'),
      step(list, 'turn', { apply: broken, decided: async () => taken }),
      step(list, 'c'),
    ])

    const lines = ['Making a', 'journal a intent', 'apply a', 'journal a done']
    const failed = ['Making turn', 'journal turn intent', 'Failed: no space']
    expect(did.slice(0, 7)).toEqual([...lines, ...failed])
    expect(did.slice(7)).toEqual(
      taken
        ? []
        : [
            'journal turn undoing',
            'Undoing: Making turn',
            'undo turn',
            'journal turn undone',
            'Undoing: Making a',
            'undo a',
            'journal a undone',
            'threw no space',
          ],
    )
  },
)

test.each<[string, JournalEntry[], boolean]>([
  ['an operation is decided by what its step finds', [{ step: 'turn', state: 'intent' }], true],
  [
    'an undo that began continues, whatever the step finds by now',
    [
      { step: 'turn', state: 'intent' },
      { step: 'turn', state: 'undoing' },
    ],
    false,
  ],
  [
    'an operation that was begun again is decided by what its step finds',
    [
      { step: 'turn', state: 'undoing' },
      { step: 'turn', state: 'undone' },
      { step: 'turn', state: 'intent' },
    ],
    true,
  ],
])('%s', async (_, journal, expected) => {
  const steps = [step([], 'a'), step([], 'turn', { decided: async () => true })]

  expect(await isDecided(steps, journal)).toBe(expected)
})
