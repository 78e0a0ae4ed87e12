import { Buffer } from 'node:buffer'

/** The part of FastCGI 1.0 that one request without a body needs. */
const VERSION = 1
const REQUEST_ID = 1
const RESPONDER = 1
const BEGIN = 1
const END = 3
const PARAMS = 4
const STDIN = 5
const STDOUT = 6
const HEADER = 8
const LONG = 128

/** A whole request: the answer ends the connection. */
export function encodeRequest(params: Readonly<Record<string, string>>): Buffer {
  const begin = Buffer.from([0, RESPONDER, 0, 0, 0, 0, 0, 0])
  const pairs = Object.entries(params).map(([name, value]) => pair(name, value))
  return Buffer.concat([
    record(BEGIN, begin),
    record(PARAMS, Buffer.concat(pairs)),
    record(PARAMS, Buffer.alloc(0)),
    record(STDIN, Buffer.alloc(0)),
  ])
}

/** The standard output of an ended request; undefined: incomplete. */
export function decodeAnswer(bytes: Buffer): string | undefined {
  const output: Buffer[] = []
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const type = bytes[at + 1]
    const length = bytes.readUInt16BE(at + 4)
    const padding = bytes[at + 6] ?? 0
    const end = at + HEADER + length
    if (bytes[at] !== VERSION) return ''
    if (end > bytes.length) return undefined
    if (type === END) return Buffer.concat(output).toString('utf8')
    if (type === STDOUT) output.push(bytes.subarray(at + HEADER, end))
    at = end + padding
  }
  return undefined
}

function record(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER)
  header[0] = VERSION
  header[1] = type
  header.writeUInt16BE(REQUEST_ID, 2)
  header.writeUInt16BE(content.length, 4)
  return Buffer.concat([header, content])
}

function pair(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)]
  return Buffer.concat([size(key.length), size(text.length), key, text])
}

function size(length: number): Buffer {
  if (length < LONG) return Buffer.from([length])
  const long = Buffer.alloc(4)
  long.writeUInt32BE(length)
  long[0] = (long[0] ?? 0) | LONG
  return long
}
