import type { ToolRunResult } from '#agent/kernel/host/tool-port.ts'
import { ToolHead } from '#shared/database/database-tool.ts'
import { conflict, tooLarge } from '#shared/kernel/errors.ts'

export interface ToolAnswer {
  head: ToolHead
  content: Uint8Array
}

const CUT =
  'Adminer stopped before the end of its answer, or lost the connection to the database: try again. Export in the dashboard has no limit of size.'
const LINE = /\r?\n/

/** Parses a CGI answer (RFC 3875), of which only these fields are passed on. */
export function answerOf({
  answer,
  is_whole,
}: Pick<ToolRunResult, 'answer' | 'is_whole'>): ToolAnswer {
  if (answer === null)
    throw tooLarge('The page has more than 8 MiB, or took longer than 50 seconds: show fewer rows')
  if (!is_whole) throw conflict(CUT)
  const bytes = Buffer.from(answer, 'base64')
  const end = endOfHead(bytes)
  const fields = new Map(bytes.subarray(0, end.from).toString('latin1').split(LINE).map(fieldOf))
  const location = fields.get('location')
  const disposition = fields.get('content-disposition')
  const status = Number(/^\d{3}/.exec(fields.get('status') ?? '')?.[0] ?? (location ? 302 : 200))
  const head = ToolHead.parse({
    status,
    type: fields.get('content-type') ?? '',
    ...(location !== undefined && { location }),
    ...(disposition !== undefined && { disposition }),
  })
  return { head, content: bytes.subarray(end.to) }
}

/** Encodes the head on one line, and the content. */
export const encodeAnswer = ({ head, content }: ToolAnswer): Uint8Array<ArrayBuffer> =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content])

function endOfHead(bytes: Buffer): { from: number; to: number } {
  const [long, short] = [bytes.indexOf('\r\n\r\n'), bytes.indexOf('\n\n')]
  if (long >= 0 && (short < 0 || long < short)) return { from: long, to: long + 4 }
  if (short >= 0) return { from: short, to: short + 2 }
  throw new Error('PHP returned no answer')
}

function fieldOf(line: string): [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
}
