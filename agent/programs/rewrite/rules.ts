import { base64Of } from './base64.ts'
import type { RewriteRequest } from './request.ts'
import { colonsBeside, type Form, formOf, spell } from './spellings.ts'
import { writtenHosts } from './written-hosts.ts'

/** A rule around its anchor, a part that every spelling of the address contains unchanged. */
export interface Rule {
  before: string
  after: string
  to: string
  /** A bare host matches only where no other name or mailbox ends before it. */
  bounded: boolean
  /** What must not follow: more of a host and its port, more of a path segment, or nothing. */
  ends: 'host' | 'segment' | 'anywhere'
  /** Its spellings by slash; each is made once. */
  spellings: Map<string, readonly Spelled[]>
}

interface Spelled {
  before: string
  after: string
  to: string
  form: Form
}

export interface Anchor {
  text: string
  /** The characters that it always has in Base64. */
  base64: readonly string[]
  /** False for a segment of a path: it alone is no address, and is not reported. */
  is_host: boolean
  /** The longest first. */
  rules: Rule[]
}

/** The rules by anchor, longest anchor first. */
export function anchorsOf(rules: RewriteRequest['rules']): Anchor[] {
  const anchors = new Map<string, Anchor>()
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

function endOf(from: string, isHost: boolean): Rule['ends'] {
  if (from.endsWith('/')) return 'anywhere'
  return isHost ? 'host' : 'segment'
}

function longestSegment(path: string): string {
  const segments = path.split(/[/:]/)
  return segments.reduce((one, other) => (other.length > one.length ? other : one), '')
}

/** The spellings of a rule with this slash, with the usual colon first. */
export function spellingsOf(rule: Rule, slash: string): readonly Spelled[] {
  const known = rule.spellings.get(slash)
  if (known) return known
  const spelled = colonsBeside(slash).map((colon) => ({
    before: spell(rule.before, { slash, colon }),
    after: spell(rule.after, { slash, colon }),
    to: spell(rule.to, { slash, colon }),
    form: formOf(slash),
  }))
  // Hostile text has any number of backslashes.
  if (rule.spellings.size < 100) rule.spellings.set(slash, spelled)
  return spelled
}
