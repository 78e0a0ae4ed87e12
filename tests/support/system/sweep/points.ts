import { long } from '#tests/support/runs.ts'
import type { Ended } from './agent.ts'
import type { CrashPoint } from './crash-point.ts'
import type { Reference } from './sweep.ts'

type Records = Pick<Reference, 'journal' | 'events'>

/** Each record of a file, one by one. */
const each = (file: CrashPoint['file'], count: number, fate: Pick<CrashPoint, 'when' | 'how'>) =>
  Array.from({ length: count }, (_, index): CrashPoint[] => [{ file, record: index + 1, ...fate }])

/** Between the effects of a step: ahead of its second one, or of several. */
export function withinSteps({ journal }: Pick<Records, 'journal'>): [string, CrashPoint[][]] {
  const kill = { when: 'after', how: 'SIGKILL' } as const
  const points = journal.flatMap((text, at) =>
    (text.endsWith(' intent') ? (long ? [1, 2, 3, 5, 8] : [2]) : []).map((calls): CrashPoint[] => [
      { file: 'journal', record: at + 1, ...kill, calls },
    ]),
  )
  return ['kill -9 within a step', points]
}

/**
 * Every test run cuts off ahead of each step and at the end; the long mode at every record, and in
 * the other ways as well.
 */
export function kindsOf({ journal, events }: Records): [string, CrashPoint[][]][] {
  const kill = { how: 'SIGKILL' } as const
  const count = journal.length
  const power = each('journal', count, { when: 'after', how: 'SIGSTOP' })
  const after = each('journal', count, { when: 'after', ...kill })
  const again = each('journal', 5, { when: 'after', ...kill }).map((second): CrashPoint[] => [
    { file: 'journal', record: Math.max(1, count - 4), when: 'after', ...kill },
    ...second,
  ])
  if (!long) {
    const ahead = after.filter((_, at) => journal[at]?.endsWith(' intent') || at === count - 1)
    const middle = Math.ceil(count / 2) + 1
    return [
      ['kill -9 ahead of a step', ahead],
      ['power failure', power.slice(middle, middle + 1)],
    ]
  }
  return [
    ['kill -9 before a record', each('journal', count, { when: 'before', ...kill })],
    ['kill -9 within a record', each('journal', count, { when: 'torn', ...kill })],
    ['kill -9 after a record', after],
    ['kill -9 after an event', each('events', events, { when: 'after', ...kill })],
    ['kill -9 within an event', each('events', events, { when: 'torn', ...kill })],
    ['kill -9 while undoing', again],
    ['power failure', power],
  ]
}

/** Ahead of steps, at the end, and within steps; outside the long mode one of `every`. */
export function killed({ journal, records }: Ended, every: number): CrashPoint[][] {
  const reference = { journal, events: records }
  return [...kindsOf(reference), withinSteps(reference)]
    .flatMap(([, points]) => points)
    .filter((point, at) => point[0]?.how === 'SIGKILL' && (long || at % every === 0))
}
