import { expect, test } from 'bun:test'
import { reportOf, reportsOf, signedReport } from '#agent/programs/keeper/report.ts'
import type { ReportLine } from '#agent/programs/keeper/run.ts'
import { newestSignedReport } from '#dashboard/features/backups/keeper/read-reports.ts'
import {
  KeeperNames,
  MAX_LISTS,
  MAX_NAMES,
  MAX_PROBLEMS,
  SignedReport,
} from '#shared/backups/keeper-report.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { keeper, kit } from '#tests/support/agent/backup.ts'

const at = '2026-03-01T08:00:00.000Z'
const now = new Date('2026-03-04T08:00:00.000Z')
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

  expect(newestSignedReport(keeper.publicKey, [...others, own, newer], now)).toEqual(later)
  expect(newestSignedReport(keeper.publicKey, others, now)).toBe(undefined)
})

test('the report of a storage with 10,000 repositories names all of them, in files that agents read', () => {
  const problem = { code: 'failed' as const, message: 'm'.repeat(300) }
  const lines = Array.from({ length: 10 * MAX_NAMES }, (_, one) =>
    line(`${one}`.padStart(32, 'r'), { problems: [problem, problem] }),
  )

  const texts = reportsOf(new Secret(keeper.privateKey), at, lines)

  const report = newestSignedReport(keeper.publicKey, texts, now)
  expect([report?.repositories, report?.problems.length]).toEqual([lines.length, MAX_PROBLEMS])
  const lists = texts
    .slice(0, -1)
    .map((text) => KeeperNames.parse(JSON.parse(SignedReport.parse(JSON.parse(text)).report)))
  const names = [...(report?.names ?? []), ...lists.flatMap((list) => list.names)]
  expect(names).toEqual(lines.map(({ repository }) => repository))
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThan(65_536)
})

test('the report of the largest storage counts the repositories that it does not name', () => {
  const most = (MAX_LISTS + 1) * MAX_NAMES
  const lines = Array.from({ length: most + 5 }, (_, one) => line(`site${one}`))

  const texts = reportsOf(new Secret(keeper.privateKey), at, lines)

  expect([texts.length, newestSignedReport(keeper.publicKey, texts, now)?.repositories]).toEqual([
    ...[MAX_LISTS + 1, most + 5],
  ])
})
