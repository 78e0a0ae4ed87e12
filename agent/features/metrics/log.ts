import type { Host } from '#agent/kernel/host/ports.ts'
import type { SiteCounts } from './counts.ts'
import type { LineReader } from './line.ts'

/** How far a log was read. `head`: its first bytes, which are others after a rotation. */
export interface Place {
  head: string
  offset: number
}

const CHUNK = 1 << 20
const HEAD = 80
/** In one round; the rest of a faster log follows in the next one. */
const MAX_CHUNKS = 16
/** Older lines are left out: the numbers must not lag for hours. */
const MAX_BEHIND = 64 << 20
/** A longer log that was never read is counted from its end. */
const MAX_FIRST = CHUNK

interface Into {
  reader: LineReader
  counts: SiteCounts
  /** Seconds since 1970. */
  now: number
}

/**
 * Counts the new lines of an access log. logrotate(8) copies and truncates it: then it is read from its
 * beginning, and nothing is counted twice.
 */
export async function readLog(
  { files }: Pick<Host, 'files'>,
  path: string,
  before: Place | undefined,
  into: Into,
): Promise<Place> {
  const size = (await files.stat(path))?.size ?? 0
  if (size === 0) return { head: '', offset: 0 }
  if (size === before?.offset) return before
  const head = latin((await files.part(path, 0, HEAD)) ?? new Uint8Array())
  let offset = startOf(before, head, size)
  for (let turn = 0; turn < MAX_CHUNKS && offset < size; turn++) {
    const bytes = await files.part(path, offset, Math.min(CHUNK, size - offset))
    const read = countLines(bytes ?? new Uint8Array(), into)
    if (read === 0) break
    offset += read
  }
  return { head, offset }
}

/** Returns the number of bytes that are complete: whole lines, or a part without a line end. */
function countLines(bytes: Uint8Array, { reader, counts, now }: Into): number {
  const end = bytes.lastIndexOf(10) + 1
  for (const line of latin(bytes.subarray(0, end)).split('\n')) {
    const request = line === '' ? undefined : reader.read(line)
    if (request) counts.request(request, now)
  }
  return end === 0 && bytes.length === CHUNK ? CHUNK : end
}

function startOf(before: Place | undefined, head: string, size: number): number {
  if (!before) return size > MAX_FIRST ? size : 0
  const isSame = before.offset <= size && head.startsWith(before.head)
  const offset = isSame ? before.offset : 0
  return size - offset > MAX_BEHIND ? size - MAX_BEHIND : offset
}

const decoder = new TextDecoder('latin1')
const latin = (bytes: Uint8Array) => decoder.decode(bytes)
