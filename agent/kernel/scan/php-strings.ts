/** The end of the string whose opening quote is at `at`; the source's length if it is unclosed. */
export function quotedEnd(source: string, at: number): number {
  const quote = source[at]
  for (let index = at + 1; index < source.length; index++) {
    if (source[index] === '\\') index++
    else if (source[index] === quote) return index + 1
  }
  return source.length
}

/** The replacement character for invalid UTF-8: a string that contains it is unknown. */
export const LOST = '\ufffd'

/** The value of a string literal in PHP source; undefined if PHP would compute it. */
export function stringValue(written: string): string | undefined {
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

/** `$name`, `${` and `{$` without a preceding backslash. */
const VARIABLE = /(?<!\\)(?:\\\\)*(?:\$[a-z_{\u0080-\uffff]|\{\$)/i

/** Escapes of the PHP manual (Strings, double quoted); single bytes above 7F are not text. */
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
