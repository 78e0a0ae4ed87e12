import { Buffer } from 'node:buffer'
import { writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import process from 'node:process'
import { attempt } from '#agent/kernel/host/attempt.ts'
import type { AgentLogLine } from '#shared/logs/site-logs.ts'
import { download } from './download.ts'
import { groupFatals } from './fatals.ts'
import { closeLogs, openLogs } from './files.ts'
import { readInput, searchInput } from './input.ts'
import { outputsOf } from './output.ts'
import { ReadRequest } from './request.ts'
import { rotateLogs } from './rotate.ts'
import { Gone, search } from './search.ts'
import { tail } from './tail.ts'

/** Programs of visitors have priority. */
const GENTLY = 10
/** The exit status for a position whose file is gone. */
const GONE = 3

/**
 * `hosting-agent logs`: reads or rotates logs with the rights of their owner, for the request on the
 * first line of the standard input, and writes only masked text. A log without a file follows the
 * request.
 */
export async function logs(): Promise<void> {
  // Of an agent with a lower priority: only root could raise it.
  attempt(() => setPriority(GENTLY))
  const { request: text, rest } = readInput()
  const request = ReadRequest.parse(JSON.parse(text))
  try {
    await answer(request, rest)
  } catch (error) {
    if (!(error instanceof Gone)) throw error
    process.exit(GONE)
  }
  process.exit(0)
}

async function answer(request: ReadRequest, rest: Buffer): Promise<void> {
  const { what, paths } = request
  if (what === 'tail') return tail(request, write)
  if (what === 'rotate') {
    for (const folder of paths) await rotateLogs(folder, Date.now())
    return
  }
  if (what === 'download') {
    return write(paths.length === 0 ? linesOf(rest, request) : await download(request))
  }
  const result = {
    list: () => listFiles(paths),
    search: () => (paths.length === 0 ? searchInput(rest, request) : search(request)),
    fatals: () => groupFatals(request),
    output: () => outputsOf(request),
  }
  write(`${JSON.stringify(await result[what]())}\n`)
}

/** Of a log without a file, oldest first. */
function linesOf(bytes: Buffer, request: ReadRequest): string {
  const lines: AgentLogLine[] = []
  for (let before: string | null | undefined; before !== null; ) {
    const page = searchInput(bytes, { ...request, ...(before && { before }) })
    lines.push(...page.lines)
    before = page.next
  }
  return lines
    .toReversed()
    .map(({ at, text }) => `${at} ${text}\n`)
    .join('')
}

function listFiles(paths: readonly string[]) {
  const files = openLogs(paths)
  closeLogs(files)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const newest = files[0]
  const changed_at = newest ? new Date(newest.at).toISOString() : null
  return { files: files.length, bytes, changed_at }
}

function write(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EPIPE') process.exit(0)
      if (code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, 1)
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))
