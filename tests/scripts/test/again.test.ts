import { expect, test } from 'bun:test'
import { judged, plannedAgain } from '#scripts/test/again.ts'
import type { Outcome } from '#scripts/test/job.ts'
import type { Case } from '#scripts/test/junit.ts'
import { count, describeSum } from '#scripts/test/report.ts'

const a = 'tests/system/a.test.ts'
const b = 'tests/system/b.test.ts'

const passed = (file: string): Case => ({ file, name: 'works', status: 'passed', reason: '' })
const failed = (file: string, reason = 'expected 1'): Case => ({
  file,
  name: 'works',
  status: 'failed',
  reason,
})

function outcome(cases: Case[], files: string[] = [a, b], overloaded = false): Outcome {
  const argv = ['bun', 'test', '--timeout=9', ...files.map((file) => `./${file}`)]
  const job = { part: 'system', title: 'both', argv, env: {}, timeout_ms: 9, files, seconds: 1 }
  return { job, cases, seconds: {}, log: '', ms: 0, cpu_s: undefined, overloaded }
}

test('a failed file runs again without those that passed beside it', () => {
  const jobs = plannedAgain([outcome([passed(a), failed(b)]), outcome([passed(a), passed(b)])])
  expect([...jobs.values()]).toEqual([
    {
      part: 'system',
      title: 'both (again)',
      argv: ['bun', 'test', '--timeout=9', `./${b}`],
      env: {},
      timeout_ms: 9,
      files: [b],
      seconds: 1,
    },
  ])
})

test('a program that crashed without a report runs again from its first step', () => {
  const [job] = plannedAgain([outcome([failed('')])]).values()
  expect(job?.files).toEqual([a, b])
})

test('a unit test does not run again, and nothing does when too much failed', () => {
  const unit = outcome([failed(a)])
  unit.job.part = 'unit'
  const system = outcome([failed(a)])
  expect([...plannedAgain([unit, system]).keys()]).toEqual([system])
  expect(plannedAgain(Array.from({ length: 13 }, () => outcome([failed(a)]))).size).toBe(0)
})

test('a test that fails only beside others is unsteady, and a failure of the run', () => {
  const first = outcome([passed(a), failed(b)])
  const verdicts = judged(first, outcome([passed(b)], [b]))
  expect(verdicts).toEqual([[failed(b), 'unsteady']])
  expect(describeSum(first.cases, verdicts).split('\n')).toEqual([
    '',
    'Unsteady: failed beside others and passed alone with the same seed:',
    `  ${b} › works: expected 1`,
    '',
    '1 passed, 1 failed, 0 skipped',
  ])
})

test('a test that fails twice, or did not run again, fails', () => {
  const first = outcome([passed(a), failed(b)])
  const crash = outcome([failed('', 'killed by SIGSEGV')])
  expect(judged(first, outcome([failed(b)], [b]))).toEqual([[failed(b), 'fails']])
  expect(judged(first, undefined)).toEqual([[failed(b), 'fails']])
  expect(judged(first, crash)).toEqual([[failed(b), 'fails']])
  expect(judged(crash, outcome([failed('', 'killed by SIGSEGV')]))).toEqual([
    [failed('', 'killed by SIGSEGV'), 'fails'],
  ])
})

test.each([
  [true, true, 'late', { passed: 0, failed: 0, skipped: 1 }],
  [true, false, 'unsteady', { passed: 0, failed: 1, skipped: 0 }],
  [false, true, 'unsteady', { passed: 0, failed: 1, skipped: 0 }],
] as const)(
  'overloaded: %p, a wait that ended: %p, is %s',
  (overloaded, waited, verdict, counts) => {
    const one: Case = waited ? { ...failed(a), waited } : failed(a)
    const first = outcome([one], [a], overloaded)
    const verdicts = judged(first, outcome([passed(a)], [a]))
    expect(verdicts).toEqual([[one, verdict]])
    expect(count(first.cases, verdicts)).toEqual(counts)
  },
)
