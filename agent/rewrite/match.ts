import type { Anchor, Rule } from './rules.ts'
import { spelledRule } from './rules.ts'
import { colonsBeside, type Form, formOf, slashAfter, slashBefore } from './spellings.ts'

/** Why an occurrence of an old host was not changed. */
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
  const slash = { before: slashBefore(text, at), after: slashAfter(text, end) }
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
  near: { before: string; after: string },
): Match | undefined {
  const slash = slashOf(rule, near) || slashAfter(text, end + rule.after.indexOf('/'))
  if (slash === '') return undefined
  for (const colon of colonsBeside(slash)) {
    const { before, after, to } = spelledRule(rule, { slash, colon })
    const start = at - before.length
    if (start < 0 || !text.startsWith(before, start) || !text.startsWith(after, end)) continue
    const stop = end + after.length
    if (endsThere(text, stop, rule.ends))
      return { start, end: stop, to, form: formOf({ slash, colon }) }
  }
  return undefined
}

/** A bare host has the spelling of the slashes beside it. */
function slashOf({ before, after }: Rule, near: { before: string; after: string }): string {
  if (before.includes('/')) return near.before
  if (after.includes('/')) return near.after
  return near.before || near.after || '/'
}

const isName = (character: string | undefined) =>
  character !== undefined && /[A-Za-z0-9_-]/.test(character)

function isStart(text: string, start: number, emails: boolean): boolean {
  const before = characterBefore(text, start)
  return !isName(before) && before !== '.' && (emails || before !== '@')
}

function endsThere(text: string, end: number, ends: Rule['ends']): boolean {
  if (ends === 'anywhere') return true
  if (isLongerName(text, end)) return false
  return ends === 'segment' || !isPort(text, end)
}

const isLongerName = (text: string, end: number) =>
  isName(text[end]) || (text[end] === '.' && isName(text[end + 1]))

const PORT = /(?::|%(?:25)*3[Aa])\d/y

function isPort(text: string, end: number): boolean {
  PORT.lastIndex = end
  return PORT.test(text)
}

const ENCODED =
  /(?:%(?:25)*(?<hex>[0-9A-Fa-f]{2})|\\u00(?<unicode>[0-9A-Fa-f]{2})|\\(?<control>[abfnrtv0])|&#0*(?<decimal>\d{1,3});)$/

/** The character that ends before `end`, decoded: `%40`, `\u0022`, `\n` and `&#64;` are no names. */
function characterBefore(text: string, end: number): string | undefined {
  const { hex, unicode, control, decimal } =
    ENCODED.exec(text.slice(Math.max(0, end - 12), end))?.groups ?? {}
  if (control !== undefined) return '\n'
  const digits = hex ?? unicode
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16))
  return decimal === undefined ? text[end - 1] : String.fromCharCode(Number(decimal))
}

/** What an occurrence that no rule matches is; undefined for a part of another name. */
export function classify(text: string, at: number, end: number): Unmatched | undefined {
  const before = characterBefore(text, at)
  if (isName(before) || isLongerName(text, end)) return undefined
  if (before === '@') return 'email'
  if (before === '.') return 'subdomain'
  return isPort(text, end) ? 'port' : 'other'
}
