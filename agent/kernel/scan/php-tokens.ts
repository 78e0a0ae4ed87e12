/**
 * A token of PHP source. `text` of a string is its value, and undefined if PHP would compute it;
 * comments and whitespace are no tokens; `open` stands for HTML up to and including an opening tag.
 */
export interface PhpToken {
  kind: 'open' | 'word' | 'variable' | 'string' | 'number' | 'sign'
  text: string | undefined
}

export const MAX_TOKENS = 100_000

const OPEN = /<\?(?:php(?=\s|$)|=)/gi
const BLANK = /\s+/y
const LINE_COMMENT = /(?:\/\/|#(?!\[))(?:(?!\?>)[^\r\n])*/y
const HEREDOC = /<<<[ \t]*(["']?)([a-z_]\w*)\1\r?\n/iy
const KINDS: readonly [PhpToken['kind'], RegExp][] = [
  ['variable', /\$[\w\u0080-\uffff]+/y],
  ['word', /[\\a-z_\u0080-\uffff][\w\\\u0080-\uffff]*/iy],
  ['number', /\d[\w.]*/y],
]

/**
 * Splits PHP source into tokens without running it, like zend_language_scanner.l as far as reading
 * constants needs it. An unclosed string or comment extends to the end; never throws.
 */
export function phpTokens(source: string): PhpToken[] {
  const tokens: PhpToken[] = []
  let at = afterOpening(source, 0, tokens)
  while (at < source.length && tokens.length < MAX_TOKENS) {
    if (source.startsWith('?>', at)) at = afterOpening(source, at + 2, tokens)
    else at = afterBlank(source, at) ?? afterToken(source, at, tokens)
  }
  return tokens
}

/** Skips HTML after a closing tag, and at the beginning, up to the next opening tag. */
function afterOpening(source: string, from: number, tokens: PhpToken[]): number {
  OPEN.lastIndex = from
  const found = OPEN.exec(source)
  if (!found) return source.length
  tokens.push({ kind: 'open', text: found[0] })
  return OPEN.lastIndex
}

function afterBlank(source: string, at: number): number | undefined {
  if (source.startsWith('/*', at)) {
    const end = source.indexOf('*/', at + 2)
    return end < 0 ? source.length : end + 2
  }
  const found = match(BLANK, source, at) ?? match(LINE_COMMENT, source, at)
  return found === undefined ? undefined : at + found.length
}

/** Adds the token that begins here and returns where it ends. */
function afterToken(source: string, at: number, tokens: PhpToken[]): number {
  const sign = source[at] ?? ''
  if (sign === "'" || sign === '"' || sign === '`') {
    const end = quotedEnd(source, at)
    tokens.push({ kind: 'string', text: stringValue(source.slice(at, end)) })
    return end
  }
  for (const [kind, pattern] of KINDS) {
    const text = match(pattern, source, at)
    if (text === undefined) continue
    tokens.push({ kind, text })
    return at + text.length
  }
  const heredoc = sign === '<' ? heredocAt(source, at) : undefined
  tokens.push(heredoc ? { kind: 'string', text: heredoc.text } : { kind: 'sign', text: sign })
  return heredoc?.end ?? at + 1
}

/**
 * Reads a heredoc up to the closing word on a line of its own, which may be indented (PHP 7.3). It
 * has a value if that word is not indented, and the text in between needs no further parsing.
 */
function heredocAt(
  source: string,
  at: number,
): { end: number; text: string | undefined } | undefined {
  const opening = match(HEREDOC, source, at)
  if (opening === undefined) return undefined
  const start = at + opening.length
  const closing = new RegExp(`^([ \\t]*)${opening.replace(/\W/g, '')}\\b`, 'gm')
  closing.lastIndex = start
  const found = closing.exec(source)
  if (!found) return { end: source.length, text: undefined }
  const text = source.slice(start, Math.max(start, found.index)).replace(/\r?\n$/, '')
  const plain = found[1] === '' && (opening.includes("'") || !/[\\$]/.test(text))
  return { end: closing.lastIndex, text: plain && !text.includes(LOST) ? text : undefined }
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}

/** Returns the end of the string whose opening quote is at `at`; the length if unclosed. */
function quotedEnd(source: string, at: number): number {
  const quote = source[at]
  for (let index = at + 1; index < source.length; index++) {
    if (source[index] === '\\') index++
    else if (source[index] === quote) return index + 1
  }
  return source.length
}

/** The replacement character for invalid UTF-8: a string that contains it is unknown. */
const LOST = '\ufffd'

/** Returns the value of a string literal in PHP source; undefined if PHP would compute it. */
function stringValue(written: string): string | undefined {
  const quote = written[0]
  if (written.length < 2 || written.at(-1) !== quote || written.includes(LOST)) return undefined
  if (quote === "'") return written.slice(1, -1).replace(/\\([\\'])/g, '$1')
  return quote === '"' ? interpreted(written.slice(1, -1)) : undefined
}

const NAMED: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  v: '\v',
  e: '\x1b',
  f: '\f',
  '\\': '\\',
  $: '$',
  '"': '"',
}

const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-f]{1,2})|u\{([0-9a-f]{1,8})\}|([\s\S]))/gi

/** Matches `$name`, `${` and `{$` without a preceding backslash. */
const VARIABLE = /(?<!\\)(?:\\\\)*(?:\$[a-z_{\u0080-\uffff]|\{\$)/i

/** Replaces the escapes of the PHP manual (Strings, double quoted); bytes above 7F are not text. */
function interpreted(inner: string): string | undefined {
  if (inner.includes('$') && VARIABLE.test(inner)) return undefined
  let literal = true
  const text = inner.replace(ESCAPE, (whole, octal, hex, point, letter) => {
    if (letter !== undefined) return NAMED[letter] ?? whole
    const value = octal ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? point, 16)
    literal &&= value <= (point ? 0x10ffff : 0x7f)
    return literal ? String.fromCodePoint(value) : ''
  })
  return literal ? text : undefined
}
