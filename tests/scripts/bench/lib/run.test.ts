import { describe, expect, test } from 'bun:test'
import { figureOf } from '#scripts/bench/lib/figure.ts'
import { outcomeOf, runBenchmark } from '#scripts/bench/lib/run.ts'

const met = figureOf({ name: 'one', unit: 'ms', ours: 1, at_most: 2 })
const missed = figureOf({ name: 'two', unit: 'ms', ours: 3, at_most: 2 })
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
