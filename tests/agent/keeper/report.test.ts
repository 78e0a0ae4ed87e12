import { expect, test } from 'bun:test'
import { reportOf, signedReport } from '#agent/keeper/report.ts'
import type { ReportLine } from '#agent/keeper/run.ts'
import { newestOf } from '#dashboard/site-backups/keeper/verified.ts'
import { MOST_NAMES, MOST_PROBLEMS } from '#shared/keeper-report.ts'
import { Secret } from '#shared/secret.ts'
import { keeper, kit } from '#tests/support/agent/backup.ts'

const at = '2026-03-01T08:00:00.000Z'
const line = (repository: string, more: Partial<ReportLine> = {}): ReportLine => ({
  ...{ at, store: '/srv', repository, status: 'ok', seconds: 1, ...more },
})
const LINES = [
  line('blog', {
    ...{ backups: 4, forgotten: ['a', 'b'], status: 'problem' },
    problems: [{ code: 'garbage', message: 'x'.repeat(400) }],
  }),
  line('shop', {
    ...{ backups: 6, forgotten: [], status: 'problem' },
    problems: [{ code: 'damaged', message: 'Damaged data in 1 packs: 1a' }],
  }),
  line('wait', { status: 'postponed' }),
]

test('a report has what a run did, with damaged data first', () => {
  expect(reportOf(at, LINES)).toEqual({
    ...{ version: 1, at, repositories: 3, postponed: 1, backups: 10, forgotten: 2, troubled: 2 },
    problems: [
      { repository: 'shop', code: 'damaged', message: 'Damaged data in 1 packs: 1a' },
      { repository: 'blog', code: 'garbage', message: 'x'.repeat(300) },
    ],
    names: ['blog', 'shop', 'wait'],
  })
})

test('a dashboard believes the newest report that the keeper has signed', () => {
  const key = new Secret(keeper.privateKey)
  const report = reportOf(at, LINES)
  const later = { ...report, at: '2026-03-02T08:00:00.000Z' }
  const forged = { ...report, at: '2026-03-03T08:00:00.000Z', troubled: 0, problems: [] }
  const [own, newer] = [signedReport(key, report), signedReport(key, later)]
  const others = [
    signedReport(new Secret(kit.privateKey), forged),
    JSON.stringify({ ...JSON.parse(own), report: JSON.stringify(forged) }),
    JSON.stringify({ report: 'no report', signature: 'no signature' }),
    'garbage',
  ]

  expect(newestOf(keeper.publicKey, [...others, own, newer])).toEqual(later)
  expect(newestOf(keeper.publicKey, others)).toBe(undefined)
})

test('the report of the largest storage is a file that agents read', () => {
  const problem = { code: 'failed' as const, message: 'm'.repeat(300) }
  const lines = Array.from({ length: 2 * MOST_NAMES }, (_, one) =>
    line(`${one}`.padStart(32, 'r'), { problems: [problem, problem] }),
  )

  const report = reportOf(at, lines)

  expect([report.problems.length, report.names.length]).toEqual([MOST_PROBLEMS, MOST_NAMES])
  const text = signedReport(new Secret(keeper.privateKey), report)
  expect(Buffer.byteLength(text)).toBeLessThan(65_536)
})
