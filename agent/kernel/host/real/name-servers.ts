import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { z } from 'zod'
import type { ResolvedAddresses } from '#agent/kernel/host/ports.ts'
import { isIpv6, mayBeContacted } from '#agent/kernel/host/record-addresses.ts'

type AskNameServer = (
  server: string,
  name: string,
  type: AddressType,
) => Promise<DnsMessage | undefined>

export interface NameServers {
  /** Asks one question; undefined without an answer. */
  ask: AskNameServer
  /** Return the name servers of a domain, and the addresses of one, by this server's resolver. */
  serversOf(domain: string): Promise<string[]>
  addressesOf(server: string): Promise<string[]>
}

const ANSWER_MS = 1500
const MAX_MS = 20_000
const MAX_CONCURRENT = 10
const MAX_HOPS = 12
/** The maximum number of name servers of one zone and one family of addresses. */
const MAX_SERVERS = 2

/**
 * Returns the A and AAAA records of each name from the name servers of its zone, found from its
 * top-level domain on, past all caches. Null when they did not answer in time.
 */
export async function freshRecords(
  names: readonly string[],
  servers: NameServers = realNameServers(),
): Promise<ResolvedAddresses[]> {
  const late = Date.now() + MAX_MS
  const found: ResolvedAddresses[] = names.map(() => null)
  const turns = names.entries()
  const worker = async () => {
    for (const [at, name] of turns)
      if (Date.now() < late) found[at] = await recordsOf(servers, name, late).catch(() => null)
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker))
  return found
}

async function recordsOf(
  servers: NameServers,
  name: string,
  late: number,
): Promise<ResolvedAddresses> {
  const types = ['A', 'AAAA'] as const
  const found = await Promise.all(types.map((type) => new ZoneWalk(servers, type, late).find(name)))
  return found.includes(null) ? null : found.flatMap((records) => records ?? [])
}

/** Goes from the top-level domain to the zone of a name, and to those of its aliases (CNAME). */
class ZoneWalk {
  readonly #servers: NameServers
  readonly #type: AddressType
  readonly #late: number
  #hops = 0

  constructor(servers: NameServers, type: AddressType, late: number) {
    this.#servers = servers
    this.#type = type
    this.#late = late
  }

  async find(name: string): Promise<ResolvedAddresses> {
    const top = name.slice(name.lastIndexOf('.') + 1)
    const names = (await this.#servers.serversOf(top)).slice(0, MAX_SERVERS)
    let addresses = await this.#addressesOf(names, [])
    for (let zone = top; this.#hops < MAX_HOPS && Date.now() < this.#late; ) {
      this.#hops++
      const message = await this.#askAny(addresses, name)
      if (!message) return null
      if (message.is_authoritative) return this.#read(message, name)
      const next = referralOf(message, name, zone)
      if (next.length === 0) return null
      zone = next[0]?.name ?? ''
      addresses = await this.#addressesOf(
        next.map(({ data }) => data),
        message.additional,
      )
    }
    return null
  }

  async #read({ answers, code }: DnsMessage, name: string): Promise<ResolvedAddresses> {
    let last = name
    for (const _ of answers)
      last = answers.find((one) => one.name === last && one.type === 'CNAME')?.data ?? last
    const own = answers.filter((one) => one.name === last && one.type === this.#type)
    if (own.length > 0) return own.map(({ data }) => data)
    if (last !== name) return this.find(last)
    return USABLE.includes(code) ? [] : null
  }

  /** Returns the first useful answer. */
  async #askAny(addresses: readonly string[], name: string): Promise<DnsMessage | undefined> {
    for (const address of addresses) {
      const message = await this.#servers.ask(address, name, this.#type)
      const isUsable = message && !message.is_truncated && USABLE.includes(message.code)
      if (isUsable) return message
    }
    return undefined
  }

  /** Returns addresses of name servers. With `glue`, those of the parent zone. */
  async #addressesOf(names: readonly string[], glue: readonly DnsRecord[]): Promise<string[]> {
    const sent = glue.filter(({ name, data }) => data !== '' && names.includes(name))
    const found = sent.map(({ data }) => data)
    for (const name of found.length > 0 ? [] : names.slice(0, MAX_SERVERS))
      found.push(...(await this.#servers.addressesOf(name)))
    const some = found.filter((address) => mayBeContacted(address, false))
    const of = (is: boolean) => some.filter((one) => isIpv6(one) === is).slice(0, MAX_SERVERS)
    return [...of(false), ...of(true)]
  }
}

/** The codes of useful answers; the second one means that the name does not exist. */
const USABLE = ['NOERROR', 'NXDOMAIN']

/** Returns the name servers of a zone nearer to the name. */
const referralOf = ({ authority }: DnsMessage, name: string, zone: string): DnsRecord[] =>
  authority.filter(
    (one) =>
      one.type === 'NS' &&
      one.name.length > zone.length &&
      (name === one.name || name.endsWith(`.${one.name}`)),
  )

function realNameServers(): NameServers {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: 2 })
  const none = (): string[] => []
  const tops = new Map<string, Promise<string[]>>()
  return {
    ask: askServer,
    serversOf(domain) {
      const known = tops.get(domain) ?? resolver.resolveNs(domain).catch(none)
      tops.set(domain, known)
      return known
    },
    async addressesOf(server) {
      const both = [resolver.resolve4(server), resolver.resolve6(server)]
      return (await Promise.all(both.map((records) => records.catch(none)))).flat()
    },
  }
}

/** Asks a server over a connected socket, with a random port and id: only it can answer. */
export function askServer(
  server: string,
  name: string,
  type: AddressType,
  port = 53,
): Promise<DnsMessage | undefined> {
  const id = crypto.getRandomValues(new Uint16Array(1))[0] ?? 0
  const socket = createSocket(isIpv6(server) ? 'udp6' : 'udp4')
  return new Promise((resolve) => {
    const done = (message?: DnsMessage) => {
      clearTimeout(late)
      socket.removeAllListeners('message')
      resolve(message)
      socket.close(() => undefined)
    }
    const late = setTimeout(done, ANSWER_MS)
    socket.once('error', () => done())
    socket.on('message', (bytes) => {
      const message = decodeMessage(bytes)
      if (message?.id === id && message.question === name) done(message)
    })
    socket.connect(port, server, () => socket.send(encodeQuestion(id, name, type)))
  })
}

type AddressType = 'A' | 'AAAA'

export interface DnsRecord {
  /** The name in lower case, without a final dot. */
  name: string
  /** The type, such as `A`, `AAAA`, `NS` or `CNAME`. */
  type: string
  /** An address or a name; empty for other types. */
  data: string
}

export interface DnsMessage {
  id: number
  /** The code of DNS, such as `NOERROR` or `NXDOMAIN`. */
  code: string
  is_authoritative: boolean
  is_truncated: boolean
  question: string
  answers: DnsRecord[]
  authority: DnsRecord[]
  additional: DnsRecord[]
}

/** The field that decode() also sets, and its types omit. */
const ResponseCode = z.object({ rcode: z.string() })

/** Encodes a question without recursion. */
export const encodeQuestion = (id: number, name: string, type: AddressType): Buffer =>
  encode({ type: 'query', id, flags: 0, questions: [{ type, name }] })

/** Decodes a DNS message; undefined for a damaged one, and for no answer to one question. */
export function decodeMessage(bytes: Buffer): DnsMessage | undefined {
  try {
    const { type, id, flags, questions, ...rest } = decode(bytes)
    const { answers, authorities, additionals } = rest
    const [question, ...others] = questions ?? []
    if (type !== 'response' || !question || others.length > 0) return undefined
    return {
      id: id ?? 0,
      code: ResponseCode.parse(rest).rcode,
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
