import { expect, test } from 'bun:test'
import { casesOf } from '#scripts/test/job.ts'
import type { Job } from '#scripts/test/jobs.ts'
import { readReport, secondsIn } from '#scripts/test/junit.ts'
import { count, describeSum } from '#scripts/test/report.ts'

const job: Job = {
  part: 'system',
  title: 'system/site',
  argv: [],
  env: {},
  timeout_ms: 1000,
  seconds: 1,
  files: ['tests/system/site.test.ts'],
}
const file = 'tests/system/site.test.ts'
const report = `<testsuites><testsuite name="a">
  <testcase name="(unnamed)" classname="lab" file="${file}"><skipped /></testcase>
  <testcase name="boots &lt;twice&gt; [skip: needs root]" classname="lab" file="${file}"><skipped /></testcase>
  <testcase name="later" classname="" file="${file}"><skipped message="TODO" /></testcase>
  <testcase name="answers" classname="" time="0.1" file="${file}" line="3" />
  <testcase name="breaks" classname="" file="${file}">
    <failure type="Error" message="no&#10;such host">Error: no</failure>
  </testcase>
  <testcase name="(unnamed)" classname="" file="${file}"><failure message="setup" /></testcase>
  <testcase name="waits" classname="" file="${file}"><failure type="TimeoutError" message="test timed out" /></testcase>
</testsuite></testsuites>`

test('reads each test of a report with the reason of a skip or failure', () => {
  expect(readReport(report)).toEqual([
    { file, name: 'lab › boots <twice>', status: 'skipped', reason: 'needs root' },
    { file, name: 'later', status: 'skipped', reason: 'not written yet' },
    { file, name: 'answers', status: 'passed', reason: '' },
    { file, name: 'breaks', status: 'failed', reason: 'no' },
    { file, name: '(unnamed)', status: 'failed', reason: 'setup' },
    { file, name: 'waits', status: 'failed', reason: 'test timed out', waited: true },
  ])
})

test.each([
  ['a crash without a report', 'killed by SIGSEGV', '', { passed: 0, failed: 1, skipped: 0 }],
  ['a file that did not load', 1, '<testsuites />', { passed: 0, failed: 1, skipped: 0 }],
  [
    'a status that no test accounts for',
    1,
    `<testcase name="a" file="${file}" />`,
    { passed: 1, failed: 1, skipped: 0 },
  ],
  ...['\u0001', '\ufffe', '\ud800'].map(
    (character) =>
      [
        `a name that XML cannot carry: ${JSON.stringify(character)}`.replace('\ufffe', 'U+FFFE'),
        0,
        `<testcase name="a${character}" file="${file}" />`,
        { passed: 1, failed: 1, skipped: 0 },
      ] as const,
  ),
  ['a report with failures as it is', 1, report, { passed: 1, failed: 3, skipped: 2 }],
])('counts %s', (_, status, xml, counts) => {
  expect(count(casesOf(job, status, xml))).toEqual(counts)
})

test('sums up with every skip, every failure and the three numbers last', () => {
  const cases = readReport(report)
  const failed = cases.filter(({ status }) => status === 'failed')
  const verdicts = failed.map((one) => [one, 'fails'] as const)
  expect(describeSum(cases, verdicts).split('\n')).toEqual([
    '',
    'Skipped:',
    `  ${file} › lab › boots <twice>: needs root`,
    `  ${file} › later: not written yet`,
    '',
    'Failed:',
    `  ${file} › breaks: no`,
    `  ${file} › (unnamed): setup`,
    `  ${file} › waits: test timed out`,
    '',
    '1 passed, 3 failed, 2 skipped',
  ])
})

test('reads the seconds of each file, and not those of its groups again', () => {
  const xml = `<testsuite name="${file}" file="${file}" tests="2" time="3.5">
    <testsuite name="lab" file="${file}" tests="2" time="3.1"></testsuite></testsuite>`
  expect(secondsIn(xml)).toEqual({ [file]: 3.5 })
})
