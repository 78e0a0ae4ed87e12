import { Buffer } from 'node:buffer'
import { readSync } from 'node:fs'
import type { AgentLogPage } from '#shared/logs/site-logs.ts'
import { candidatesIn, matchOf, queryOf } from './matches.ts'
import { PageSpace } from './page-space.ts'
import type { ReadRequest } from './request.ts'

const STDIN = 0
const MAX_REQUEST = 64 << 10
const MAX_INPUT = 32 << 20
const CHUNK = 1 << 16

/** Reads the first line of the standard input, and what follows it. Blocks until it ends. */
export function readInput(): { request: string; rest: Buffer } {
  const chunks: Buffer[] = []
  let size = 0
  for (let chunk = readChunk(); chunk.length > 0; chunk = readChunk()) {
    size += chunk.length
    if (size <= MAX_INPUT) chunks.push(chunk)
  }
  const all = Buffer.concat(chunks)
  const end = all.indexOf(10)
  if (end < 0 || end > MAX_REQUEST) throw new Error('The request is missing')
  return { request: all.toString('utf8', 0, end), rest: all.subarray(end + 1) }
}

const PAUSE_MS = 1
const pause = new Int32Array(new SharedArrayBuffer(4))

function readChunk(): Buffer {
  const bytes = Buffer.allocUnsafe(CHUNK)
  for (;;) {
    try {
      return bytes.subarray(0, readSync(STDIN, bytes, 0, CHUNK, null))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EOF') return bytes.subarray(0, 0)
      // Another process made the pipe non-blocking.
      if (code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, PAUSE_MS)
    }
  }
}

/** The file in positions of a log without one, which are times of lines in microseconds. */
const NO_FILE = '0'.repeat(16)

/** Returns one page of a log that is not a file, oldest line first. */
export function searchInput(bytes: Buffer, request: ReadRequest): AgentLogPage {
  const query = queryOf(request.source, request)
  const before = Number(request.before?.split('.')[1] ?? Number.POSITIVE_INFINITY)
  const all = candidatesIn({ bytes, from: 0 }, query).map((one) => ({
    ...one,
    from: (one.parsed.at ?? 0) * 1000,
  }))
  const lines = all
    .filter(({ from }) => from < before)
    .reverse()
    .flatMap((one) => matchOf(one, query) ?? [])
  const room = new PageSpace(request.limit)
  const end = lines.findIndex(({ line }) => !room.has(line))
  const page = end < 0 ? lines : lines.slice(0, end + 1)
  const last = lines.length > page.length ? page.at(-1) : undefined
  const looked = { bytes: bytes.length, files: bytes.length > 0 ? 1 : 0, unread: 0 }
  return {
    lines: page.map(({ line }) => line),
    next: last ? `${NO_FILE}.${last.from}` : null,
    looked: { ...looked, oldest_at: all[0] ? (matchOf(all[0], query)?.line.at ?? null) : null },
  }
}
