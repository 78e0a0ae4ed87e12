import { characterBefore } from './character-before.ts'
import { type Anchor, type Rule, spellingsOf } from './rules.ts'
import { type Form, slashAfter, slashBefore } from './spellings.ts'

/** The reason why an occurrence of an old host was not changed. */
export type Unmatched = 'email' | 'subdomain' | 'port' | 'other'

export interface Match {
  start: number
  end: number
  to: string
  form: Form
}

/** The replacement of an anchor at a position of the text, by the longest rule that matches. */
export function matchAt(text: string, at: number, anchor: Anchor, emails: boolean) {
  const end = at + anchor.text.length
  const slash = slashBefore(text, at)
  for (const rule of anchor.rules) {
    const found = matchRule(text, at, end, rule, slash)
    if (found && (!rule.bounded || isStart(text, found.start, emails))) return found
  }
  return undefined
}

function matchRule(
  text: string,
  at: number,
  end: number,
  rule: Rule,
  preceding: string,
): Match | undefined {
  const slash = slashOf(text, end, rule, preceding)
  if (slash === '') return undefined
  for (const { before, after, to, form } of spellingsOf(rule, slash)) {
    const start = at - before.length
    if (start < 0 || !text.startsWith(before, start) || !text.startsWith(after, end)) continue
    const stop = end + after.length
    if (endsThere(text, stop, rule.ends)) return { start, end: stop, to, form }
  }
  return undefined
}

/** A bare host has the spelling of the slashes beside it. */
function slashOf(text: string, end: number, { before, after }: Rule, known: string): string {
  if (before.includes('/')) return known
  if (after.includes('/')) return slashAfter(text, end + after.indexOf('/'))
  return known || slashAfter(text, end) || '/'
}

/** Letters, digits, `-` and `_`. */
function isName(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const letter = code | 32
  if ((letter >= 97 && letter <= 122) || (code >= 48 && code <= 57)) return true
  return code === 45 || code === 95
}

/**
 * The end of a longer name may be internationalised: `bücher.example` is not `cher.example`. Only Latin
 * letters share a label with others; a text in other scripts has no spaces around a name.
 */
const ACCENTED = /^[\p{Script=Latin}\p{M}]$/u

const endsName = (before: string) => isName(before, 0) || ACCENTED.test(before)

function isStart(text: string, start: number, emails: boolean): boolean {
  // Deeper escaped than any known spelling.
  if (text[start] === '\\' && text[start - 1] === '\\') return false
  const before = characterBefore(text, start)
  return !endsName(before) && before !== '.' && (emails || before !== '@')
}

function endsThere(text: string, end: number, ends: Rule['ends']): boolean {
  if (ends === 'anywhere') return true
  if (isLongerName(text, end)) return false
  return ends === 'segment' || !isPort(text, end)
}

const isLongerName = (text: string, end: number) =>
  isName(text, end) || (text[end] === '.' && isName(text, end + 1))

const PORT = /(?::|%(?:25)*3[Aa])\d/y

function isPort(text: string, end: number): boolean {
  if (text[end] !== ':' && text[end] !== '%') return false
  PORT.lastIndex = end
  return PORT.test(text)
}

/** The kind of an occurrence that no rule matches; undefined for a part of another name. */
export function classify(text: string, at: number, end: number): Unmatched | undefined {
  const before = characterBefore(text, at)
  if (endsName(before) || isLongerName(text, end)) return undefined
  if (before === '@') return 'email'
  if (before === '.') return 'subdomain'
  return isPort(text, end) ? 'port' : 'other'
}
