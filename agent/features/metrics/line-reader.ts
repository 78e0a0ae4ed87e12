import { OTHER_SERVER_AGENT, VISIT_AGENT } from '#agent/kernel/host/visit-port.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'
import { SLOW_MS } from '#shared/metrics/site-numbers.ts'

/** The contribution of a line of the access log to the numbers of its minute. */
export interface LoggedRequest {
  /** Seconds since 1970, to the minute; undefined for a line without a time. */
  at: number | undefined
  status: number
  bytes: number
  /** The time that PHP took, in ms; undefined when the request did not reach PHP. */
  php_ms: number | undefined
  slow: boolean
  from_cache: boolean
  /** True when the request says that it comes from a dashboard, which anybody can say. */
  from_dashboard?: true
}

const OWN_AGENTS = new Set([VISIT_AGENT, OTHER_SERVER_AGENT])
const LOOPBACK = new Set(['127.0.0.1', '::1'])
const FROM_CACHE = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED'])
/** The length of `23/Nov/2026:14:50`, before seconds and zone. */
const MINUTE_LENGTH = 17
const QUOTED = 7

/**
 * Parses lines of `log_format hosting`. nginx writes a quote in a value as `\x22`, so that quotes
 * separate the fields whatever a visitor sends. Returns undefined for other lines, and for a visit
 * of this server itself. Others may send its User-Agent, too: they are visitors.
 */
export class LineReader {
  /** The addresses of this server, beside those of loopback. */
  own: ReadonlySet<string> = new Set()
  #text = ''
  #minute: number | undefined

  read(line: string): LoggedRequest | undefined {
    const parts = line.split('"')
    if (parts.length !== QUOTED) return undefined
    const [from = '', , answer = '', , , agent = '', times = ''] = parts
    if (OWN_AGENTS.has(agent) && this.#isOwn(from)) return undefined
    const [, status = '', bytes = ''] = answer.split(' ')
    const [, , ...rest] = times.trim().split(' ')
    const cache = rest.pop() ?? ''
    const php_ms = upstreamTime(rest)
    return {
      at: this.#minuteOf(from),
      status: Number(status) || 0,
      bytes: Number(bytes) || 0,
      php_ms,
      slow: (php_ms ?? 0) >= SLOW_MS,
      from_cache: FROM_CACHE.has(cache),
      ...(agent === OUTSIDE_AGENT && { from_dashboard: true as const }),
    }
  }

  #isOwn(from: string): boolean {
    const address = from.slice(0, from.indexOf(' '))
    return LOOPBACK.has(address) || this.own.has(address)
  }

  /** Finds the time after the last bracket: a user name may have brackets. Caches the minute. */
  #minuteOf(from: string): number | undefined {
    const text = from.slice(from.lastIndexOf('[') + 1)
    const zone = text.slice(text.indexOf(' '), text.lastIndexOf(']'))
    const minute = `${text.slice(0, MINUTE_LENGTH)}${zone}`
    if (minute !== this.#text) {
      this.#text = minute
      const date = minute.replace(/^(\d+)\/(\w+)\/(\d+):/, '$1 $2 $3 ')
      const at = Date.parse(date.replace(/(:\d\d)( |$)/, '$1:00$2')) / 1000
      this.#minute = at > 0 ? at : undefined
    }
    return this.#minute
  }
}

/** Parses `0.012`, or one per attempt: `0.001, 0.012`, `0.001 : 0.012`. Returns milliseconds. */
function upstreamTime(words: readonly string[]): number | undefined {
  let sum: number | undefined
  for (const word of words) {
    const seconds = Number.parseFloat(word)
    if (seconds >= 0) sum = (sum ?? 0) + Math.round(seconds * 1000)
  }
  return sum
}
