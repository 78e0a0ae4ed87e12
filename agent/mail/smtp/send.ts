import { createReadStream } from 'node:fs'
import type { Connection } from './connect.ts'
import { Broken, type Reply } from './replies.ts'

export interface Outgoing {
  sender: string
  recipients: readonly string[]
  /** A file in the form of WireForm, without the dot at its end. */
  text: string
}

interface Answer {
  recipient: string
  reply: Reply
}

/** The result for each recipient. Throws Broken if it is unknown: the message is retried. */
export interface Outcome {
  accepted: string[]
  /** 4xx: later. */
  deferred: Answer[]
  /** 5xx: never. */
  refused: Answer[]
  /** The answer to the message itself, if the relay accepted it. */
  answer?: string
}

/** The relay requires another login, for any message: RFC 4954, 6. */
const WITHOUT_LOGIN = [530, 534, 535, 538]

/** The answer concerns the relay and not the message. */
class Unready extends Error {}

/** The connection ended before the relay received the message. */
export class NotStarted extends Broken {}

/** Sends one message. `taken` is called in the same turn as the relay's acceptance. */
export async function send(
  connection: Connection,
  message: Outgoing,
  taken: (outcome: Outcome) => void = () => undefined,
): Promise<Outcome> {
  const all = (reply: Reply): Outcome =>
    outcomeOf(message.recipients.map((recipient) => ({ recipient, reply })))
  const from = await begin(connection, message.sender)
  if (kindOf(from) !== 2) return reset(connection, all(from))
  const answers: Answer[] = []
  for (const recipient of message.recipients) {
    answers.push({ recipient, reply: ready(await connection.command(`RCPT TO:<${recipient}>`)) })
  }
  const outcome = outcomeOf(answers)
  if (outcome.accepted.length === 0) return reset(connection, outcome)
  const data = ready(await connection.command('DATA'))
  // Neither 4xx nor 5xx, and no message can follow: the meaning of the answer is unknown.
  if (kindOf(data) === 2) throw new Broken(`the relay answered to DATA: ${data.text}`)
  if (data.code !== 354) return reset(connection, merged(outcome, data))
  await writeText(connection, message.text)
  const end = await connection.reply(connection.times.accept_ms)
  if (kindOf(end) !== 2) return merged(outcome, ready(end))
  const answered = { ...outcome, answer: end.text }
  taken(answered)
  return answered
}

async function begin(connection: Connection, sender: string): Promise<Reply> {
  try {
    return ready(await connection.command(`MAIL FROM:<${sender}>`))
  } catch (error) {
    throw error instanceof Broken ? new NotStarted(error.message) : error
  }
}

/** With 421 the relay ends the connection, for this message only or for all of them. */
function ready(reply: Reply): Reply {
  if (reply.code === 421) throw new Broken(reply.text)
  if (WITHOUT_LOGIN.includes(reply.code)) throw new Unready(reply.text)
  return reply
}

function outcomeOf(answers: readonly Answer[]): Outcome {
  return {
    accepted: answers.filter(({ reply }) => kindOf(reply) === 2).map((one) => one.recipient),
    deferred: answers.filter(({ reply }) => kindOf(reply) === 3 || kindOf(reply) === 4),
    refused: answers.filter(({ reply }) => kindOf(reply) === 5),
  }
}

const kindOf = ({ code }: Reply) => Math.floor(code / 100)

/** Those that were accepted share the answer to the message itself. */
function merged({ accepted, deferred, refused }: Outcome, reply: Reply): Outcome {
  const now = outcomeOf(accepted.map((recipient) => ({ recipient, reply })))
  return {
    accepted: [],
    deferred: [...deferred, ...now.deferred],
    refused: [...refused, ...now.refused],
  }
}

/** The answer to the message counts, even if the relay then closes the connection. */
async function reset(connection: Connection, outcome: Outcome): Promise<Outcome> {
  const reply = await connection.command('RSET').catch(() => undefined)
  if (reply?.code !== 250) connection.destroy()
  return outcome
}

async function writeText({ stream, times }: Connection, path: string): Promise<void> {
  for await (const chunk of createReadStream(path)) {
    if (stream.destroyed) throw new Broken('the relay closed the connection')
    if (!stream.write(chunk)) await drained(stream, times.answer_ms)
  }
  stream.write('.\r\n')
}

function drained(stream: Connection['stream'], timeout_ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(timer)
      stream.off('drain', done).off('close', done)
      resolve()
    }
    const timer = setTimeout(() => {
      stream.destroy()
      reject(new Broken('the relay stopped reading'))
    }, timeout_ms)
    stream.on('drain', done).on('close', done)
  })
}
