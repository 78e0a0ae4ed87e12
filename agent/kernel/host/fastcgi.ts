import { Buffer } from 'node:buffer'

/** The part of FastCGI 1.0 that one request needs. */
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
const MAX_CONTENT = 0xffff

/** Encodes a whole request: the answer ends the connection. */
export function encodeRequest(
  params: Readonly<Record<string, string>>,
  content: Uint8Array = new Uint8Array(),
): Buffer {
  const begin = Buffer.from([0, RESPONDER, 0, 0, 0, 0, 0, 0])
  const pairs = Object.entries(params).map(([name, value]) => pair(name, value))
  return Buffer.concat([
    record(BEGIN, begin),
    ...recordsOf(PARAMS, Buffer.concat(pairs)),
    ...recordsOf(STDIN, content),
  ])
}

/** Returns the standard output of an ended request; undefined for an incomplete one. */
export const decodeAnswer = (bytes: Buffer): string | undefined =>
  decodeBytes(bytes)?.toString('utf8')

export function decodeBytes(bytes: Buffer): Buffer | undefined {
  const output: Buffer[] = []
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const type = bytes[at + 1]
    const length = bytes.readUInt16BE(at + 4)
    const padding = bytes[at + 6] ?? 0
    const end = at + HEADER + length
    if (bytes[at] !== VERSION) return Buffer.alloc(0)
    if (end > bytes.length) return undefined
    if (type === END) return Buffer.concat(output)
    if (type === STDOUT) output.push(bytes.subarray(at + HEADER, end))
    at = end + padding
  }
  return undefined
}

/** Encodes a stream with its end. */
function recordsOf(type: number, content: Uint8Array): Buffer[] {
  const records: Buffer[] = []
  for (let at = 0; at < content.length; at += MAX_CONTENT)
    records.push(record(type, Buffer.from(content.subarray(at, at + MAX_CONTENT))))
  return [...records, record(type, Buffer.alloc(0))]
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
