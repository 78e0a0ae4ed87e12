/** A pattern of glob(7) for a whole path: `*`, `?`, `[a-z]`, `[!x]`; none of them matches a slash. */
export function globPattern(glob: string): RegExp {
  let source = ''
  for (const [part] of glob.matchAll(/\[[!^]?\]?[^\]/]*\]|\\[\s\S]|[\s\S]/g)) source += partOf(part)
  return new RegExp(`^${source}$`, 's')
}

export const isGlob = (path: string) => /[*?[]/.test(path)

function partOf(part: string): string {
  if (part === '*') return '[^/]*'
  if (part === '?') return '[^/]'
  if (part.length > 2) {
    const inner = part.slice(1, -1).replace(/[\\[\]]/g, '\\$&')
    return /^[!^]/.test(inner) ? `[^/${escapedCaret(inner.slice(1))}]` : `[${escapedCaret(inner)}]`
  }
  return part.replace(/^\\/, '').replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

/** `[z-a]` is an invalid range in expressions: it matches its characters. */
function escapedCaret(inner: string): string {
  const ranges = inner.replace(/(.)-(.)/g, (all, from: string, to: string) =>
    from <= to ? all : `${from}\\-${to}`,
  )
  return ranges.replace(/\^/g, '\\^')
}

/** Matches a component with a leading dot only if the pattern has the dot too. */
export function matchesGlob(glob: string, pattern: RegExp, path: string): boolean {
  if (!pattern.test(path)) return false
  const components = glob.split('/')
  return path
    .split('/')
    .every((part, at) => !part.startsWith('.') || components[at]?.startsWith('.'))
}
