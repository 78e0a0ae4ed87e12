import type { LogLevel, LogSource } from '#shared/logs/site-logs.ts'

/** The parts of a line. `at` is undefined for a line of unknown form. */
export interface ParsedLine {
  at: number | undefined
  level: LogLevel
  status: number | null
  /** The text without the parts in the other fields. */
  text: string
  /** The text for a search and a download, if that is not the line itself. */
  whole?: string
}

export interface LineFormat {
  /** Matches where an entry of several lines begins, in Latin-1; absent if each line is one. */
  begins?: RegExp
  parse(line: string): ParsedLine
}

const plain = (text: string): ParsedLine => ({ at: undefined, level: 'info', status: null, text })
const number = Number

const ACCESS =
  /^(.*?) \[(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\] ("(?:[^"\\]|\\.)*" (\d{3}) .*)$/s

const levelOfStatus = (status: number): LogLevel =>
  status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info'

const access: LineFormat = {
  parse(line) {
    const found = ACCESS.exec(line)
    if (!found) return plain(line)
    const [, from = '', day, month = '', year, hour, minute, second, zone = '', rest = '', code] =
      found
    const parts = [number(year), monthOf(month), number(day)] as const
    const at = timeAt([...parts, number(hour), number(minute), number(second)], zone)
    const status = number(code)
    return { at, level: levelOfStatus(status), status, text: `${from} ${rest}` }
  },
}

const NGINX =
  /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d) \[(\w+)\] (?:\d+#\d+: )?(?:\*\d+ )?(.*)$/s

const NGINX_LEVELS: Readonly<Record<string, LogLevel>> = {
  warn: 'warning',
  error: 'error',
  crit: 'fatal',
  alert: 'fatal',
  emerg: 'fatal',
}

const error: LineFormat = {
  parse(line) {
    const found = NGINX.exec(line)
    if (!found) return plain(line)
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
      .slice(1, 7)
      .map(number)
    const at = localTime([year, month, day, hour, minute, second])
    const level = NGINX_LEVELS[found[7] ?? ''] ?? 'info'
    return { at, level, status: null, text: found[8] ?? '' }
  },
}

const PHP = /^\[(\d\d)-(\w{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([\w/+:-]{1,64})\] (.*)$/s

/** The levels by the words of PHP and of WordPress at the beginning of a message. */
const PHP_LEVELS: readonly [RegExp, LogLevel][] = [
  [/^PHP (?:Fatal|Parse|Compile|Core|Recoverable fatal|Catchable fatal) error\b/i, 'fatal'],
  [/^(?:PHP )?(?:Fatal error|Uncaught )/i, 'fatal'],
  [/^WordPress database error\b/i, 'error'],
  [/^(?:PHP )?(?:User )?Error\b/i, 'error'],
  [/^PHP (?:\w+ )?Warning\b/i, 'warning'],
]

const levelOfMessage = (text: string): LogLevel =>
  PHP_LEVELS.find(([begins]) => begins.test(text))?.[1] ?? 'info'

const php: LineFormat = {
  begins: /\n(?=\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:)/g,
  parse(line) {
    const found = PHP.exec(line)
    if (!found) return { ...plain(line), level: levelOfMessage(line) }
    const [, day, month = '', year, hour, minute, second, zone = '', text = ''] = found
    const parts = [number(year), monthOf(month), number(day)] as const
    const at = timeIn([...parts, number(hour), number(minute), number(second)], zone)
    return { at, level: levelOfMessage(text), status: null, text }
  },
}

const LEVELS = new Set<unknown>(['info', 'warning', 'error', 'fatal'])
const isLevel = (value: unknown): value is LogLevel => LEVELS.has(value)

/** The format of our own lines of JSON: the mail queue writes one for each event. */
const mail: LineFormat = {
  parse(line) {
    const { at, level, text } = objectIn(line)
    if (typeof text !== 'string') return plain(line)
    return { at: timeOf(at), level: isLevel(level) ? level : 'info', status: null, text }
  },
}

/** Matches `2026-01-01T09:30:00.000Z <invocation> text`; `+` continues the line before. */
export const JOB_LINE = /^(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z) ([0-9a-f]{32})([ +])(.*)$/s

/** The format of a line of the runner of jobs, or, as JSON, of their recorder. */
const cron: LineFormat = {
  parse(line) {
    const [, time = '', , , text = ''] = JOB_LINE.exec(line) ?? []
    if (time !== '') {
      const level = levelOfMessage(text)
      return { at: timeOf(time), level, status: null, text, whole: `${time} ${text}` }
    }
    const entry = objectIn(line)
    return 'output' in entry ? recorded(entry) : plain(line)
  },
}

function recorded({ at, status, output }: Record<string, unknown>): ParsedLine {
  const level = status === 0 ? 'info' : 'error'
  const end = `${output}`.trim()
  const text = `exit status ${status}${end === '' ? '' : `\n${end}`}`
  return { at: timeOf(at), level, status: null, text }
}

function timeOf(at: unknown): number | undefined {
  const time = typeof at === 'string' ? Date.parse(at) : Number(at ?? Number.NaN)
  return Math.abs(time) <= 8.64e15 ? Math.floor(time) : undefined
}

function objectIn(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

export const FORMATS: Readonly<Record<LogSource, LineFormat>> = {
  access,
  error,
  php,
  wordpress: php,
  cron,
  mail,
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type TimeParts = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
]

const inUtc = ([year, month, day, hour, minute, second]: TimeParts) =>
  Date.UTC(year, month - 1, day, hour, minute, second)

/** Returns a time without a zone as that of the server: nginx writes its error log so. */
const localTime = ([year, month, day, hour, minute, second]: TimeParts): number =>
  new Date(year, month - 1, day, hour, minute, second).getTime()

const monthOf = (name: string): number => MONTHS.indexOf(name) + 1

/** Returns a time with an offset such as `+0200`. */
function timeAt(parts: TimeParts, offset: string): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3, 5))
  return inUtc(parts) - (offset.startsWith('-') ? -minutes : minutes) * 60_000
}

/** Returns a time in a named zone, as PHP writes it; undefined for an unknown one. */
function timeIn(parts: TimeParts, zone: string): number | undefined {
  const utc = inUtc(parts)
  if (zone === 'UTC') return utc
  const format = formatOf(zone)
  if (!format) return undefined
  // Computed twice: the offset may be another one on the other side of a change of the clocks.
  const first = utc - offsetAt(format, utc)
  return utc - offsetAt(format, first)
}

function offsetAt(format: Intl.DateTimeFormat, at: number): number {
  const found = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found
  return inUtc([year, month, day, hour % 24, minute, second]) - at
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>()
const MAX_ZONES = 100

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone)
  if (formats.size >= MAX_ZONES) return undefined
  const made = createFormat(zone)
  formats.set(zone, made)
  return made
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  const all = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...all, ...clock })
  } catch {
    return undefined
  }
}
