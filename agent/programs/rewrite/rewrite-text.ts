import { Buffer } from 'node:buffer'
import { type AddressAnchor, type AnchorRule, spellingsOf } from './rules.ts'
import { type SerializedToken, SerializedTokens } from './serialized.ts'
import { type EncodingForm, slashAfter, slashBefore } from './spellings.ts'

/** A replaced range of a text; edits of one text are sorted and do not overlap. */
export interface TextEdit {
  start: number
  end: number
  text: string
}

/** Why a match stays: `damaged` is a string of a wrong length, `opaque` a PHP class's format. */
export type UnchangedReason = UnmatchedReason | 'damaged' | 'opaque' | 'nested'

/** The rules of the replacement, and the counter. */
export interface RewriteContext {
  anchors: readonly AddressAnchor[]
  emails: boolean
  replaced(form: EncodingForm, isSerialized: boolean): void
  left(reason: UnchangedReason, text: string, at: number): void
}

const MAX_LEVELS = 32

/**
 * Returns the edits of a value, a string with one character for each byte. Serialised strings get
 * their new lengths, at any depth and in JSON, URL-encoded or HTML text; no value of PHP is
 * constructed. In an opaque value only those are replaced.
 */
export function rewriteText(text: string, rewrite: RewriteContext, opaque = false): TextEdit[] {
  return editsIn(text, rewrite, { level: 0, opaque })
}

interface NestingContext {
  level: number
  /** True in the data of an object with a format of its own, where only strings are known. */
  opaque: boolean
}

function editsIn(text: string, rewrite: RewriteContext, inside: NestingContext): TextEdit[] {
  const edits: TextEdit[] = []
  const tokens = new SerializedTokens(text)
  const occurrences = new AnchorOccurrences(text, rewrite.anchors)
  let done = 0
  for (let found = occurrences.next(0); found; found = occurrences.next(done)) {
    const token = tokens.around(found.at)
    if (token?.is_valid) {
      edits.push(...editsOf(token, text, rewrite, inside))
      done = token.end
      continue
    }
    const match = matchAt(text, found.at, found.anchor, rewrite.emails)
    done = match?.end ?? found.at + found.anchor.text.length
    const reason = match ? obstacle(match, token, inside) : unmatched(text, found)
    if (reason) rewrite.left(reason, text, found.at)
    else if (match) {
      edits.push({ start: match.start, end: match.end, text: match.to })
      rewrite.replaced(match.form, inside.level > 0)
    }
  }
  return edits
}

/** Returns the obstacle to a replacement; none for the same length, even if it is wrong. */
function obstacle(
  match: AnchorMatch,
  token: SerializedToken | undefined,
  { opaque }: NestingContext,
) {
  if (match.to.length === match.end - match.start) return undefined
  if (token) return 'damaged'
  return opaque ? 'opaque' : undefined
}

function unmatched(text: string, { at, anchor }: AnchorOccurrence): UnmatchedReason | undefined {
  return anchor.is_host ? classify(text, at, at + anchor.text.length) : undefined
}

/** Returns the edits inside a serialised string, and that of its length. */
function editsOf(
  token: SerializedToken,
  text: string,
  rewrite: RewriteContext,
  { level }: NestingContext,
): TextEdit[] {
  const { content, escaping, digits } = token
  if (level === MAX_LEVELS) {
    rewrite.left('nested', text, token.placeOf(0))
    return []
  }
  const inner = editsIn(content, rewrite, { level: level + 1, opaque: token.kind === 'C' })
  if (inner.length === 0) return []
  const outer = inner.map((edit) => {
    const [start, end] = [token.placeOf(edit.start), token.placeOf(edit.end)]
    return { start, end, text: escaping.encode(edit.text, slashIn(text, start, end)) }
  })
  const growth = inner.reduce((sum, { start, end, text: to }) => sum + to.length - end + start, 0)
  if (growth === 0) return outer
  return [{ start: digits[0], end: digits[1], text: `${token.length + growth}` }, ...outer]
}

function slashIn(text: string, start: number, end: number): string {
  for (let at = start; at < end; at++) {
    const slash = slashAfter(text, at)
    if (slash !== '') return slash
  }
  return '/'
}

interface AnchorOccurrence {
  at: number
  anchor: AddressAnchor
}

/** Finds the positions of all anchors from left to right, the longer one first. */
class AnchorOccurrences {
  readonly #text: string
  readonly #next: AnchorOccurrence[]

  constructor(text: string, anchors: readonly AddressAnchor[]) {
    this.#text = text
    this.#next = anchors.map((anchor) => ({ anchor, at: -1 }))
  }

  next(from: number): AnchorOccurrence | undefined {
    let first: AnchorOccurrence | undefined
    for (const found of this.#next) {
      if (found.at < from) found.at = this.#indexOf(found.anchor.text, from)
      if (found.at !== NOWHERE && (!first || found.at < first.at)) first = found
    }
    return first && { at: first.at, anchor: first.anchor }
  }

  #indexOf(anchor: string, from: number): number {
    const at = this.#text.indexOf(anchor, from)
    return at < 0 ? NOWHERE : at
  }
}

const NOWHERE = Number.POSITIVE_INFINITY

/** The reason why an occurrence of an old host was not changed. */
type UnmatchedReason = 'email' | 'subdomain' | 'port' | 'other'

interface AnchorMatch {
  start: number
  end: number
  to: string
  form: EncodingForm
}

/** Returns the replacement of an anchor at a position of the text by the longest matching rule. */
function matchAt(text: string, at: number, anchor: AddressAnchor, emails: boolean) {
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
  rule: AnchorRule,
  preceding: string,
): AnchorMatch | undefined {
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

/** Returns the slash of a bare host: the spelling of the slashes beside it. */
function slashOf(text: string, end: number, { before, after }: AnchorRule, known: string): string {
  if (before.includes('/')) return known
  if (after.includes('/')) return slashAfter(text, end + after.indexOf('/'))
  return known || slashAfter(text, end) || '/'
}

/** Returns whether a character is a letter, a digit, `-` or `_`. */
function isName(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const letter = code | 32
  if ((letter >= 97 && letter <= 122) || (code >= 48 && code <= 57)) return true
  return code === 45 || code === 95
}

/**
 * Matches the end of a longer internationalised name: `bücher.example` is not `cher.example`. Only
 * Latin letters share a label with others; a text in other scripts has no spaces around a name.
 */
const ACCENTED = /^[\p{Script=Latin}\p{M}]$/u

const endsName = (before: string) => isName(before, 0) || ACCENTED.test(before)

function isStart(text: string, start: number, emails: boolean): boolean {
  // More deeply escaped than any known spelling.
  if (text[start] === '\\' && text[start - 1] === '\\') return false
  const before = characterBefore(text, start)
  return !endsName(before) && before !== '.' && (emails || before !== '@')
}

function endsThere(text: string, end: number, ends: AnchorRule['ends']): boolean {
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

/** Returns the kind of an occurrence that no rule matches; undefined for a part of another name. */
function classify(text: string, at: number, end: number): UnmatchedReason | undefined {
  const before = characterBefore(text, at)
  if (endsName(before) || isLongerName(text, end)) return undefined
  if (before === '@') return 'email'
  if (before === '.') return 'subdomain'
  return isPort(text, end) ? 'port' : 'other'
}

const MAX_CHARACTER_BYTES = 40

const CONTROL = /\\[abfnrtv0]$/
const UNIT = /\\u([0-9A-Fa-f]{4})$/
const ENTITY = /&#0*(\d{1,7});$/
const BYTES = /(?:%(?:25)*[0-9A-Fa-f]{2})+$/

/**
 * Returns the character that ends before `end`, decoded, in a text with one character for each
 * byte: `%40`, `\u0022`, `\n` and `&#64;` are no names, but `%C3%BC` is one.
 */
function characterBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - MAX_CHARACTER_BYTES), end)
  if (CONTROL.test(before)) return '\n'
  const [, unit] = UNIT.exec(before) ?? []
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16))
  const [, decimal] = ENTITY.exec(before) ?? []
  if (decimal !== undefined) return fromCodePoint(Number(decimal))
  const [encoded] = BYTES.exec(before) ?? []
  if (encoded === undefined) return lastOf(Buffer.from(before.slice(-4), 'latin1'))
  return lastOf(Buffer.from(encoded.replace(/%(?:25)*/g, ''), 'hex'))
}

const fromCodePoint = (code: number): string => (code > 0x10ffff ? '' : String.fromCodePoint(code))

/** Returns the last character of UTF-8; empty for no bytes. */
function lastOf(bytes: Buffer): string {
  let start = bytes.length - 1
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  return bytes.toString('utf8', Math.max(0, start))
}
