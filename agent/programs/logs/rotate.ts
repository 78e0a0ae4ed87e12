import { createReadStream, createWriteStream, lstatSync, readdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { LOG_ROTATIONS, MAX_LOG_BYTES } from '#shared/logs/site-logs.ts'

const WEEK_MS = 7 * 24 * 3_600_000
const BLOCK_BYTES = 512
/** A site may create any number of names. */
const MAX_LOGS = 50

/**
 * Rotates the logs of a folder with the rights of their owner: each file `*.log` that has more than 50 MB
 * on the disk, or whose first line is older than a week. Programs open these logs for each line,
 * so that a renamed log loses none; the last but one file is compressed, after all of them have left it.
 */
export async function rotateLogs(folder: string, now: number): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'))
  for (const name of names.slice(0, MAX_LOGS)) {
    const path = `${folder}/${name}`
    if (isDue(path, now)) await rotate(path)
  }
}

function isDue(path: string, now: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size === 0) return false
  return stat.blocks * BLOCK_BYTES > MAX_LOG_BYTES || now - stat.birthtimeMs > WEEK_MS
}

async function rotate(path: string): Promise<void> {
  const nameOf = (at: number, ending = '') => `${path}.${at}${ending}`
  for (const ending of ['', '.gz']) await rm(nameOf(LOG_ROTATIONS, ending), { force: true })
  for (let at = LOG_ROTATIONS - 1; at > 0; at -= 1) {
    for (const ending of ['', '.gz']) renamed(nameOf(at, ending), nameOf(at + 1, ending))
  }
  renamed(path, nameOf(1))
  await compress(nameOf(2))
}

function renamed(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })) renameSync(from, to)
}

/**
 * Compresses a rotated log. A file with holes stays uncompressed: all of its bytes, which may be
 * terabytes, would have to be read, and programs write logs without holes.
 */
async function compress(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.size > 2 * stat.blocks * BLOCK_BYTES + (1 << 20)) return
  const draft = `${path}.gz.tmp`
  await rm(draft, { force: true })
  const to = createWriteStream(draft, { flags: 'wx', mode: stat.mode & 0o777 })
  await pipeline(createReadStream(path), createGzip(), to)
  renameSync(draft, `${path}.gz`)
  await rm(path)
}
