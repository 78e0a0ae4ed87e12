import type { ReportFigures, SiteReport } from '#shared/reports/api/report.ts'
import { addMonths, dayName, momentName, monthName } from './months.ts'

/** The report in words for people who do not know servers; the page and the mail have the same. */

export interface ReportTile {
  name: string
  value: string
  /** The value of the month before; null when the two cannot be compared. */
  before: string | null
}

interface ReportRow {
  name: string
  value: string
  at: string
}

export interface ReportPart {
  title: string
  sentences: string[]
  rows: ReportRow[]
}

export const reportTitle = ({ month }: Pick<SiteReport, 'month'>): string =>
  `Website report: ${monthName(month)}`

const number = (value: number) => value.toLocaleString('en-US')

const counted = (count: number, one: string, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`

const LENGTHS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Writes a time in its two largest units, such as `1 hour 5 minutes`. */
export function lengthName(seconds: number): string {
  const first = LENGTHS.findIndex(([, length]) => seconds >= length)
  if (first < 0) return counted(Math.round(seconds), 'second')
  const parts = LENGTHS.slice(first, first + 2).map(([unit, length], place) => {
    const rest = place === 0 ? seconds : seconds % (LENGTHS[first]?.[1] ?? 1)
    return { unit, count: Math.floor(rest / length) }
  })
  return parts.flatMap(({ unit, count }) => (count > 0 ? counted(count, unit) : [])).join(' ')
}

const percent = (value: number) =>
  `${value.toLocaleString('en-US', { maximumFractionDigits: 2 })} %`
const speed = (ms: number) => (ms < 1000 ? `${number(ms)} ms` : `${number(ms / 1000)} s`)

/** How the value of each tile is read; undefined while it is not known. */
const TILES: readonly [name: string, read: (figures: ReportFigures) => TileValue | undefined][] = [
  [
    'Availability',
    ({ uptime }) =>
      uptime && uptime.percent !== null
        ? { value: percent(uptime.percent), isWhole: uptime.since === null }
        : undefined,
  ],
  [
    'Updates installed',
    ({ updates }) =>
      updates
        ? {
            value: number(updates.made),
            isWhole: updates.since === null && updates.until === null,
          }
        : undefined,
  ],
  ['Backups made', ({ backups }) => ({ value: number(backups.made), isWhole: true })],
  [
    'Attacks refused',
    ({ refused }) =>
      refused
        ? { value: number(refused.requests), isWhole: refused.days === refused.of_days }
        : undefined,
  ],
  [
    'Time to make a page',
    ({ traffic }) =>
      traffic && traffic.response_ms !== null
        ? { value: speed(traffic.response_ms), isWhole: traffic.days === traffic.of_days }
        : undefined,
  ],
  [
    'Requests answered',
    ({ traffic }) =>
      traffic
        ? { value: number(traffic.requests), isWhole: traffic.days === traffic.of_days }
        : undefined,
  ],
]

interface TileValue {
  value: string
  /** Whether the records have all of the month. */
  isWhole: boolean
}

/** Returns the figures that are known, and those of the month before where both are complete. */
export function tilesOf({ figures, previous, complete, month }: SiteReport): ReportTile[] {
  return TILES.flatMap(([name, read]) => {
    const now = read(figures)
    if (!now) return []
    const earlier = previous ? read(previous) : undefined
    const isComparable = complete && now.isWhole && earlier?.isWhole
    const before = isComparable ? `${monthName(addMonths(month, -1))}: ${earlier.value}` : null
    return [{ name, value: now.value, before }]
  })
}

export const partsOf = (report: SiteReport): ReportPart[] => [
  availability(report),
  updates(report),
  backups(report),
  security(report),
  speedAndVisitors(report),
]

const beganOn = (what: string, since: string | null) =>
  since === null ? [] : [`${what} on ${dayName(since)}.`]

const countedOn = ({ days, of_days }: { days: number; of_days: number }) =>
  days < of_days ? [`Counted on ${number(days)} of ${counted(of_days, 'day')}.`] : []

function availability({ figures: { uptime }, outages, to }: SiteReport): ReportPart {
  const title = 'Availability'
  if (!uptime || uptime.percent === null)
    return { title, sentences: ['The availability was not recorded in this month.'], rows: [] }
  const { since, outages: count, down_s, unknown_s } = uptime
  const rest = count - outages.length
  return {
    title,
    sentences: [
      `The website answered ${percent(uptime.percent)} of the time that was checked.`,
      count === 0
        ? 'There was no outage.'
        : `There ${count === 1 ? 'was one outage' : `were ${number(count)} outages`}: ${lengthName(down_s)} in all.`,
      ...(unknown_s > 0
        ? [`For ${lengthName(unknown_s)} it could not be checked. This time is not included.`]
        : []),
      ...beganOn('The checks began', since),
      ...(rest > 0 ? [`The list has the longest ${number(outages.length)} outages.`] : []),
    ],
    rows: outages.map(({ from, to: end }) => ({
      name: 'No answer',
      value: lengthName((Date.parse(end ?? to) - Date.parse(from)) / 1000),
      at: `${momentName(from)} to ${end === null ? 'now' : momentName(end)}`,
    })),
  }
}

function updates({ figures, updates: listed }: SiteReport): ReportPart {
  const title = 'Updates'
  const { updates: known } = figures
  if (!known)
    return { title, sentences: ['The versions were not recorded in this month.'], rows: [] }
  const { made, since, until } = known
  const rest = made - listed.length
  return {
    title,
    sentences: [
      made === 0
        ? 'No update of WordPress, a plugin or a theme was installed.'
        : `${counted(made, 'update')} of WordPress, plugins and themes ${made === 1 ? 'was' : 'were'} installed.`,
      ...beganOn('The records of updates began', since),
      ...(until === null ? [] : [`The versions were read last on ${dayName(until)}.`]),
      ...(rest > 0 ? [`The list has the last ${number(listed.length)}.`] : []),
    ],
    rows: listed.map(({ name, from, to, at }) => ({
      name,
      value: `${from} → ${to}`,
      at: dayName(at),
    })),
  }
}

function backups({ figures, last_backup_at, last_proof }: SiteReport): ReportPart {
  const { made, proven, not_proven } = figures.backups
  const last = last_backup_at === null ? '' : ` The last one is of ${dayName(last_backup_at)}.`
  const tests = proven + not_proven
  return {
    title: 'Backups',
    sentences: [
      made === 0
        ? `No backup was made in this month.${last}`
        : `${counted(made, 'complete backup')} ${made === 1 ? 'was' : 'were'} made.${last}`,
      ...(tests === 0
        ? ['No backup was restored as a test in this month.']
        : [
            `${tests === 1 ? 'One backup was' : `${number(tests)} backups were`} restored as a test: ${number(proven)} complete${not_proven > 0 ? `, ${number(not_proven)} with a problem` : ''}.`,
          ]),
      ...(last_proof
        ? [
            `The last test was on ${dayName(last_proof.at)}: the backup was ${last_proof.proven ? 'complete' : 'not complete'}.`,
          ]
        : []),
    ],
    rows: [],
  }
}

function security({ figures: { refused } }: SiteReport): ReportPart {
  const title = 'Security'
  if (!refused)
    return { title, sentences: ['Refused attacks were not recorded in this month.'], rows: [] }
  const { requests } = refused
  return {
    title,
    sentences: [
      requests === 0
        ? 'No attack had to be refused.'
        : `${counted(requests, 'request')} ${requests === 1 ? 'was' : 'were'} refused before reaching the website: too many attempts to log in, or attempts to open protected files.`,
      ...beganOn('The records of refused requests began', refused.since),
      ...countedOn(refused),
    ],
    rows: [],
  }
}

function speedAndVisitors({ figures: { traffic } }: SiteReport): ReportPart {
  const title = 'Speed and visits'
  if (!traffic) return { title, sentences: ['Requests were not recorded in this month.'], rows: [] }
  const { requests, server_errors, response_ms, since } = traffic
  return {
    title,
    sentences: [
      ...(response_ms === null
        ? []
        : [`The website needed ${speed(response_ms)} on average to make a page.`]),
      `It answered ${counted(requests, 'request')} for pages, images and other files.`,
      server_errors === 0
        ? 'None of them ended with an error of the website.'
        : `${number(server_errors)} of them ended with an error of the website.`,
      ...beganOn('The records of requests began', since),
      ...countedOn(traffic),
    ],
    rows: [],
  }
}

export const UTC_NOTE = 'All times are in UTC.'
