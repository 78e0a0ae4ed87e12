import { Buffer } from 'node:buffer'
import { MAX_DOWNLOAD } from '#shared/logs/site-logs.ts'
import type { ReadRequest } from './request.ts'
import { walk } from './search.ts'

/** The newest matching lines as text, oldest first, and whether older ones were left out. */
export async function download(request: ReadRequest): Promise<string> {
  const lines: string[] = []
  let size = 0
  const { next } = await walk(request, ({ whole, line }) => {
    const text = line.cut ? `${whole} [cut]` : whole
    size += Buffer.byteLength(text) + 1
    if (size > MAX_DOWNLOAD) return false
    lines.push(text)
    return true
  })
  const isCut = next !== null || size > MAX_DOWNLOAD
  if (isCut) lines.push('[Older lines are left out: a download has at most 20 MiB]')
  return lines
    .reverse()
    .map((line) => `${line}\n`)
    .join('')
}
