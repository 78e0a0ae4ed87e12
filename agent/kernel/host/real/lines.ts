import { Buffer } from 'node:buffer'
import type { Readable } from 'node:stream'

/** Calls `line` with each line of a stream, and with undefined at the end if a line is too long. */
export function eachLine(
  stream: Readable,
  most: number,
  line: (text: string | undefined) => void,
): void {
  let parts: Buffer[] = []
  let size = 0
  stream.on('data', function read(data: Buffer | string) {
    let rest = Buffer.from(data)
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line(Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8'))
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    parts.push(rest)
    size += rest.length
    if (size <= most) return
    stream.off('data', read)
    parts = []
    line(undefined)
  })
}
