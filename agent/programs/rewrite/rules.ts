import { Buffer } from 'node:buffer'
import type { RewriteRequest } from './request.ts'
import { colonsBeside, type EncodingForm, formOf, spell } from './spellings.ts'

/** A rule around its anchor, the part that every spelling of the address contains unchanged. */
export interface AnchorRule {
  before: string
  after: string
  to: string
  /** True for a bare host, which matches only where no other name or mailbox ends before it. */
  bounded: boolean
  /** What must not follow: more of a host and its port, more of a path segment, or nothing. */
  ends: 'host' | 'segment' | 'anywhere'
  /** The spellings by slash; each is made once. */
  spellings: Map<string, readonly RuleSpelling[]>
}

interface RuleSpelling {
  before: string
  after: string
  to: string
  form: EncodingForm
}

export interface AddressAnchor {
  text: string
  /** The characters that it always has in Base64. */
  base64: readonly string[]
  /** False for a segment of a path, which alone is no address and is not reported. */
  is_host: boolean
  /** The rules, the longest first. */
  rules: AnchorRule[]
}

/** Returns the rules by anchor, longest anchor first. */
export function anchorsOf(rules: RewriteRequest['rules']): AddressAnchor[] {
  const anchors = new Map<string, AddressAnchor>()
  for (const { from, to } of rules.toSorted((one, other) => other.from.length - one.from.length)) {
    const { texts, is_host, rule } = anchored(from, to)
    for (const text of texts) {
      const anchor = anchors.get(text) ?? { text, base64: base64Of(text), is_host, rules: [] }
      anchor.is_host ||= is_host
      anchor.rules.push(rule)
      anchors.set(text, anchor)
    }
  }
  return [...anchors.values()].sort((one, other) => other.text.length - one.text.length)
}

function anchored(from: string, to: string) {
  const start = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.exec(from)?.[0].length ?? 0
  const is_host = start > 0 || !from.startsWith('/')
  const text = is_host ? (/^[^:/]+/.exec(from.slice(start))?.[0] ?? '') : longestSegment(from)
  if (text === '') throw new Error(`${from} has no host`)
  const at = is_host ? start : from.indexOf(text)
  const [before, after] = [from.slice(0, at), from.slice(at + text.length)]
  const bounded = start === 0
  const ends = endOf(from, is_host && !after.includes('/'))
  const texts = is_host ? writtenHosts(text) : [text]
  return { texts, is_host, rule: { before, after, to, bounded, ends, spellings: new Map() } }
}

function endOf(from: string, isHost: boolean): AnchorRule['ends'] {
  if (from.endsWith('/')) return 'anywhere'
  return isHost ? 'host' : 'segment'
}

function longestSegment(path: string): string {
  const segments = path.split(/[/:]/)
  return segments.reduce((one, other) => (other.length > one.length ? other : one), '')
}

/** Returns the spellings of a rule with this slash, with the usual colon first. */
export function spellingsOf(rule: AnchorRule, slash: string): readonly RuleSpelling[] {
  const known = rule.spellings.get(slash)
  if (known) return known
  const spelled = colonsBeside(slash).map((colon) => ({
    before: spell(rule.before, { slash, colon }),
    after: spell(rule.after, { slash, colon }),
    to: spell(rule.to, { slash, colon }),
    form: formOf(slash),
  }))
  // Hostile text may have any number of backslashes.
  if (rule.spellings.size < 100) rule.spellings.set(slash, spelled)
  return spelled
}

/** The minimum length: shorter texts would be found by chance. */
const MIN_LENGTH = 6

/** Returns the characters of Base64 that a text always has, for each of its three alignments. */
function base64Of(text: string): string[] {
  return [0, 1, 2]
    .map((offset) => {
      const encoded = Buffer.from('\0'.repeat(offset) + text, 'latin1').toString('base64')
      const isWhole = (offset + text.length) % 3 === 0
      const known = encoded.replace(/=+$/, '')
      return known.slice(offset && offset + 1, isWhole ? undefined : -1)
    })
    .filter((known) => known.length >= MIN_LENGTH)
}

/** The backslashes of JSON, of JSON in JSON, and once more. */
const BACKSLASHES = ['\\', '\\\\', '\\\\\\\\']
const PERCENTS = ['%', '%25']

/** Returns the spellings of a host: UTF-8, with the escapes of JSON, and URL-encoded. */
export function writtenHosts(host: string): string[] {
  if (/^[\x20-\x7e]*$/.test(host)) return [host]
  const written = (spelled: (character: string) => string) =>
    [...host].map((one) => (one > '~' ? spelled(one) : one)).join('')
  const cases = [(text: string) => text, (text: string) => text.toUpperCase()]
  const json = BACKSLASHES.flatMap((backslashes) =>
    cases.map((cased) =>
      written((one) =>
        unitsOf(one)
          .map((unit) => `${backslashes}u${cased(unit)}`)
          .join(''),
      ),
    ),
  )
  const url = PERCENTS.flatMap((percent) =>
    cases.map((cased) =>
      written((one) =>
        bytesOf(one)
          .map((byte) => `${percent}${cased(byte)}`)
          .join(''),
      ),
    ),
  )
  const utf8 = Buffer.from(host, 'utf8').toString('latin1')
  return [...new Set([utf8, ...json, ...url])]
}

const unitsOf = (character: string): string[] =>
  character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))

const bytesOf = (character: string): string[] =>
  [...Buffer.from(character, 'utf8')].map((byte) => byte.toString(16).padStart(2, '0'))
