/** An expression of a configuration. */
export interface Expression {
  matches(text: string): boolean
  /** Returns the groups by number and name; undefined without a match. */
  captures(text: string): ReadonlyMap<string, string> | undefined
}

/** The maximum number of steps of an attempt: at most a tenth of a second. */
const MAX_STEPS = 1e7
const MAX_SOURCE = 10_000
const TOKEN =
  /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\(\?[:=!]|\(\?<?[=!]|\(|\)|\||\{\d+(?:,\d*)?\}|[*+?]|[\s\S]/g

/**
 * Returns the expression of a PCRE pattern that has the same meaning here; undefined for others.
 * One that could try too many ways to match a text matches nothing: a site may have written it to
 * keep the agent busy.
 */
export function expression(source: string, ignore_case: boolean): Expression | undefined {
  if (source.length > MAX_SOURCE) return undefined
  const named = source.replaceAll('(?P<', '(?<')
  const inline = /^\(\?i\)/.test(named)
  const plain = named.replace(/^\(\?i\)/, '')
  let pattern: RegExp
  try {
    pattern = new RegExp(plain, ignore_case || inline ? 'i' : '')
  } catch {
    return undefined
  }
  const steps = stepsOf(plain)
  const execute = (text: string) => (steps(text.length) > MAX_STEPS ? null : pattern.exec(text))
  return {
    matches: (text) => execute(text) !== null,
    captures: (text) => capturesOf(execute(text)),
  }
}

function capturesOf(found: RegExpExecArray | null): ReadonlyMap<string, string> | undefined {
  if (!found) return undefined
  const numbered = found.map((value, at) => [String(at), value ?? ''] as const)
  const named = Object.entries(found.groups ?? {}).map(
    ([key, value]) => [key, value ?? ''] as const,
  )
  return new Map([...numbered, ...named])
}

interface ExpressionGroup {
  repeats: number
  choices: number
  /** True when something in it can match in several ways. */
  varies: boolean
  /** The ways to match each character, if something that varies is repeated; otherwise 1. */
  base: number
}

const EMPTY: ExpressionGroup = { repeats: 0, choices: 1, varies: false, base: 1 }

/**
 * Returns an upper bound of the ways to match a text of a length. A repetition may end anywhere;
 * one around another multiplies the ways with each character.
 */
function stepsOf(source: string): (length: number) => number {
  const starts = source.startsWith('^') ? 0 : 1
  if (!/[*+?{|]/.test(source)) return (length) => length + 1
  const { repeats, choices, base } = groupOf(source)
  return (length) =>
    base > 1 ? base ** length * choices : (length + 1) ** (repeats + starts) * choices
}

function groupOf(source: string): ExpressionGroup {
  const stack: ExpressionGroup[] = [{ ...EMPTY }]
  let last: ExpressionGroup | undefined
  for (const [token] of source.matchAll(TOKEN)) last = read(stack, token, last)
  const all = { ...EMPTY }
  for (const group of stack) addTo(all, group)
  return all
}

/** Returns the group that ends here, which the next sign may repeat. */
function read(
  stack: ExpressionGroup[],
  token: string,
  last: ExpressionGroup | undefined,
): ExpressionGroup | undefined {
  const group = stack.at(-1) ?? { ...EMPTY }
  if (token.startsWith('(')) stack.push({ ...EMPTY })
  else if (token === '|') {
    group.choices++
    group.varies = true
  } else if (/^(?:[*+?]|\{\d)/.test(token)) repeat(group, last, token)
  else if (token === ')' && stack.length > 1) {
    stack.pop()
    addTo(stack.at(-1), group)
    return group
  }
  return undefined
}

function addTo(outer: ExpressionGroup | undefined, inner: ExpressionGroup): void {
  if (!outer) return
  outer.repeats += inner.repeats
  outer.choices *= inner.choices
  outer.varies ||= inner.varies
  outer.base = Math.max(outer.base, inner.base)
}

/** Applies a repetition; a `?` after it makes it lazy, which changes no bound. */
function repeat(group: ExpressionGroup, repeated: ExpressionGroup | undefined, sign: string): void {
  group.varies = true
  if (sign === '?') {
    group.choices *= 2
    return
  }
  group.repeats++
  if (repeated?.varies)
    group.base = Math.max(2, repeated.choices) * Math.max(group.base, repeated.base)
}
