/** The slashes and colons of an address in a text. */
interface AddressSpelling {
  slash: string
  colon: string
}

/** The encodings that the report counts; `json_twice` is JSON in JSON, or deeper. */
export type EncodingForm = 'plain' | 'json' | 'json_twice' | 'url' | 'html'

const ENTITIES = ['&#47;', '&#047;', '&#x2F;', '&#x2f;', '&sol;']
const MAX_ENTITY = 6

/** Returns the encoded slash that ends before `end`; empty if there is none. */
export function slashBefore(text: string, end: number): string {
  const last = text[end - 1]
  if (last === '/') return text.slice(startOfBackslashes(text, end - 1), end)
  if (last === 'F' || last === 'f') return percentBefore(text, end)
  if (last !== ';') return ''
  const tail = text.slice(Math.max(0, end - MAX_ENTITY), end)
  return ENTITIES.find((entity) => tail.endsWith(entity)) ?? ''
}

/** Returns the encoded slash that starts at `start`; empty if there is none. */
export function slashAfter(text: string, start: number): string {
  SLASH.lastIndex = start
  return SLASH.exec(text)?.[0] ?? ''
}

const SLASH = /\\*\/|%(?:25)*2[Ff]|&#0?47;|&#x2[Ff];|&sol;/y

function startOfBackslashes(text: string, end: number): number {
  let start = end
  while (text[start - 1] === '\\') start--
  return start
}

function percentBefore(text: string, end: number): string {
  if (text[end - 2] !== '2') return ''
  let start = end - 2
  while (text.startsWith('25', start - 2) && start >= 2) start -= 2
  return text[start - 1] === '%' ? text.slice(start - 1, end) : ''
}

/** Returns the colons that occur beside such a slash, the usual one first. */
export function colonsBeside(slash: string): readonly string[] {
  if (slash.startsWith('%')) return [slash.replace(/2([Ff])$/, beside), ':']
  return slash.startsWith('&') ? [':', '&#58;', '&#x3A;', '&#x3a;', '&colon;'] : [':']
}

const beside = (_: string, digit: string) => (digit === 'F' ? '3A' : '3a')

/** Writes a plain address in another spelling. */
export function spell(address: string, { slash, colon }: AddressSpelling): string {
  if (slash === '/' && colon === ':') return address
  return address.replaceAll(':', colon).replaceAll('/', slash)
}

export function formOf(slash: string): EncodingForm {
  if (slash.startsWith('%')) return 'url'
  if (slash.startsWith('&')) return 'html'
  return slash === '/' ? 'plain' : slash === '\\/' ? 'json' : 'json_twice'
}
