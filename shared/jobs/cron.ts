/** The values at which a schedule runs, in UTC; `any` is true for `*`, as in crontab(5). */
interface CronField {
  values: readonly number[]
  any: boolean
}

interface CronSchedule {
  minutes: CronField
  hours: CronField
  days: CronField
  months: CronField
  /** The days of the week; 0 is Sunday. */
  weekdays: CronField
}

/** Names for frequent schedules: crontab(5). */
const PRESETS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The fields in their order; `names` stand for the numbers from `least` on. */
const FIELDS = [
  { label: 'minute', least: 0, most: 59, names: [] },
  { label: 'hour', least: 0, most: 23, names: [] },
  { label: 'day of the month', least: 1, most: 31, names: [] },
  { label: 'month', least: 1, most: 12, names: MONTHS },
  { label: 'day of the week', least: 0, most: 7, names: WEEKDAYS },
] as const
type FieldRule = (typeof FIELDS)[number]

/** Thrown for a text that is no schedule, with the reason. */
export class ScheduleError extends Error {}

/** Parses the five fields of crontab(5), or the name of a preset. Throws ScheduleError. */
export function parseSchedule(text: string): CronSchedule {
  const words = (PRESETS[text.trim()] ?? text).trim().split(/\s+/)
  if (words.length !== FIELDS.length) {
    throw new ScheduleError(
      `Must have five fields, or be one of ${Object.keys(PRESETS).join(', ')}`,
    )
  }
  const [minutes, hours, days, months, weekdays] = FIELDS.map((rule, at) =>
    parseField(words[at] ?? '', rule),
  ) as [CronField, CronField, CronField, CronField, CronField]
  const folded = [...new Set(weekdays.values.map((day) => day % 7))].sort((a, b) => a - b)
  return { minutes, hours, days, months, weekdays: { ...weekdays, values: folded } }
}

function parseField(word: string, rule: FieldRule): CronField {
  const values = new Set(word.split(',').flatMap((part) => parsePart(part, rule)))
  return { values: [...values].sort((a, b) => a - b), any: word.startsWith('*') }
}

const PART = /^(\*|[a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?(?:\/(\d{1,2}))?$/i

/** Parses `*`, a value or a range; the latter and `*` with an optional step. */
function parsePart(part: string, rule: FieldRule): number[] {
  const [, from = '', to, step] = PART.exec(part) ?? []
  const isAll = from === '*'
  const isOdd = isAll ? to !== undefined : to === undefined && step !== undefined
  const every = Number(step ?? 1)
  if (from === '' || every === 0 || isOdd) throw wrong(part, rule)
  const first = isAll ? rule.least : numberOf(from, part, rule)
  const last = isAll ? rule.most : numberOf(to ?? from, part, rule)
  if (first > last) throw wrong(part, rule)
  const values: number[] = []
  for (let value = first; value <= last; value += every) values.push(value)
  return values
}

function numberOf(text: string, part: string, rule: FieldRule): number {
  const at = (rule.names as readonly string[]).indexOf(text.toLowerCase())
  const value = at >= 0 ? at + rule.least : /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= rule.least && value <= rule.most) return value
  throw wrong(part, rule)
}

const wrong = (part: string, { label, least, most }: FieldRule) =>
  new ScheduleError(
    `The ${label} must be between ${least} and ${most}, as a value, list, range or step: not ${part.slice(0, 20)}`,
  )

/** Returns whether both name days: then either is enough, as in crontab(5). */
const isEither = ({ days, weekdays }: CronSchedule) => !days.any && !weekdays.any

const DAY_MS = 86_400_000
/** The maximum days to the next 29 February: eight years around 2100. */
const MAX_DAYS = 8 * 366 + 1

/** Returns the next runs after a time, in milliseconds; none for a date that does not exist. */
export function nextRuns(schedule: CronSchedule, after: number, count: number): number[] {
  const runs: number[] = []
  const today = Math.floor(after / DAY_MS) * DAY_MS
  for (let day = 0; day < MAX_DAYS && runs.length < count; day += 1) {
    const start = today + day * DAY_MS
    if (isDay(schedule, new Date(start))) runs.push(...timesOf(schedule, start, after))
  }
  return runs.slice(0, count)
}

function isDay(schedule: CronSchedule, date: Date): boolean {
  if (!schedule.months.values.includes(date.getUTCMonth() + 1)) return false
  const isDate = schedule.days.values.includes(date.getUTCDate())
  const isWeekday = schedule.weekdays.values.includes(date.getUTCDay())
  return isEither(schedule) ? isDate || isWeekday : isDate && isWeekday
}

const timesOf = ({ hours, minutes }: CronSchedule, start: number, after: number): number[] =>
  hours.values
    .flatMap((hour) => minutes.values.map((minute) => start + (hour * 60 + minute) * 60_000))
    .filter((at) => at > after)

const CALENDAR_DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const listOf = ({ values }: CronField, all: number) =>
  values.length === all ? '*' : values.map((value) => String(value).padStart(2, '0')).join(',')

/** Returns the schedule for OnCalendar=, in one line or two: systemd.time(7). */
export function calendarOf(schedule: CronSchedule): string[] {
  const { minutes, hours, days, months, weekdays } = schedule
  const time = `${listOf(hours, 24)}:${listOf(minutes, 60)}:00 UTC`
  const month = listOf(months, 12)
  const names = weekdays.values.map((day) => CALENDAR_DAYS[day]).join(',')
  const week = weekdays.values.length === 7 ? '' : `${names} `
  const date = (day: string) => `*-${month}-${day} ${time}`
  if (!isEither(schedule)) return [`${week}${date(listOf(days, 31))}`]
  return [date(listOf(days, 31)), `${week}${date('*')}`]
}
