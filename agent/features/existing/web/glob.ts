export const isGlob = (path: string) => /[*?[]/.test(path)

/** A star, or a test of one character. */
type GlobToken = 'star' | ((character: string) => boolean)

/**
 * Returns a test of whole paths for a pattern of glob(7): `*`, `?`, `[a-z]`, `[!x]`; none of them
 * matches a slash, or a dot at the beginning of a component. It takes at most the product of both
 * lengths in steps: an expression with many stars could take for ever.
 */
export function globOf(glob: string): (path: string) => boolean {
  const parts = glob
    .split('/')
    .map((part) => ({ tokens: tokensOf(part), dot: /^\\?\./.test(part) }))
  return (path) => {
    const names = path.split('/')
    return (
      names.length === parts.length &&
      parts.every(({ tokens, dot }, at) => {
        const name = names[at] ?? ''
        return (dot || !name.startsWith('.')) && fits(tokens, [...name])
      })
    )
  }
}

function tokensOf(part: string): GlobToken[] {
  return [...part.matchAll(/\*+|\[[!^]?\]?[^\]]*\]|\\[\s\S]|[\s\S]/gu)].map(([token]) => {
    if (token.startsWith('*')) return 'star'
    if (token === '?') return () => true
    if (token.length > 2 && token.startsWith('[')) return classOf(token.slice(1, -1))
    const literal = token.length > 1 && token.startsWith('\\') ? token.slice(1) : token
    return (character) => character === literal
  })
}

/** Parses a class of characters; `[z-a]` matches its characters. */
function classOf(written: string): (character: string) => boolean {
  const negated = /^[!^]/.test(written)
  const inner = negated ? written.slice(1) : written
  const ranges = [...inner.matchAll(/(.)-(.)|./gsu)].map(([all, from = '', to = '']) => ({
    all: [...all],
    from,
    to,
    isRange: from !== '' && from <= to,
  }))
  return (character) => {
    const isIn = ranges.some(({ all, from, to, isRange }) =>
      isRange ? from <= character && character <= to : all.includes(character),
    )
    return isIn !== negated
  }
}

/** Matches by going back to the last star only, which may stand for any text. */
function fits(tokens: readonly GlobToken[], characters: readonly string[]): boolean {
  let token = 0
  let at = 0
  let star = -1
  let resume = 0
  while (at < characters.length) {
    const test = tokens[token]
    if (test === 'star') {
      star = token++
      resume = at
    } else if (test?.(characters[at] ?? '')) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++resume
    } else return false
  }
  return tokens.slice(token).every((rest) => rest === 'star')
}
