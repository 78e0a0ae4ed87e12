import { classify, type Match, matchAt, type Unmatched } from './match.ts'
import type { Anchor } from './rules.ts'
import { type Token, Tokens } from './serialized.ts'
import { type Form, slashAfter } from './spellings.ts'

/** A replaced range of a text; edits of one text are sorted and do not overlap. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** `damaged`: in a serialised string whose length is wrong. `opaque`: in a format of a PHP class. */
export type Unchanged = Unmatched | 'damaged' | 'opaque' | 'nested'

/** The rules of the replacement, and the counter. */
export interface Rewrite {
  anchors: readonly Anchor[]
  emails: boolean
  replaced(form: Form, isSerialized: boolean): void
  left(reason: Unchanged, text: string, at: number): void
}

const MAX_LEVELS = 32

/**
 * The edits of a value, a string with one character for each byte. Serialised strings get their new
 * lengths, at any depth and in JSON, URL-encoded or HTML text; no value of PHP is constructed. In an opaque value only
 * those are replaced.
 */
export function rewriteText(text: string, rewrite: Rewrite, opaque = false): Edit[] {
  return rewritten(text, rewrite, { level: 0, opaque })
}

interface Inside {
  level: number
  /** In the data of an object with a format of its own only serialised strings are known. */
  opaque: boolean
}

function rewritten(text: string, rewrite: Rewrite, inside: Inside): Edit[] {
  const edits: Edit[] = []
  const tokens = new Tokens(text)
  const occurrences = new Occurrences(text, rewrite.anchors)
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

/** A replacement of the same length cannot make a wrong length worse. */
function obstacle(match: Match, token: Token | undefined, { opaque }: Inside) {
  if (match.to.length === match.end - match.start) return undefined
  if (token) return 'damaged'
  return opaque ? 'opaque' : undefined
}

function unmatched(text: string, { at, anchor }: Found): Unmatched | undefined {
  return anchor.is_host ? classify(text, at, at + anchor.text.length) : undefined
}

/** The edits inside a serialised string, and that of its length. */
function editsOf(token: Token, text: string, rewrite: Rewrite, { level }: Inside): Edit[] {
  const { content, escaping, digits } = token
  if (level === MAX_LEVELS) {
    rewrite.left('nested', text, token.placeOf(0))
    return []
  }
  const inner = rewritten(content, rewrite, { level: level + 1, opaque: token.kind === 'C' })
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

interface Found {
  at: number
  anchor: Anchor
}

/** The positions of all anchors from left to right, the longer one first. */
class Occurrences {
  readonly #text: string
  readonly #next: Found[]

  constructor(text: string, anchors: readonly Anchor[]) {
    this.#text = text
    this.#next = anchors.map((anchor) => ({ anchor, at: -1 }))
  }

  next(from: number): Found | undefined {
    let first: Found | undefined
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
