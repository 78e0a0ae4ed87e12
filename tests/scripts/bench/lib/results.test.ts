import { describe, expect, test } from 'bun:test'
import { figureOf } from '#scripts/bench/lib/benchmark.ts'
import { missedSection, outcomeOf, runBenchmark, withTable } from '#scripts/bench/lib/results.ts'

const met = figureOf('one', 1, 'ms', { at_most: 2 })
const missed = figureOf('two', 3, 'ms', { at_most: 2 })
const lineOf = (figure: object) => `figure   ${JSON.stringify(figure)}\n`

describe('a run of a benchmark', () => {
  test.each([
    ['met goals', lineOf(met), '', 0, { figures: [met] }],
    ['a missed goal', lineOf(met) + lineOf(missed), 'error: slow', 1, { figures: [met, missed] }],
    [
      'a wrong answer',
      lineOf(met),
      'error: differs',
      1,
      { figures: [met], error: 'error: differs' },
    ],
    ['a signal', '', '', 137, { figures: [], error: 'exit status 137' }],
    ['no figure', 'done\n', '', 0, { figures: [], error: 'it reports no figure' }],
  ])('with %s', (_, output, errors, status, expected) => {
    expect(outcomeOf(output, errors, status)).toEqual(expected)
  })

  test('passes on what the program prints', async () => {
    const program = `console.log('plain 1 ms'); console.log(${JSON.stringify(lineOf(met).trim())})`
    let copied = ''
    const outcome = await runBenchmark([process.execPath, '-e', program], (text) => {
      copied += text
    })
    expect({ outcome, copied }).toEqual({
      outcome: { figures: [met] },
      copied: `plain 1 ms\n${lineOf(met)}`,
    })
  })
})

const START = '<!-- benchmarks: written by `bun run bench` -->'
const END = '<!-- end of benchmarks -->'
const HEAD = '| target | measured | date and machine | command |\n|---|---|---|---|'

const BENCHMARKS = [
  { name: 'lists', target: 'lists are fast', needs: ['wrk'] },
  { name: 'site-create', target: 'sites are created | fast', needs: ['root'] },
  { name: 'new', target: 'new things are fast' },
]

const documentOf = (...rows: string[]) =>
  `# Title\n\n${START}\n\n${[HEAD, ...rows].join('\n')}\n\n${END}\n\nThe rest.\n`

const LISTS =
  '| lists are fast | 0.52 × (old) | 2026-11-20, 2 cores | `bun run bench --only lists` (wrk) |'
const CREATE =
  '| sites are created / fast | 1.10 × | 2026-11-21, 2 cores | `bun run bench --only site-create` (root) |'
const NEW = '| new things are fast | not measured yet | – | `bun run bench --only new` |'

describe('the table of the benchmarks', () => {
  test('keeps the figures, date and machine of benchmarks that did not run', () => {
    const figures = [figureOf('all', 3, 'ms', { against: 2, at_most: 2 })]
    const result = { name: 'site-create', figures, where: '2026-11-24, 4 × CPU' }
    expect(withTable(documentOf(LISTS, CREATE), BENCHMARKS, [result])).toBe(
      documentOf(
        LISTS,
        '| sites are created / fast | all: 1.5 × (3 against 2 ms) | 2026-11-24, 4 × CPU | `bun run bench --only site-create` (root) |',
        NEW,
      ),
    )
  })

  test('has the rows of the list, in its order', () => {
    const former = '| gone | 1 | 2026-11-20, 2 cores | `bun run bench --only gone` |'
    expect(withTable(documentOf(former, CREATE, LISTS), BENCHMARKS, [])).toBe(
      documentOf(LISTS, CREATE, NEW),
    )
  })

  test('is the same when it is written again', () => {
    const once = withTable(documentOf(LISTS), BENCHMARKS, [])
    expect(withTable(once, BENCHMARKS, [])).toBe(once)
  })

  test.each(['no markers', END + START, START])('is refused in a document with %p', (text) => {
    expect(() => withTable(text, BENCHMARKS, [])).toThrow('the document has no markers')
  })
})

test('the section on missed goals ends at the next one', () => {
  const text = '# Figures\n\n## Goals that are missed\n\nSlow.\n\n### Part\n\n## More\n'
  expect([missedSection(text), missedSection('# Figures\n')]).toEqual([
    'Goals that are missed\n\nSlow.\n\n### Part',
    '',
  ])
})
