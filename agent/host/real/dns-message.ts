/** The types of records that lead to addresses (RFC 1035, 3596). */
export const TYPES = { A: 1, NS: 2, CNAME: 5, AAAA: 28 } as const

export interface DnsRecord {
  /** In lower case, without a dot at its end. */
  name: string
  type: number
  /** An address or a name; empty for other types. */
  data: string
}

export interface DnsMessage {
  id: number
  /** 0: no error; 3: the name does not exist. */
  code: number
  is_authoritative: boolean
  is_truncated: boolean
  question: string
  answers: DnsRecord[]
  authority: DnsRecord[]
  additional: DnsRecord[]
}

const HEADER = 12
const MOST_RECORDS = 200
const MOST_POINTERS = 20
const POINTER = 0xc0

/** A question that does not ask for recursion. */
export function encodeQuestion(id: number, name: string, type: number): Buffer {
  const header = Buffer.alloc(HEADER)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(1, 4)
  const labels = name.split('.').map((label) => {
    const bytes = Buffer.from(label, 'latin1')
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  })
  return Buffer.concat([header, ...labels, Buffer.from([0, type >> 8, type & 0xff, 0, 1])])
}

/** Undefined: no answer to one question, or a damaged one. */
export function decodeMessage(bytes: Buffer): DnsMessage | undefined {
  try {
    return decode(bytes)
  } catch {
    return undefined
  }
}

function decode(bytes: Buffer): DnsMessage | undefined {
  const flags = bytes.readUInt16BE(2)
  if ((flags & 0x8000) === 0 || bytes.readUInt16BE(4) !== 1) return undefined
  const [question, end] = nameAt(bytes, HEADER)
  let at = end + 4
  const section = (count: number): DnsRecord[] => {
    if (count > MOST_RECORDS) throw new Error('too many records')
    return Array.from({ length: count }, () => {
      const [record, next] = recordAt(bytes, at)
      at = next
      return record
    })
  }
  return {
    id: bytes.readUInt16BE(0),
    code: flags & 0xf,
    is_authoritative: (flags & 0x0400) !== 0,
    is_truncated: (flags & 0x0200) !== 0,
    question,
    answers: section(bytes.readUInt16BE(6)),
    authority: section(bytes.readUInt16BE(8)),
    additional: section(bytes.readUInt16BE(10)),
  }
}

function recordAt(bytes: Buffer, start: number): [DnsRecord, number] {
  const [name, at] = nameAt(bytes, start)
  const type = bytes.readUInt16BE(at)
  const from = at + 10
  const next = from + bytes.readUInt16BE(at + 8)
  if (next > bytes.length) throw new Error('cut off')
  return [{ name, type, data: dataOf(bytes, type, from, next) }, next]
}

function dataOf(bytes: Buffer, type: number, from: number, next: number): string {
  const own = bytes.subarray(from, next)
  if (type === TYPES.A && own.length === 4) return own.join('.')
  if (type === TYPES.AAAA && own.length === 16) return ipv6Of(own)
  return type === TYPES.NS || type === TYPES.CNAME ? nameAt(bytes, from)[0] : ''
}

/** As resolvers write it: RFC 5952. */
function ipv6Of(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** A name and where it ends; a pointer (RFC 1035 section 4.1.4) may lead to its rest. */
function nameAt(bytes: Buffer, start: number): [string, number] {
  const labels: string[] = []
  let end: number | undefined
  let at = start
  for (let pointers = 0; pointers <= MOST_POINTERS; ) {
    const length = bytes.readUInt8(at)
    if (length === 0) return [labels.join('.').toLowerCase(), end ?? at + 1]
    if (length >= POINTER) {
      end ??= at + 2
      at = bytes.readUInt16BE(at) & 0x3fff
      pointers++
    } else {
      if (labels.length > 127) break
      labels.push(bytes.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
  }
  throw new Error('a name without an end')
}
