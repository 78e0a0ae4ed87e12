import type { Socket } from 'node:net'
import { z } from 'zod'
import type { AddressRules, KeptMailSetting, RelaySetting } from '#agent/features/mail/setting.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { field, type HeaderField, parseFields, renderFields, valuesOf } from './headers.ts'
import type { MailLog } from './log.ts'
import type { SiteQueue } from './site-queue.ts'
import { WireForm } from './wire-form.ts'

/** The limits of one message. */
const MAX_BYTES = 25 << 20
const MAX_HEADER = 256 << 10
const TIMEOUT_MS = 60_000

/** The first line of `sendmail`; `size` is the size of the message that follows. */
const OpeningLine = z.object({
  id: z.string().regex(/^[0-9a-f]{24}$/),
  sender: z.string().max(1000).nullable(),
  recipients: z.array(z.string().max(1000)).max(1000),
  from_fields: z.boolean(),
  size: z.int().nonnegative(),
})
type OpeningLine = z.infer<typeof OpeningLine>

interface AcceptDeps {
  now: () => number
  /** The number of messages that are received at the same time; others wait. */
  turn: <T>(work: () => Promise<T>) => Promise<T>
  log: MailLog
}

/** Thrown for a message that is refused now, with its SMTP code. */
class RefusedMessage extends Error {}

/** Receives one message of a site; answers `250` only after it is on the disk. */
export async function accept(socket: Socket, queue: SiteQueue, deps: AcceptDeps): Promise<void> {
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
  const incoming = new IncomingData(socket)
  try {
    const id = await take(incoming, socket, queue, deps)
    socket.end(`250 queued as ${id}\n`)
  } catch (error) {
    if (socket.destroyed) return
    await queue.refused()
    const answer = answerOf(error)
    deps.log.add('error', `refused: ${answer}`)
    socket.end(`${answer}\n`)
  }
}

function answerOf(error: unknown): string {
  if (error instanceof UnacceptableMessage) return `550 ${error.message}`
  if (error instanceof RefusedMessage) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOSPC'
    ? '452 the disk of the server is full'
    : '451 the message was not accepted'
}

async function take(
  incoming: IncomingData,
  socket: Socket,
  queue: SiteQueue,
  deps: AcceptDeps,
): Promise<string> {
  const opening = OpeningLine.parse(JSON.parse(await incoming.line()))
  // The site retries when the connection broke after the message was on the disk.
  if (queue.knows(opening.id)) return opening.id
  if (opening.size > MAX_BYTES) throw new RefusedMessage(`552 the message has more than 25 MB`)
  const rules = await queue.rules()
  if ('reason' in rules) throw new RefusedMessage(`550 ${rules.reason}`)
  if (!('caught' in rules) && queue.full !== undefined)
    throw new RefusedMessage(`452 ${queue.full}`)
  return deps.turn(async () => {
    socket.write('354\n')
    const id = await store(incoming, queue, { opening, rules, now: deps.now() })
    deps.log.add('info', `${id} ${'caught' in rules ? 'kept: this is a staging site' : 'queued'}`)
    return id
  })
}

interface ReceivedMessage {
  opening: OpeningLine
  rules: RelaySetting | KeptMailSetting
  now: number
}

async function store(
  incoming: IncomingData,
  queue: SiteQueue,
  { opening, rules, now }: ReceivedMessage,
): Promise<string> {
  const isCaught = 'caught' in rules
  const disk = isCaught ? queue.caught.store : queue.store
  const { id } = opening
  await using file = await disk.openText(id)
  const submission = { ...opening, sender: opening.sender ?? undefined }
  let envelope: Envelope
  let size = 0
  try {
    const text = incoming.bytes(opening.size)
    const { header, rest } = await headerOf(text)
    envelope = envelopeOf(parseFields(header), submission, rules, { date: new Date(now), id })
    const form = new WireForm()
    const write = async (bytes: Uint8Array) => {
      size += bytes.length
      if (bytes.length > 0) await file.writeFile(bytes)
    }
    await write(form.push(renderFields(envelope.fields)))
    await write(form.push(rest))
    for await (const chunk of text) await write(form.push(chunk))
    await write(form.end())
    await file.sync()
  } catch (error) {
    await disk.dropText(id)
    throw error
  }
  const { sender, recipients } = envelope
  const times = { created_at: now, next_at: now, attempts: 0, answer: '' }
  const message = { id, sender, recipients, size, ...times }
  await (isCaught ? queue.keep(message) : queue.add(message))
  return id
}

const BLANK = /(\r\n|\n|\r(?!\n))(\r\n|\n|\r(?!\n))/

/** Reads the header, and the received part of the text. */
async function headerOf(text: AsyncGenerator<Buffer>): Promise<{ header: string; rest: Buffer }> {
  let head = ''
  for (;;) {
    const { value, done } = await text.next()
    if (!done) head += value.toString('latin1')
    const blank = BLANK.exec(head)
    if (blank) {
      const rest = Buffer.from(head.slice(blank.index + blank[0].length), 'latin1')
      return { header: head.slice(0, blank.index), rest }
    }
    if (done) return { header: head, rest: Buffer.alloc(0) }
    if (head.length > MAX_HEADER)
      throw new UnacceptableMessage('the header of the message is too long')
  }
}

const MAX_LINE = 256 << 10

/** Reads the data of a site: one line, and then the announced number of bytes. */
class IncomingData {
  readonly #chunks: AsyncIterator<Buffer>
  #left: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  async line(): Promise<string> {
    let end = this.#left.indexOf('\n')
    while (end < 0) {
      if (this.#left.length > MAX_LINE) throw new Error('the line is too long')
      const before = this.#left.length
      this.#left = Buffer.concat([this.#left, await this.#next()])
      const found = this.#left.subarray(before).indexOf('\n')
      end = found < 0 ? -1 : before + found
    }
    const line = this.#left.subarray(0, end).toString('utf8')
    this.#left = this.#left.subarray(end + 1)
    return line
  }

  /** Throws when fewer bytes arrive: the message is incomplete. */
  async *bytes(size: number): AsyncGenerator<Buffer> {
    let missing = size
    while (missing > 0) {
      const chunk = this.#left.length > 0 ? this.#left : await this.#next()
      yield chunk.subarray(0, missing)
      this.#left = chunk.subarray(Math.min(missing, chunk.length))
      missing -= Math.min(missing, chunk.length)
    }
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next()
    if (done) throw new Error('the message was cut off')
    return value
  }
}

/** The options of the site's program: `sender` is that of `-f`, `recipients` are its arguments. */
export interface Submission {
  sender: string | undefined
  recipients: readonly string[]
  /** `-t`: whether the recipients of `To`, `Cc` and `Bcc` count, too. */
  from_fields: boolean
}

interface Envelope {
  sender: string
  recipients: string[]
  fields: HeaderField[]
}

/** Thrown for a refused message; the reason is shown to the site. */
export class UnacceptableMessage extends Error {}

const MAX_RECIPIENTS = 200
const RECIPIENT_FIELDS = ['to', 'cc', 'bcc']
const LEFT_OUT = ['bcc', 'return-path', 'delivered-to', 'sender']

/** Returns sender, recipients and fields of the message. Throws UnacceptableMessage. */
export function envelopeOf(
  fields: readonly HeaderField[],
  submission: Submission,
  rules: AddressRules,
  { date, id }: { date: Date; id: string },
): Envelope {
  const recipients = recipientsOf(fields, submission)
  const from = fromOf(fields, submission, rules)
  const kept = fields.filter(({ name }) => !LEFT_OUT.includes(name))
  const has = (name: string) => kept.some((one) => one.name === name)
  const added = [
    ...(from.field ? [from.field] : []),
    ...(from.reply_to !== undefined && !has('reply-to') ? [field('Reply-To', from.reply_to)] : []),
    ...(has('date') ? [] : [field('Date', date.toUTCString().replace('GMT', '+0000'))]),
    ...(has('message-id') ? [] : [field('Message-ID', `<${id}@${rules.domain}>`)]),
  ]
  const others = from.field ? kept.filter(({ name }) => name !== 'from') : kept
  return { sender: from.sender, recipients, fields: [...added, ...others] }
}

function recipientsOf(fields: readonly HeaderField[], submission: Submission): string[] {
  const named = submission.from_fields
    ? RECIPIENT_FIELDS.flatMap((name) => valuesOf(fields, name).flatMap(mailboxesOf))
    : []
  const texts = [...submission.recipients, ...named.map(({ address }) => address)]
  const addresses = texts.map((text) => {
    const address = envelopeAddress(text)
    if (address === undefined)
      throw new UnacceptableMessage(`not an e-mail address: ${shown(text)}`)
    return address
  })
  const recipients = [...new Set(addresses)]
  if (recipients.length === 0) throw new UnacceptableMessage('the message names no recipient')
  if (recipients.length > MAX_RECIPIENTS) {
    throw new UnacceptableMessage(`the message has more than ${MAX_RECIPIENTS} recipients`)
  }
  return recipients
}

interface FromResult {
  sender: string
  /** The changed From field; absent when the message keeps its own. */
  field?: HeaderField
  reply_to?: string | undefined
}

function fromOf(
  fields: readonly HeaderField[],
  submission: Submission,
  rules: AddressRules,
): FromResult {
  const given = valuesOf(fields, 'from').flatMap(mailboxesOf)
  const [first = { name: '', address: '' }] = given
  const address = envelopeAddress(first.address)
  const sender = envelopeAddress(submission.sender ?? '')
  const author = address ?? sender
  if (author === undefined || isReplaced(author, rules)) {
    return replaced(address === undefined ? '' : first.name, author, rules)
  }
  const kept = sender !== undefined && !isReplaced(sender, rules) ? sender : author
  if (address !== undefined && given.length === 1) return { sender: kept }
  // Of several authors, or without a readable one, the checked one is sufficient.
  return { sender: kept, field: field('From', author) }
}

/** Returns the replaced From field with the name from the site, and its address for replies. */
function replaced(
  name: string,
  reply_to: string | undefined,
  { from_address }: AddressRules,
): FromResult {
  const text = name === '' ? from_address : `${name} <${from_address}>`
  return { sender: from_address, field: field('From', text), reply_to }
}

function isReplaced(
  address: string,
  { rewrite_from, from_address, domain }: AddressRules,
): boolean {
  if (rewrite_from === 'never' || address === from_address) return false
  return rewrite_from === 'always' || !isDomainOfSite(address, domain)
}

/** Returns whether it is the domain of the site, with or without `www.`, or a subdomain. */
function isDomainOfSite(address: string, domain: string): boolean {
  const host = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const apex = apexOf(domain)
  return host === apex || host.endsWith(`.${apex}`)
}

const shown = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)

/** One address of a header: `name` as written there, `address` without its brackets. */
interface Mailbox {
  name: string
  address: string
}

/** Matches a quoted string, an address in brackets, a separator, or other text. */
const TOKEN = /"(?:\\.|[^"\\])*"?|<[^>,;]*>?|[,;:]|\\.?|[^",;:<\\]+/gs

/** Returns the mailboxes of an address list (RFC 5322, 3.4); invalid text unchanged. */
export function mailboxesOf(text: string): Mailbox[] {
  const found: Mailbox[] = []
  let name = ''
  let bracketed: string | undefined
  const end = () => {
    const address = (bracketed ?? name).trim()
    if (address !== '') found.push({ name: bracketed === undefined ? '' : name.trim(), address })
    name = ''
    bracketed = undefined
  }
  for (const [token] of withoutComments(text).matchAll(TOKEN)) {
    if (token === ',' || token === ';') end()
    else if (token === ':') name = ''
    else if (token.startsWith('<')) bracketed = token.replace(/^<|>$/g, '')
    else name += token
  }
  end()
  return found
}

/** Removes comments, which nest, and are outside of quoted strings. */
function withoutComments(text: string): string {
  let depth = 0
  let kept = ''
  for (const [token] of text.matchAll(/\\.?|"(?:\\.|[^"\\])*"?|[()]|[^\\"()]+/gs)) {
    if (token === '(') depth += 1
    else if (token === ')' && depth > 0) depth -= 1
    else if (depth === 0) kept += token
  }
  return kept
}

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * Returns the address for a relay: ASCII, at most 254 characters, with a host name as its domain.
 * Undefined for everything else: quoted local parts, address literals and non-ASCII before the `@`.
 */
export function envelopeAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  const domain = asciiDomain(text.slice(at + 1))
  if (at < 1 || domain === undefined || local.length > 64 || !LOCAL.test(local)) return undefined
  const address = `${local}@${domain}`
  return address.length > 254 ? undefined : address
}

function asciiDomain(text: string): string | undefined {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined
  const ascii = /^[A-Za-z0-9.-]+$/.test(text) ? text : converted(text)
  return ascii?.split('.').every((label) => LABEL.test(label)) ? ascii : undefined
}

function converted(text: string): string | undefined {
  return URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`).hostname : undefined
}
