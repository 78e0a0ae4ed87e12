import { DumpRewriter } from '#agent/programs/rewrite/dump.ts'
import { RewriteRequest } from '#agent/programs/rewrite/request.ts'
import { rewriteText, type TextEdit } from '#agent/programs/rewrite/rewrite-text.ts'
import type { AddressAnchor } from '#agent/programs/rewrite/rules.ts'
import { anchorsOf } from '#agent/programs/rewrite/rules.ts'

/** The rules of a domain change, from a short name to a longer one. */
export const RULES = [
  { from: 'https://old.example', to: 'https://brand-new.example' },
  { from: 'http://old.example', to: 'http://brand-new.example' },
  { from: '//old.example', to: '//brand-new.example' },
]

/** Texts have one character for each byte. */
export const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

export interface RewrittenText {
  text: string
  /** The forms of the replacements; `!` marks those in serialised strings. */
  forms: string[]
  left: string[]
}

export function rewrittenText(
  text: string,
  rules: { from: string; to: string }[] = RULES,
  { emails = false, opaque = false } = {},
): RewrittenText {
  const forms: string[] = []
  const left: string[] = []
  const anchors: AddressAnchor[] = anchorsOf(rules)
  const edits = rewriteText(
    text,
    {
      ...{ anchors, emails },
      replaced: (form, isSerialized) => forms.push(isSerialized ? `${form}!` : form),
      left: (reason) => left.push(reason),
    },
    opaque,
  )
  return { text: applied(text, edits), forms, left }
}

function applied(text: string, edits: readonly TextEdit[]): string {
  return edits.toReversed().reduce((whole, { start, end, text: to }) => {
    return whole.slice(0, start) + to + whole.slice(end)
  }, text)
}

/** Rewrites a dump that arrives in chunks of these sizes, again and again. */
export function rewrittenDump(
  dump: string | Uint8Array,
  request: Partial<RewriteRequest> = {},
  sizes: readonly number[] = [65_536],
) {
  const parts: Buffer[] = []
  const parsed = RewriteRequest.parse({ rules: RULES, ...request })
  const rewriter = new DumpRewriter(parsed, (bytes) => parts.push(Buffer.from(bytes)))
  const bytes = typeof dump === 'string' ? Buffer.from(dump) : dump
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    rewriter.push(bytes.subarray(at, at + size))
    at += size
  }
  const report = rewriter.end()
  return { dump: Buffer.concat(parts), report }
}
