import { editsInDump, type Literal, textOf } from './literals.ts'
import type { ColumnTally } from './report.ts'
import { rewriteText } from './rewrite-text.ts'
import type { Window } from './window.ts'

/** Text has none of these; a binary format may have lengths and checksums. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for
const CONTROL = /[\0-\x08\x0e-\x1f]/

/** Rewrites one value of a dump, unless its column is skipped, and counts what remains. */
export function rewriteValue(
  window: Window,
  literal: Literal,
  tally: ColumnTally,
  isBinary: boolean,
): void {
  const text = textOf(window.bytes, literal)
  // A dump escapes no character of Base64, so the gate has seen it.
  const mayBeEncoded = literal.kind === 'hex' || window.mayBeEncoded(literal.end)
  if (mayBeEncoded || tally.skip) leaveHosts(text, tally)
  if (tally.skip) return
  const edits = rewriteText(text, tally, isBinary && CONTROL.test(text))
  if (edits.length === 0) return
  tally.column.changed++
  window.replace(editsInDump(window.bytes, literal, edits))
}

function leaveHosts(text: string, tally: ColumnTally): void {
  for (const { is_host, text: host, base64 } of tally.anchors) {
    if (!is_host) continue
    for (const encoded of base64) leaveEach(text, encoded, tally, 'base64')
    if (tally.skip) leaveEach(text, host, tally, 'skipped')
  }
}

function leaveEach(text: string, part: string, tally: ColumnTally, reason: 'skipped' | 'base64') {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    tally.left(reason, text, at)
  }
}
