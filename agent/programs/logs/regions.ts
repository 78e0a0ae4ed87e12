import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { MAX_LOG_LINE } from '#shared/logs/site-logs.ts'
import type { LogFile } from './files.ts'
import { readAt } from './files.ts'

/** Some whole entries of a log, and their offset in its text. */
export interface LogRegion {
  bytes: Buffer
  from: number
}

const CHUNK = 1 << 20
/** The kept part of a longer entry: enough to detect its length. */
const MAX_KEPT = MAX_LOG_LINE + 1
const NOTHING = Buffer.alloc(0)

/** Returns the offset of the first, or the last, entry that begins after the start; -1 for none. */
type FindEntry = (bytes: Buffer) => number

/** Returns the start of an entry: of each line, or of the lines that match the expression. */
export function firstBegin(bytes: Buffer, begins: RegExp | undefined): number {
  if (!begins) return bytes.indexOf(10) + 1 || -1
  begins.lastIndex = 0
  const found = begins.exec(bytes.toString('latin1'))
  return found ? found.index + 1 : -1
}

function lastBegin(bytes: Buffer, begins: RegExp | undefined): number {
  if (!begins) return bytes.lastIndexOf(10) + 1 || -1
  let last = -1
  for (const { index } of bytes.toString('latin1').matchAll(begins)) last = index + 1
  return last
}

/** Yields regions from an offset of an uncompressed file to its beginning. */
export function* backwards(
  file: LogFile,
  end: number,
  begins: RegExp | undefined,
): Generator<LogRegion> {
  const find: FindEntry = (bytes) => firstBegin(bytes, begins)
  let carried: Buffer = NOTHING
  for (let to = end; to > 0; ) {
    const from = Math.max(0, to - CHUNK)
    const read = readAt(file, from, to - from)
    const joined = carried.length > 0 ? Buffer.concat([read, carried]) : read
    const begin = from === 0 ? 0 : find(joined)
    // Only the first bytes of an entry without a beginning in this part are of use.
    carried = copyOf(begin < 0 ? joined : joined.subarray(0, begin))
    if (begin >= 0) yield { bytes: joined.subarray(begin), from: from + begin }
    to = from
  }
}

const copyOf = (bytes: Buffer) => Buffer.from(bytes.subarray(0, MAX_KEPT))

/** Yields regions of a compressed file from its beginning. Throws for one that is damaged. */
export async function* unzippedRegions(
  file: LogFile,
  begins: RegExp | undefined,
): AsyncGenerator<LogRegion> {
  const source = Readable.from(chunksOf(file))
  const unzip = createGunzip({ chunkSize: CHUNK })
  source.on('error', (error) => unzip.destroy(error))
  source.pipe(unzip)
  const parts = new RegionCutter(begins)
  try {
    for await (const chunk of unzip) {
      yield* parts.add(chunk)
    }
    const rest = parts.rest()
    if (rest) yield rest
  } finally {
    source.destroy()
    unzip.destroy()
  }
}

function* chunksOf(file: LogFile): Generator<Buffer> {
  for (let at = 0; ; at += CHUNK) {
    const chunk = readAt(file, at, CHUNK)
    if (chunk.length > 0) yield chunk
    if (chunk.length < CHUNK) return
  }
}

/** Cuts a stream at the beginnings of entries. */
class RegionCutter {
  readonly #begins: RegExp | undefined
  #carried: Buffer = NOTHING
  /** The offset of the carried bytes, and the number of dropped ones. */
  #from = 0
  #dropped = 0

  constructor(begins: RegExp | undefined) {
    this.#begins = begins
  }

  *add(chunk: Buffer): Generator<LogRegion> {
    const joined = this.#carried.length > 0 ? Buffer.concat([this.#carried, chunk]) : chunk
    const first = this.#dropped > 0 ? firstBegin(joined, this.#begins) : 0
    const last = lastBegin(joined, this.#begins)
    if (last < 0) {
      this.#dropped += Math.max(0, joined.length - MAX_KEPT)
      this.#carried = copyOf(joined)
      return
    }
    // Offsets after dropped bytes are higher than the index in the buffer.
    if (first > 0) yield { bytes: joined.subarray(0, first), from: this.#from }
    this.#from += first > 0 ? first + this.#dropped : 0
    this.#dropped = 0
    if (last > first) yield { bytes: joined.subarray(first, last), from: this.#from }
    this.#from += last - first
    this.#carried = Buffer.from(joined.subarray(last))
  }

  rest(): LogRegion | undefined {
    return this.#carried.length > 0 ? { bytes: this.#carried, from: this.#from } : undefined
  }
}
