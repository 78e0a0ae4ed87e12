const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type Parts = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
]

const inUtc = ([year, month, day, hour, minute, second]: Parts) =>
  Date.UTC(year, month - 1, day, hour, minute, second)

/** A time without a zone is that of the server: nginx writes its error log so. */
export const localTime = ([year, month, day, hour, minute, second]: Parts): number =>
  new Date(year, month - 1, day, hour, minute, second).getTime()

export const monthOf = (name: string): number => MONTHS.indexOf(name) + 1

/** `+0200` */
export function timeAt(parts: Parts, offset: string): number {
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3, 5))
  return inUtc(parts) - (offset.startsWith('-') ? -minutes : minutes) * 60_000
}

/** In a zone by name, as PHP writes it; undefined for an unknown one. */
export function timeIn(parts: Parts, zone: string): number | undefined {
  const utc = inUtc(parts)
  if (zone === 'UTC') return utc
  const format = formatOf(zone)
  if (!format) return undefined
  // Twice: the offset may be another one on the other side of a change of the clocks.
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
  const made = madeFor(zone)
  formats.set(zone, made)
  return made
}

function madeFor(timeZone: string): Intl.DateTimeFormat | undefined {
  const all = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...all, ...clock })
  } catch {
    return undefined
  }
}
