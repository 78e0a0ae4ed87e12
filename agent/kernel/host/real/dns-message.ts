import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { z } from 'zod'

export type AddressType = 'A' | 'AAAA'

export interface DnsRecord {
  /** In lower case, without a dot at its end. */
  name: string
  /** Such as `A`, `AAAA`, `NS` or `CNAME`. */
  type: string
  /** An address or a name; empty for other types. */
  data: string
}

export interface DnsMessage {
  id: number
  /** As DNS names it, such as `NOERROR` or `NXDOMAIN`. */
  code: string
  is_authoritative: boolean
  is_truncated: boolean
  question: string
  answers: DnsRecord[]
  authority: DnsRecord[]
  additional: DnsRecord[]
}

/** What decode() also sets, and its types do not have. */
const Code = z.object({ rcode: z.string() })

/** A question that does not ask for recursion. */
export const encodeQuestion = (id: number, name: string, type: AddressType): Buffer =>
  encode({ type: 'query', id, flags: 0, questions: [{ type, name }] })

/** Undefined: no answer to one question, or a damaged one. */
export function decodeMessage(bytes: Buffer): DnsMessage | undefined {
  try {
    const { type, id, flags, questions, ...rest } = decode(bytes)
    const { answers, authorities, additionals } = rest
    const [question, ...others] = questions ?? []
    if (type !== 'response' || !question || others.length > 0) return undefined
    return {
      ...{ id: id ?? 0, code: Code.parse(rest).rcode },
      is_authoritative: ((flags ?? 0) & AUTHORITATIVE_ANSWER) !== 0,
      is_truncated: ((flags ?? 0) & TRUNCATED_RESPONSE) !== 0,
      question: question.name.toLowerCase(),
      answers: (answers ?? []).map(recordOf),
      authority: (authorities ?? []).map(recordOf),
      additional: (additionals ?? []).map(recordOf),
    }
  } catch {
    return undefined
  }
}

function recordOf(record: Answer): DnsRecord {
  const { name, type } = record
  const data = 'data' in record && typeof record.data === 'string' ? record.data : ''
  return { name: name.toLowerCase(), type, data: type === 'TXT' ? '' : data.toLowerCase() }
}
