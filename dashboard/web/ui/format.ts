const locale = navigator.language

const number = new Intl.NumberFormat(locale)
const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric' })
const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'short' })

export const formatNumber = (value: number): string => number.format(value)

/** `1 server`, `12 servers`. */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${number.format(value)} ${value === 1 ? one : many}`

/** With one decimal at most. */
export const formatShort = (value: number): string => short.format(value)

/** A share between 0 and 1, rounded down: only what is full is 100%. */
export const formatShare = (share: number): string =>
  percent.format(Math.floor(share * 100 + 1e-6) / 100)

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  return `${short.format(bytes / 1000 ** power)} ${UNITS[power]}`
}

/** The API counts memory and disk in MB. */
export const formatMegabytes = (mb: number): string => formatBytes(mb * 1e6)

export const formatTime = (iso: string): string => exact.format(new Date(iso))

export const formatDate = (iso: string): string => day.format(new Date(iso))

const DAY = 86_400

/**
 * The label of a mark on the axis of a chart with a span in seconds; `at` is in seconds since 1970.
 */
export function formatAxisTime(at: number, span: number): string {
  const time = new Date(at * 1000)
  if (span <= 1.5 * DAY) return hour.format(time)
  return span <= 8 * DAY ? weekday.format(time) : date.format(time)
}

/** The unit, its length, and from how many of it on it is used: 45 days, not 1 month. */
const SPANS = [
  ['year', 365 * DAY, 2],
  ['month', 30 * DAY, 3],
  ['day', DAY, 1],
  ['hour', 3_600, 1],
  ['minute', 60, 1],
] as const

/** `3 min ago`, `in 2 days`. */
export function formatRelative(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000
  const span = SPANS.find(([, size, least]) => Math.abs(seconds) >= least * size)
  const [unit, length] = span ?? ['second', 1]
  if (unit === 'second' && Math.abs(seconds) < 10) return 'just now'
  return relative.format(Math.trunc(seconds / length), unit)
}

const LENGTHS = [
  ['d', DAY],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** `1 h 4 min`, `12 s`, `5 min`; of milliseconds. The two largest units, without zeros. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const first = LENGTHS.findIndex(([, length]) => seconds >= length)
  if (first < 0) return '0 s'
  const parts = LENGTHS.slice(first, first + 2).map(([unit, length], place) => {
    const whole = place === 0 ? seconds : seconds % (LENGTHS[first]?.[1] ?? 1)
    return { unit, count: Math.floor(whole / length) }
  })
  const nonzero = parts.filter(({ count }) => count > 0)
  return nonzero.map(({ unit, count }) => `${count} ${unit}`).join(' ')
}
