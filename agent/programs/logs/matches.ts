import { Buffer } from 'node:buffer'
import {
  type AgentLogLine,
  LOG_LEVELS,
  type LogFilter,
  type LogSource,
  MAX_LOG_LINE,
  MAX_LOG_TEXT,
} from '#shared/logs/site-logs.ts'
import { FORMATS, type Format, type Parsed } from './formats.ts'
import { masked, visible } from './mask.ts'
import type { Region } from './regions.ts'

/** An entry that a filter lets through, and where it begins in its file. */
export interface Match {
  from: number
  line: AgentLogLine
  /** The whole line, masked: for a download. */
  whole: string
}

export interface Query {
  format: Format
  least: number
  /** In lower case, as text, and as it would be found in the bytes of a file. */
  text: string
  needle: string
  since: number
  until: number
}

export function queryOf(source: LogSource, { level, text = '', since, until }: LogFilter): Query {
  return {
    format: FORMATS[source],
    least: level === undefined ? 0 : LOG_LEVELS.indexOf(level),
    text: text.toLowerCase(),
    needle: Buffer.from(text).toString('latin1').toLowerCase(),
    since: since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since),
    until: until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until),
  }
}

/** An entry that may match: only its text is still to be masked, and compared. */
export interface Candidate {
  from: number
  raw: string
  cut: boolean
  parsed: Parsed
}

/** The entries of a region that match, in the order of the file. */
export const matchesIn = (region: Region, query: Query): Match[] =>
  candidatesIn(region, query).flatMap((candidate) => matchOf(candidate, query) ?? [])

export function candidatesIn({ bytes, from }: Region, query: Query): Candidate[] {
  const text = bytes.toString('latin1')
  const found: Candidate[] = []
  for (const [begin, end] of placesIn(text, query)) {
    const candidate = candidateOf(bytes.subarray(begin, end), from + begin, query)
    if (candidate) found.push(candidate)
  }
  return found
}

/** Each entry; with a text only those that may have it, which is much faster. */
function* placesIn(
  text: string,
  { format: { begins }, needle }: Query,
): Generator<[number, number]> {
  const lower = needle === '' ? '' : text.toLowerCase()
  for (let from = 0; from < text.length; ) {
    const hit = needle === '' ? from : lower.indexOf(needle, from)
    if (hit < 0) return
    const begin = needle === '' ? from : beginBefore(text, hit, from, begins)
    const end = endAfter(text, hit, begins)
    yield [begin, end]
    from = end
  }
}

function beginBefore(text: string, hit: number, least: number, begins: RegExp | undefined): number {
  let at = hit
  while (at > least) {
    const newline = text.lastIndexOf('\n', at - 1)
    if (newline < least) return least
    if (!begins || isBegin(text, newline, begins)) return newline + 1
    at = newline
  }
  return least
}

function isBegin(text: string, newline: number, begins: RegExp): boolean {
  begins.lastIndex = newline
  return begins.exec(text.slice(0, newline + 32))?.index === newline
}

function endAfter(text: string, from: number, begins: RegExp | undefined): number {
  if (begins) {
    begins.lastIndex = from
    const next = begins.exec(text)
    return next ? next.index + 1 : text.length
  }
  return text.indexOf('\n', from) + 1 || text.length
}

/** The time of the first entry of a region that has one. */
export function timeOf({ bytes }: Region, { format }: Query): number | undefined {
  const head = bytes.subarray(0, 64 << 10).toString('latin1')
  const query = { format, needle: '' } as Query
  for (const [begin, end] of placesIn(head, query)) {
    const { at } = format.parse(head.slice(begin, end).trimEnd())
    if (at !== undefined) return at
  }
  return undefined
}

function candidateOf(bytes: Buffer, from: number, query: Query): Candidate | undefined {
  const raw = bytes.subarray(0, MAX_LOG_LINE).toString('utf8').trimEnd()
  if (raw === '') return undefined
  const parsed = query.format.parse(raw)
  return isWanted(parsed, query)
    ? { from, raw, cut: bytes.length > MAX_LOG_LINE, parsed }
    : undefined
}

/** Undefined where only a masked part has the text: else a search would reveal it. */
export function matchOf({ from, raw, cut, parsed }: Candidate, { text }: Query): Match | undefined {
  const whole = shown(parsed.whole ?? raw)
  if (text !== '' && !whole.toLowerCase().includes(text)) return undefined
  const { at, level, status } = parsed
  const time = at === undefined || Number.isNaN(at) ? null : new Date(at).toISOString()
  return { from, whole, line: { at: time, level, status, text: shown(parsed.text), cut } }
}

function isWanted({ at, level }: Parsed, { least, since, until }: Query): boolean {
  if (LOG_LEVELS.indexOf(level) < least) return false
  const hasTime = at !== undefined && !Number.isNaN(at)
  return !hasTime || (at >= since && at <= until)
}

/** The masked form of a text of a log, which may leave the server. */
const shown = (text: string): string => visible(masked(text)).slice(0, MAX_LOG_TEXT)
