import type { Socket } from 'node:net'
import { z } from 'zod'
import type { Catching, Effective } from '#agent/features/mail/setting.ts'
import { type Envelope, envelopeOf, Unacceptable } from './envelope.ts'
import { parseFields, renderFields } from './headers.ts'
import { Incoming } from './incoming.ts'
import type { MailLog } from './log.ts'
import type { SiteQueue } from './site-queue.ts'
import { WireForm } from './wire-form.ts'

/** Limits of one message. */
const MAX_BYTES = 25 << 20
const MAX_HEADER = 256 << 10
const TIMEOUT_MS = 60_000

/** The first line of `sendmail`; `size` is the size of the message that follows. */
const Opening = z.object({
  id: z.string().regex(/^[0-9a-f]{24}$/),
  sender: z.string().max(1000).nullable(),
  recipients: z.array(z.string().max(1000)).max(1000),
  from_fields: z.boolean(),
  size: z.int().nonnegative(),
})
type Opening = z.infer<typeof Opening>

interface Deps {
  now: () => number
  /** The number of messages that are received at the same time; others wait. */
  turn: <T>(work: () => Promise<T>) => Promise<T>
  log: MailLog
}

/** A message that is refused now, with its SMTP code. */
class NotTaken extends Error {}

/**
 * Receives one message of a site: its opening line, answered by `354`, then the message, answered
 * by `250` only after it is on the disk.
 */
export async function accept(socket: Socket, queue: SiteQueue, deps: Deps): Promise<void> {
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
  const incoming = new Incoming(socket)
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
  if (error instanceof Unacceptable) return `550 ${error.message}`
  if (error instanceof NotTaken) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOSPC'
    ? '452 the disk of the server is full'
    : '451 the message was not accepted'
}

async function take(
  incoming: Incoming,
  socket: Socket,
  queue: SiteQueue,
  deps: Deps,
): Promise<string> {
  const opening = Opening.parse(JSON.parse(await incoming.line()))
  // The site retries when the connection broke after the message was on the disk.
  if (queue.knows(opening.id)) return opening.id
  if (opening.size > MAX_BYTES) throw new NotTaken(`552 the message has more than 25 MB`)
  const rules = await queue.rules()
  if ('reason' in rules) throw new NotTaken(`550 ${rules.reason}`)
  if (!('caught' in rules) && queue.full !== undefined) throw new NotTaken(`452 ${queue.full}`)
  return deps.turn(async () => {
    socket.write('354\n')
    const id = await store(incoming, queue, { opening, rules, now: deps.now() })
    deps.log.add('info', `${id} ${'caught' in rules ? 'kept: this is a staging site' : 'queued'}`)
    return id
  })
}

interface Message {
  opening: Opening
  rules: Effective | Catching
  now: number
}

async function store(
  incoming: Incoming,
  queue: SiteQueue,
  { opening, rules, now }: Message,
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

/** The header, and the received part of the text. */
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
    if (head.length > MAX_HEADER) throw new Unacceptable('the header of the message is too long')
  }
}
