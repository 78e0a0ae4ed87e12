import { expect, test } from 'bun:test'
import type { Case } from '#scripts/lib/junit.ts'
import { plannedAgain, settled } from '#scripts/lib/test-again.ts'
import type { Outcome } from '#scripts/lib/test-job.ts'
import { describeSum } from '#scripts/lib/test-report.ts'

const a = 'tests/system/a.test.ts'
const b = 'tests/system/b.test.ts'

const passed = (file: string): Case => ({ file, name: 'works', status: 'passed', reason: '' })
const failed = (file: string): Case => ({ file, name: 'works', status: 'failed', reason: 'late' })

function outcome(cases: Case[], files: string[] | undefined = [a, b]): Outcome {
  const argv = ['bun', 'test', '--timeout=9', ...files.map((file) => `./${file}`)]
  const job = { part: 'system', title: 'both', argv, env: {}, timeout_ms: 9, files }
  return { job, cases, log: '', ms: 0 }
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
    },
  ])
})

test('a program that crashed without a report runs again from its first step', () => {
  const [job] = plannedAgain([outcome([failed('')])]).values()
  expect(job?.files).toEqual([a, b])
})

test('nothing runs again when a unit test failed, or too much', () => {
  const unit = outcome([failed(a)])
  unit.job.part = 'unit'
  const many = Array.from({ length: 13 }, () => outcome([failed(a)]))
  expect(plannedAgain([unit, outcome([failed(a)])]).size).toBe(0)
  expect(plannedAgain(many).size).toBe(0)
})

test('the second run counts, and tests that pass only then are listed', () => {
  const first = outcome([passed(a), failed(b)])
  const second = outcome([passed(b)], [b])
  const sum = settled([first], new Map([[first, second]]))
  expect(sum).toEqual({ cases: [passed(a), passed(b)], unsteady: [failed(b)] })
  expect(describeSum(sum.cases, sum.unsteady).split('\n')).toEqual([
    '',
    'Failed beside others and passed alone:',
    `  ${b} › works: late`,
    '',
    '2 passed, 0 failed, 0 skipped',
  ])
})

test('a test that fails twice has failed, and a test that did not run again keeps its failure', () => {
  const first = outcome([passed(a), failed(b)])
  const other = outcome([failed('')])
  const second = outcome([failed(b)], [b])
  expect(settled([first, other], new Map([[first, second]]))).toEqual({
    cases: [passed(a), failed(b), failed('')],
    unsteady: [],
  })
})
