import { type PhpToken, phpTokens } from './php-tokens.ts'

type Literal = string | number | boolean

/** What a wp-config.php says in so many words. What it computes is not in it. */
export interface WpConfig {
  constants: ReadonlyMap<string, Literal>
  table_prefix: string | undefined
}

interface Found {
  value: Literal | undefined
  /** PHP comes by here whatever happens: not in a block, not behind a condition. */
  always: boolean
}

interface Scan {
  tokens: readonly PhpToken[]
  depth: number
  /** `if (…): … endif;` has no braces to count. */
  wary: boolean
}

/**
 * Reads constants and `$table_prefix` out of a wp-config.php without running it: `define('X', …)`
 * in either kind of quotes, `const X = …`, comments skipped. A constant keeps its first value, a
 * variable its last (PHP manual, define); where a condition decides between two, there is none.
 */
export function parseWpConfig(source: string): WpConfig {
  const tokens = phpTokens(source)
  const wary = tokens.some(
    ({ kind, text }) => kind === 'word' && /^end(if|switch)$/i.test(text ?? ''),
  )
  const scan: Scan = { tokens, depth: 0, wary }
  const constants = new Map<string, Found[]>()
  const prefixes: Found[] = []
  for (let at = 0; at < tokens.length; at++) {
    scan.depth += depthChange(tokens[at])
    const definition = definitionAt(scan, at)
    if (definition) remember(constants, definition)
    if (isSign(tokens[at + 1], '=') && isText(tokens[at], 'variable', '$table_prefix')) {
      prefixes.push({ value: literal(tokens.slice(at + 2, at + 5)), always: isAlways(scan, at) })
    }
  }
  const prefix = decided(prefixes.reverse())
  return {
    constants: new Map([...constants].flatMap(([name, found]) => entry(name, decided(found)))),
    table_prefix: typeof prefix === 'string' ? prefix : undefined,
  }
}

function definitionAt(scan: Scan, at: number): [string, Found] | undefined {
  const { tokens } = scan
  const always = isAlways(scan, at)
  const [word, first, second, third] = tokens.slice(at, at + 4)
  if (isText(word, 'word', 'const') && first?.kind === 'word' && isSign(second, '=')) {
    return [first.text ?? '', { value: literal(tokens.slice(at + 3, at + 6)), always }]
  }
  if (!isText(word, 'word', 'define') && !isText(word, 'word', '\\define')) return undefined
  if (!isSign(first, '(') || second?.kind !== 'string' || !isSign(third, ',')) return undefined
  if (second.text === undefined || isMember(tokens[at - 1])) return undefined
  return [second.text, { value: literal(tokens.slice(at + 4, at + 7)), always }]
}

/** One token, and then the end of the expression: anything longer is computed. */
function literal(tokens: readonly PhpToken[]): Literal | undefined {
  const [value, end] = tokens
  if (end?.kind !== 'sign' || ![';', ',', ')'].includes(end.text ?? '')) return undefined
  if (value?.kind === 'string') return value.text
  if (value?.kind === 'number')
    return /^\d+$/.test(value.text ?? '') ? Number(value.text) : undefined
  const word = value?.kind === 'word' ? value.text?.toLowerCase() : undefined
  return word === 'true' || word === 'false' ? word === 'true' : undefined
}

function decided(found: readonly Found[]): Literal | undefined {
  const [first] = found
  if (!first) return undefined
  return first.always || found.every(({ value }) => value === first.value) ? first.value : undefined
}

/** A statement at the beginning of a line of its own, outside every block. */
function isAlways({ tokens, depth, wary }: Scan, at: number): boolean {
  const before = tokens[at - 1]
  const starts = before === undefined || before.kind === 'open'
  return !wary && depth === 0 && (starts || isSign(before, ';') || isSign(before, '}'))
}

function depthChange(token: PhpToken | undefined): number {
  if (isSign(token, '{')) return 1
  return isSign(token, '}') ? -1 : 0
}

function isMember(before: PhpToken | undefined): boolean {
  return isSign(before, '>') || isSign(before, ':') || isText(before, 'word', 'function')
}

function isSign(token: PhpToken | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.text === sign
}

function isText(token: PhpToken | undefined, kind: PhpToken['kind'], text: string): boolean {
  if (token?.kind !== kind) return false
  return kind === 'word' ? token.text?.toLowerCase() === text : token.text === text
}

function remember(constants: Map<string, Found[]>, [name, found]: [string, Found]): void {
  const before = constants.get(name)
  if (before) before.push(found)
  else constants.set(name, [found])
}

function entry(name: string, value: Literal | undefined): [string, Literal][] {
  return value === undefined ? [] : [[name, value]]
}
