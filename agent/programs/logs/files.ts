import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { gunzipSync, constants as zlib } from 'node:zlib'
import { LOG_ROTATIONS } from '#shared/logs/site-logs.ts'

/** An open log, whose name may be that of another file by now. */
export interface LogFile {
  path: string
  descriptor: number
  size: number
  /** The time of its last change, in milliseconds. */
  at: number
  zipped: boolean
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

const namesOf = (path: string): string[] => [
  path,
  ...Array.from({ length: LOG_ROTATIONS }, (_, at) => [
    `${path}.${at + 1}`,
    `${path}.${at + 1}.gz`,
  ]).flat(),
]

/** Opens the files of some logs, newest first. Links, pipes and folders are no logs. */
export function openLogs(paths: readonly string[]): LogFile[] {
  const found = paths.flatMap(namesOf).flatMap((path) => openLog(path) ?? [])
  return found.sort((one, other) => other.at - one.at)
}

export function closeLogs(files: readonly LogFile[]): void {
  for (const { descriptor } of files) closeSync(descriptor)
}

/** Opens a log; undefined for a path that is missing, empty, or not a file. */
export function openLog(path: string): LogFile | undefined {
  let descriptor: number
  try {
    descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return undefined
  }
  const stat = fstatSync(descriptor)
  if (stat.isFile() && stat.size > 0) {
    return { path, descriptor, size: stat.size, at: stat.mtimeMs, zipped: path.endsWith('.gz') }
  }
  closeSync(descriptor)
  return undefined
}

/** Reads the bytes from an offset on; fewer at the end of the file. */
export function readAt({ descriptor }: LogFile, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let size = 0
  while (size < length) {
    const read = readSync(descriptor, bytes, size, length - size, from + size)
    if (read === 0) break
    size += read
  }
  return bytes.subarray(0, size)
}

const HEAD = 4096
const MAX_HEAD = 8 << 20
const MAX_FIRST_LINE = 256

/**
 * Returns a digest that identifies the content: logrotate copies a log and compresses the copy,
 * whose first line is the same. Undefined for a compressed file that is none.
 */
export function digestOf(file: LogFile): string | undefined {
  const head = file.zipped ? unzipped(readAt(file, 0, HEAD)) : readAt(file, 0, MAX_FIRST_LINE)
  if (!head) return undefined
  const line = head.subarray(0, Math.min(MAX_FIRST_LINE, head.indexOf(10) + 1 || MAX_FIRST_LINE))
  return createHash('sha256').update(line).digest('hex').slice(0, 16)
}

function unzipped(bytes: Buffer): Buffer | undefined {
  try {
    const finishFlush = zlib.Z_SYNC_FLUSH
    return gunzipSync(bytes, { finishFlush, maxOutputLength: MAX_HEAD })
  } catch {
    return undefined
  }
}
