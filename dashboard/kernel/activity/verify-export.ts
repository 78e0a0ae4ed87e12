import { z } from 'zod'
import type { RecordProblem } from '#shared/kernel/api/activity-record.ts'
import { ChainCheck, type LinkContent } from './chain.ts'
import { openCheckpoint, parseVerifier, type RecordKey, verifierOf } from './checkpoint.ts'
import { FORGED, TRUNCATED } from './record.ts'

const Place = z.strictObject({ seq: z.number(), id: z.number(), hash: z.string() })
const Head = z.strictObject({
  record: z.literal('hosting-control'),
  start: Place,
  verifier: z.string(),
})
type Head = z.infer<typeof Head>
const LinkLine = z.strictObject({
  seq: z.number(),
  id: z.number(),
  hash: z.string(),
  content: z.looseObject({ id: z.number(), status: z.string() }).nullable(),
})
const Last = z.strictObject({ checkpoint: z.string() })

interface ExportResult {
  problem: RecordProblem | null
  entries: number
  /** The time of the checkpoint; undefined where none was reached. */
  at?: string
  /** The verifier key whose signature was verified. */
  verifier?: string
}

const UNREADABLE: RecordProblem = {
  code: 'unreadable',
  id: null,
  message: 'It is not an export of the activity, or is incomplete',
}
/**
 * Verifies an export: its chain, and the signature of its checkpoint with `key`, or else with the key
 * that the export names, which the reader must compare with the key of the dashboard.
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  key?: RecordKey,
): Promise<ExportResult> {
  let read: { head: Head; check: ChainCheck } | undefined
  for await (const line of lines) {
    const value = parsed(line)
    if (!read) {
      const head = Head.safeParse(value).data
      if (!head) break
      read = { head, check: new ChainCheck(head.start) }
      continue
    }
    const last = Last.safeParse(value).data
    if (last) return ended(last.checkpoint, read, key)
    const problem = problemOf(read.check, value)
    if (problem) return { problem, entries: read.check.entries }
  }
  return { problem: UNREADABLE, entries: read?.check.entries ?? 0 }
}

function problemOf(check: ChainCheck, value: unknown): RecordProblem | undefined {
  const link = LinkLine.safeParse(value).data
  // A content with other fields has another hash.
  return link ? check.add({ ...link, content: link.content as LinkContent | null }) : UNREADABLE
}

function ended(
  note: string,
  { head, check }: { head: Head; check: ChainCheck },
  key: RecordKey | undefined,
): ExportResult {
  const used = key ?? parseVerifier(head.verifier)
  const checkpoint = used && openCheckpoint(used, note)
  const { entries, end } = check
  if (!used || !checkpoint || !Bun.deepEquals(checkpoint.start, head.start))
    return { problem: FORGED, entries }
  if (!Bun.deepEquals(checkpoint.end, end))
    return { problem: { ...TRUNCATED, id: end.id || null }, entries }
  return { problem: null, entries, at: checkpoint.at, verifier: verifierOf(used) }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
