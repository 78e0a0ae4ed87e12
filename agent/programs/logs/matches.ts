import { Buffer } from 'node:buffer'
import {
  type AgentLogLine,
  LOG_LEVELS,
  type LogFilter,
  type LogSource,
  MAX_LOG_LINE,
  MAX_LOG_TEXT,
} from '#shared/logs/site-logs.ts'
import { FORMATS, type LineFormat, type ParsedLine } from './formats.ts'
import type { LogRegion } from './regions.ts'

/** An entry that a filter lets through, and its offset in its file. */
export interface LogMatch {
  from: number
  line: AgentLogLine
  /** The whole line, masked: for a download. */
  whole: string
}

export interface LogQuery {
  format: LineFormat
  least: number
  /** The text in lower case, and as it would be found in the bytes of a file. */
  text: string
  needle: string
  since: number
  until: number
}

export function queryOf(
  source: LogSource,
  { level, text = '', since, until }: LogFilter,
): LogQuery {
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
export interface LogCandidate {
  from: number
  raw: string
  cut: boolean
  parsed: ParsedLine
}

/** Returns the entries of a region that match, in the order of the file. */
export const matchesIn = (region: LogRegion, query: LogQuery): LogMatch[] =>
  candidatesIn(region, query).flatMap((candidate) => matchOf(candidate, query) ?? [])

export function candidatesIn({ bytes, from }: LogRegion, query: LogQuery): LogCandidate[] {
  const text = bytes.toString('latin1')
  const found: LogCandidate[] = []
  for (const [begin, end] of placesIn(text, query)) {
    const candidate = candidateOf(bytes.subarray(begin, end), from + begin, query)
    if (candidate) found.push(candidate)
  }
  return found
}

/** Yields each entry; with a text only those that may have it, which is much faster. */
function* placesIn(
  text: string,
  { format: { begins }, needle }: LogQuery,
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

/** Returns the time of the first entry of a region that has one. */
export function timeOf({ bytes }: LogRegion, { format }: LogQuery): number | undefined {
  const head = bytes.subarray(0, 64 << 10).toString('latin1')
  const query = { format, needle: '' } as LogQuery
  for (const [begin, end] of placesIn(head, query)) {
    const { at } = format.parse(head.slice(begin, end).trimEnd())
    if (at !== undefined) return at
  }
  return undefined
}

function candidateOf(bytes: Buffer, from: number, query: LogQuery): LogCandidate | undefined {
  const raw = bytes.subarray(0, MAX_LOG_LINE).toString('utf8').trimEnd()
  if (raw === '') return undefined
  const parsed = query.format.parse(raw)
  return isWanted(parsed, query)
    ? { from, raw, cut: bytes.length > MAX_LOG_LINE, parsed }
    : undefined
}

/** Returns the match; undefined for text in a masked part, which stays secret. */
export function matchOf(
  { from, raw, cut, parsed }: LogCandidate,
  { text }: LogQuery,
): LogMatch | undefined {
  const whole = shown(parsed.whole ?? raw)
  if (text !== '' && !whole.toLowerCase().includes(text)) return undefined
  const { at, level, status } = parsed
  const time = at === undefined || Number.isNaN(at) ? null : new Date(at).toISOString()
  return { from, whole, line: { at: time, level, status, text: shown(parsed.text), cut } }
}

function isWanted({ at, level }: ParsedLine, { least, since, until }: LogQuery): boolean {
  if (LOG_LEVELS.indexOf(level) < least) return false
  const hasTime = at !== undefined && !Number.isNaN(at)
  return !hasTime || (at >= since && at <= until)
}

/** Returns the masked form of a text of a log, which may leave the server. */
const shown = (text: string): string => visible(masked(text)).slice(0, MAX_LOG_TEXT)

const MASK = '[masked]'

/** Matches the end of a secret's name in a parameter, field or header. */
const SECRET =
  '(?:token|secret|passw(?:or)?d|passwd|passphrase|password\\d?|pwd|pass|nonce|signature|api_?key|credentials?|authorization|jwt|otp|session(?:_?id)?|sessid|_key|-key|securetoken)'
/** Matches names that are secret only as a whole. */
const SHORT = '(?:key|code|sig|auth|hash|pw|pin|sid|k|ck|cs|passw|user_pass|activation)'
const NAME = `(?:[\\w.\\-]{0,64}?${SECRET}|${SHORT})`

/** Matches what is between a name and its value in an address, also a nested one. */
const EQUALS = '(?:=|%(?:25)?3D)'
const BEFORE = '(^|[?&;,\\s"\'(/#]|%(?:25)?(?:3F|26|23))'
const INDEX = '(?:(?:\\[|%5B)[\\w-]{0,64}(?:\\]|%5D))?'
const VALUE = '[^\\s&;"\'<>#,)]*?(?=$|[\\s&;"\'<>#,)]|%(?:25)?26)'

const HEADER = '(?:(?:set-)?cookie2?|(?:proxy-)?authorization)'

interface MaskRule {
  find: RegExp
  put: string
}

const rule = (source: string, put: string, flags = 'gi'): MaskRule => ({
  find: new RegExp(source, flags),
  put,
})

/** The rules, each linear in the length of a line, which may be hostile. */
const RULES: readonly MaskRule[] = [
  // Headers: up to the end of their line, or of their quotes.
  rule(`\\b(${HEADER}\\s*:\\s*)(?!\\s*["'])[^\\r\\n]+`, `$1${MASK}`),
  rule(`\\b(${HEADER}["']?\\s*(?:=>|:)\\s*["'])[^\\r\\n"']+`, `$1${MASK}`),
  rule(
    '\\b(x-(?:[\\w-]{0,40}-)?(?:token|key|secret|signature|nonce|auth))(["\']?\\s*:\\s*["\']?)[^\\s"\',;]+',
    `$1$2${MASK}`,
  ),
  rule(
    '\\b(HTTP_COOKIE|HTTP_AUTHORIZATION|PHP_AUTH_PW|PHP_AUTH_DIGEST|HTTP_X_WP_NONCE)(["\'\\]]{0,2}\\s*(?:=>|[:=])\\s*["\']?)[^\\r\\n"\']+',
    `$1$2${MASK}`,
  ),
  rule('\\b(Bearer|Basic|Digest|HCS)\\s+[\\w.~+/=-]{6,}', `$1 ${MASK}`),
  // Cookies of WordPress and PHP without their header.
  rule(
    '\\b(wordpress(?:_sec|_logged_in)?_[0-9a-f]{8,64}|wp-postpass_[0-9a-f]{8,64}|PHPSESSID|wp_woocommerce_session_[0-9a-f]{8,64}|comment_author_email_[0-9a-f]{8,64})=[^;\\s"\']*',
    `$1=${MASK}`,
  ),
  // user:password@ in an address.
  rule('(\\w://[^\\s:/@?#]{0,256}:)[^\\s/@]{1,256}@', `$1${MASK}@`),
  // Parameters of addresses and forms.
  rule(`${BEFORE}(${NAME}${INDEX}${EQUALS})${VALUE}`, `$1$2${MASK}`),
  // Fields of JSON, arrays as PHP prints them, and definitions: 'password' => 'x', [pwd] => x.
  rule(
    `(["'\\[]${NAME}["'\\]]\\s*(?:=>|[:,=])\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?|[^\\s,)}\\]"']+)`,
    `$1${MASK}`,
  ),
  // Assignments with spaces, as in SQL: user_pass = 'x'.
  rule(
    `(\\b${NAME}\`?\\s*(?:=>|=|:)\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?)`,
    `$1${MASK}`,
  ),
  rule(
    '\\b((?:password|passwd|pwd|passphrase|secret|api[ _-]?key)\\s*[:=]\\s*)(?!\\[masked\\])[^\\s,;"\')]+',
    `$1${MASK}`,
  ),
  // Arguments of functions that get passwords, in stack traces.
  rule(
    '((?:mysqli?_(?:real_)?connect|real_connect|PDO->__construct|mysqli->__construct|wpdb->__construct|wp_signon|wp_authenticate\\w{0,40}|wp_set_password|wp_check_password|wp_hash_password|wp_create_user|password_verify|password_hash|ldap_bind|ftp_login|imap_open|crypt)\\()(?!\\))[^\\r\\n)]*',
    `$1${MASK}`,
  ),
  // Secrets that are known by their form.
  rule('\\beyJ[\\w-]{8,}(?:\\.[\\w-]*){0,2}', MASK, 'g'),
  rule('\\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{12,}', MASK, 'g'),
  rule('\\b(?:gh[opsur]_|github_pat_|glpat-|xox[abprs]-|shp(?:at|ss)_)[\\w-]{10,}', MASK, 'g'),
  rule(
    '\\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\\bAIza[\\w-]{30,}|\\bSG\\.[\\w-]{16,}\\.[\\w-]{16,}',
    MASK,
    'g',
  ),
  rule('\\b[cs]k_[0-9a-f]{32,}', MASK, 'g'),
  rule('\\$(?:wp\\$)?(?:P|H|1|5|6|2[abxy]|argon2\\w{1,2})\\$[\\w./$=,+]{8,}', MASK, 'g'),
  rule(
    '(hooks\\.slack\\.com/(?:services|workflows)/|discord(?:app)?\\.com/api/webhooks/|api\\.telegram\\.org/bot)[\\w/:-]+',
    `$1${MASK}`,
  ),
  rule('(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^]*?(?:-----END|$)', `$1${MASK}`, 'g'),
]

/** A cheap test: most lines have none of it. */
const HAS_ANY =
  /[=:$]|%3D|bearer|basic|eyJ|_live_|_test_|gh[opsur]_|xox|AKIA|ASIA|AIza|SG\.|\(|[cs]k_|glpat|github_pat|shp|whsec|=>|\[|slack|BEGIN/i

/** Masks passwords, tokens, cookies and the like, as far as their names or forms show them. */
export function masked(line: string): string {
  if (!HAS_ANY.test(line)) return line
  return RULES.reduce((text, { find, put }) => text.replace(find, put), line)
}

/** Makes control characters and changes of direction visible: they would change other lines. */
export function visible(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (one) => {
      const code = one.codePointAt(0) ?? 0
      return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
    },
  )
}
