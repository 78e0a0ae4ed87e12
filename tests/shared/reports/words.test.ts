import { describe, expect, test } from 'bun:test'
import type { ReportFigures, SiteReport } from '#shared/reports/api/report.ts'
import { lengthName, partsOf, reportTitle, tilesOf } from '#shared/reports/words.ts'

const NOTHING: ReportFigures = {
  uptime: null,
  traffic: null,
  refused: null,
  updates: null,
  backups: { made: 0, proven: 0, not_proven: 0 },
}

const days = { days: 28, of_days: 28 }
const FIGURES: ReportFigures = {
  uptime: { since: null, percent: 99.95, outages: 1, down_s: 1080, unknown_s: 0 },
  traffic: { since: null, ...days, requests: 184_000, server_errors: 0, response_ms: 220 },
  refused: { since: null, ...days, requests: 1210 },
  updates: { since: null, until: null, made: 1 },
  backups: { made: 28, proven: 4, not_proven: 1 },
}

const report = (more: Partial<SiteReport> = {}): SiteReport => ({
  domain: 'shop.example',
  month: '2026-02',
  first_month: '2025-12',
  last_month: '2026-03',
  from: '2026-02-01T00:00:00.000Z',
  to: '2026-03-01T00:00:00.000Z',
  complete: true,
  branding: {
    name: '',
    color: '#1f2937',
    text_color: '#ffffff',
    reply_to: '',
    closing: '',
    logo: null,
  },
  figures: FIGURES,
  previous: { ...FIGURES, traffic: null },
  updates: [{ kind: 'plugin', name: 'Woo', from: '1', to: '2', at: '2026-02-12T05:20:00.000Z' }],
  outages: [{ from: '2026-02-03T04:05:00.000Z', to: '2026-02-03T04:23:00.000Z' }],
  last_backup_at: '2026-02-28T02:10:00.000Z',
  last_proof: { at: '2026-02-25T03:40:00.000Z', proven: true },
  ...more,
})

const sentencesOf = (of: SiteReport) =>
  Object.fromEntries(partsOf(of).map(({ title, sentences }) => [title, sentences]))

describe('a report in words', () => {
  test('has the figures, and those of the month before where both are complete', () => {
    expect(reportTitle(report())).toBe('Website report: February 2026')
    expect(tilesOf(report())).toEqual([
      { name: 'Availability', value: '99.95 %', before: 'January 2026: 99.95 %' },
      { name: 'Updates installed', value: '1', before: 'January 2026: 1' },
      { name: 'Backups made', value: '28', before: 'January 2026: 28' },
      { name: 'Attacks refused', value: '1,210', before: 'January 2026: 1,210' },
      { name: 'Time to make a page', value: '220 ms', before: null },
      { name: 'Requests answered', value: '184,000', before: null },
    ])
  })

  test('compares nothing while the month is not over', () => {
    const tiles = tilesOf(report({ complete: false }))
    expect(tiles.map(({ before }) => before)).toEqual([null, null, null, null, null, null])
  })

  test('says what happened', () => {
    expect(sentencesOf(report())).toEqual({
      Availability: [
        'The website answered 99.95 % of the time that was checked.',
        'There was one outage: 18 minutes in all.',
      ],
      Updates: ['1 update of WordPress, plugins and themes was installed.'],
      Backups: [
        '28 complete backups were made. The last one is of 28 February 2026.',
        '5 backups were restored as a test: 4 complete, 1 with a problem.',
        'The last test was on 25 February 2026: the backup was complete.',
      ],
      Security: [
        '1,210 requests were refused before reaching the website: too many attempts to log in, or attempts to open protected files.',
      ],
      'Speed and visits': [
        'The website needed 220 ms on average to make a page.',
        'It answered 184,000 requests for pages, images and other files.',
        'None of them ended with an error of the website.',
      ],
    })
    const [availability, updates] = partsOf(report())
    expect(availability?.rows).toEqual([
      { name: 'No answer', value: '18 minutes', at: '3 February, 04:05 to 3 February, 04:23' },
    ])
    expect(updates?.rows).toEqual([{ name: 'Woo', value: '1 → 2', at: '12 February 2026' }])
  })

  test('says what is not known, and since when the rest is', () => {
    const since = '2026-02-10T00:00:00.000Z'
    const partly: ReportFigures = {
      ...NOTHING,
      uptime: { since, percent: 100, outages: 0, down_s: 0, unknown_s: 3900 },
      refused: { since, days: 19, of_days: 28, requests: 0 },
      updates: { since, until: '2026-02-20T00:00:00.000Z', made: 0 },
    }
    const empty = { updates: [], outages: [], last_backup_at: null, last_proof: null }

    expect(sentencesOf(report({ ...empty, figures: partly }))).toEqual({
      Availability: [
        'The website answered 100 % of the time that was checked.',
        'There was no outage.',
        'For 1 hour 5 minutes it could not be checked. This time is not included.',
        'The checks began on 10 February 2026.',
      ],
      Updates: [
        'No update of WordPress, a plugin or a theme was installed.',
        'The records of updates began on 10 February 2026.',
        'The versions were read last on 20 February 2026.',
      ],
      Backups: [
        'No backup was made in this month.',
        'No backup was restored as a test in this month.',
      ],
      Security: [
        'No attack had to be refused.',
        'The records of refused requests began on 10 February 2026.',
        'Counted on 19 of 28 days.',
      ],
      'Speed and visits': ['Requests were not recorded in this month.'],
    })
    expect(tilesOf(report({ figures: NOTHING, previous: null }))).toEqual([
      { name: 'Backups made', value: '0', before: null },
    ])
  })

  test('writes lengths in two units', () => {
    expect([1, 60, 3900, 90_000, 172_800].map(lengthName)).toEqual([
      '1 second',
      '1 minute',
      '1 hour 5 minutes',
      '1 day 1 hour',
      '2 days',
    ])
  })
})
