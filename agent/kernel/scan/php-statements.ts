import { MAX_TOKENS, type PhpToken } from './php-tokens.ts'

/** Matches keywords of statements that end with their block, if they have one. */
const BLOCKS =
  /^(?:if|elseif|else|for|foreach|while|do|switch|try|catch|finally|function|abstract|final|class|interface|trait|enum|declare|namespace)$/i
/** Matches keywords that continue a statement after its end. */
const CONTINUATION = /^(?:else|elseif|catch|finally)$/i

/**
 * Yields the statements at the outermost level, each without its end: a block and all its branches
 * are one. Code with `endif`, `goto` or the like cannot be split: see `isStructured`.
 */
export function* statements(tokens: readonly PhpToken[]): Generator<readonly PhpToken[]> {
  for (let from = 0; from < tokens.length; ) {
    const end = endOf(tokens, from)
    if (end > from) yield tokens.slice(from, end)
    // Continues past the end, and past an unmatched closing bracket.
    from = end === from || isEnd(tokens[end]) ? end + 1 : end
  }
}

/** Returns whether brackets alone determine which statements always run, and it is complete. */
export function isStructured(tokens: readonly PhpToken[]): boolean {
  const jumps = /^(?:end(?:if|for|foreach|while|switch|declare)|goto|namespace|__halt_compiler)$/i
  if (tokens.length >= MAX_TOKENS) return false
  return !tokens.some(({ kind, text }) => kind === 'word' && jumps.test(text ?? ''))
}

export function isSign(token: PhpToken | undefined, sign: string): boolean {
  return token?.kind === 'sign' && token.text === sign
}

export function isWord(token: PhpToken | undefined, pattern: RegExp): boolean {
  return token?.kind === 'word' && pattern.test(token.text ?? '')
}

function isEnd(token: PhpToken | undefined): boolean {
  return token?.kind === 'open' || isSign(token, ';')
}

function endOf(tokens: readonly PhpToken[], from: number): number {
  const block = isWord(tokens[from], BLOCKS)
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    depth += change(tokens[at])
    if (depth < 0) return at
    if (depth > 0) continue
    const end = endAt(tokens, at, block)
    if (end !== undefined) return end
  }
  return tokens.length
}

function endAt(tokens: readonly PhpToken[], at: number, block: boolean): number | undefined {
  const closed = block && isSign(tokens[at], '}')
  if (!closed && !isEnd(tokens[at])) return undefined
  if (block && isWord(tokens[at + 1], CONTINUATION)) return undefined
  return closed ? at + 1 : at
}

function change(token: PhpToken | undefined): number {
  if (token?.kind !== 'sign') return 0
  if (token.text === '{' || token.text === '(' || token.text === '[') return 1
  return token.text === '}' || token.text === ')' || token.text === ']' ? -1 : 0
}
