import { createReadStream, readFileSync } from 'node:fs'
import net from 'node:net'
import { Readable } from 'node:stream'
import SMTPConnection, {
  type SMTPConnectionCustomAuthContext,
} from 'nodemailer/lib/smtp-connection'
import type { Relay } from '#agent/features/mail/setting.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'

export interface SmtpTimes {
  connect_ms: number
  answer_ms: number
  /** The time limit after the end of the message: RFC 5321, 4.5.3.2.6. */
  accept_ms: number
}

const DEFAULT_TIMES: SmtpTimes = { connect_ms: 30_000, answer_ms: 120_000, accept_ms: 600_000 }
/** The file of trusted authorities of the machine, to which an administrator can add one. */
const ROOTS = '/etc/ssl/certs/ca-certificates.crt'
const MAX_ANSWER_BYTES = 64 << 10
const MAX_TEXT = 500
/** The codes of a relay that requires another login, for any message: RFC 4954, 6. */
const WITHOUT_LOGIN = [530, 534, 535, 538]

export interface SmtpOptions {
  /** Receives the dialogue, without secrets. */
  log?: (line: string) => void
  times?: SmtpTimes
  /** A file of certificates of trusted authorities. */
  roots?: string
}

/** An answer of a relay: RFC 5321, 4.2. `text` is one line of at most 500 printable characters. */
export interface SmtpReply {
  code: number
  text: string
}

export interface OutgoingMessage {
  sender: string
  recipients: readonly string[]
  /** The path of a file in the form of WireForm. */
  text: string
}

interface RecipientAnswer {
  recipient: string
  reply: SmtpReply
}

/** The result for each recipient. */
export interface SendOutcome {
  accepted: string[]
  /** The recipients with 4xx, which are retried. */
  deferred: RecipientAnswer[]
  /** The recipients with 5xx, which are given up. */
  refused: RecipientAnswer[]
  /** The answer to the message itself, if the relay accepted it. */
  answer?: string
}

/** Thrown when the connection to a relay broke, in one readable line. The result is unknown. */
export class ConnectionBroken extends Error {}

/** Thrown when the connection ended before the relay received the message. */
export class MessageNotStarted extends ConnectionBroken {}

/** Thrown when the relay answered with an error that does not concern the message. */
class RelayRefused extends Error {}

/** A connection on which a relay accepts messages. */
export class SmtpConnection {
  readonly #smtp: SMTPConnection
  readonly #times: SmtpTimes
  readonly #isImplicit: boolean
  readonly #log: (line: string) => void
  /** The commands without an answer, and the answers since the begin of the message. */
  #commands: string[] = []
  #answers: { command: string; reply: SmtpReply }[] = []
  #isSecuring: boolean
  #isTextSent = false
  #isEnded = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #fail: (error: Error) => void = () => undefined

  constructor(socket: net.Socket, { host, port, tls }: Relay, options: SmtpOptions) {
    const { log = () => undefined, times = DEFAULT_TIMES, roots = ROOTS } = options
    this.#times = times
    this.#log = log
    this.#isImplicit = tls === 'implicit'
    this.#isSecuring = this.#isImplicit
    this.#smtp = new SMTPConnection({
      host,
      port,
      connection: socket,
      secure: this.#isImplicit,
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      tls: {
        minVersion: 'TLSv1.2',
        ...undefinedIfThrows(() => ({ ca: readFileSync(roots, 'utf8') })),
      },
      connectionTimeout: times.connect_ms + times.answer_ms,
      greetingTimeout: times.answer_ms,
      socketTimeout: times.accept_ms,
      socketCloseTimeout: 1000,
      maxResponseSize: MAX_ANSWER_BYTES,
      customAuth: { RELAY: logIn },
      transactionLog: true,
      logger: { debug: (entry: unknown, text: unknown) => this.#heard(entry, String(text)) },
    })
    this.#smtp.on('error', (error: Error) => this.#end(this.#broken(error)))
    this.#smtp.on('end', () => this.#end(new ConnectionBroken('the relay closed the connection')))
  }

  /** Returns whether another message can use it. */
  get open(): boolean {
    return !this.#isEnded
  }

  /** Sends QUIT without waiting for the answer. */
  close(): void {
    if (this.#isEnded) return
    this.#smtp.quit()
    setTimeout(() => this.#smtp.close(), 1000).unref?.()
  }

  destroy(): void {
    this.#smtp.close()
  }

  async begin({ user, password }: Relay): Promise<void> {
    await this.#run<void>((done) => this.#smtp.connect(done))
    if (user === '') return
    const login = { method: 'RELAY', user, pass: password }
    await this.#run<unknown>((done) => this.#smtp.login(login, done))
  }

  async send(
    message: OutgoingMessage,
    taken: (outcome: SendOutcome) => void,
  ): Promise<SendOutcome> {
    this.#answers = []
    this.#isTextSent = false
    const { sender: from, recipients, text } = message
    let outcome: SendOutcome | undefined
    const lines = Readable.from(this.#linesOf(text))
    const sent = this.#run<void>((done) =>
      this.#smtp.send({ from, to: [...recipients] }, lines, (error) => {
        if (error) return done(error)
        if (!this.#isTextSent)
          return done(new ConnectionBroken('the relay answered before the text ended'))
        outcome = this.#outcome(message)
        try {
          // Called in the same turn as the answer of the relay.
          taken(outcome)
          done()
        } catch (thrown) {
          // Nothing catches an error in the reader of the connection, and it would end the program.
          done(errorOf(thrown))
        }
      }),
    )
    await sent.catch(async (error: Error) => {
      outcome = this.#afterwards(message, error)
      if (!this.#answered('text')) await this.#reset()
      else if (!this.#isTextSent) this.destroy()
    })
    // An answer to nothing ends the connection: it must not count as one to the next message.
    await new Promise((resolve) => setTimeout(resolve))
    return outcome ?? this.#outcome(message)
  }

  /** Returns the outcome of a message that the relay refused as a whole; throws other errors. */
  #afterwards(message: OutgoingMessage, error: Error): SendOutcome {
    const { reply } = this.#answers.at(-1) ?? {}
    const isAnswer = reply !== undefined && 'response' in error && reply.code !== 421
    if (isAnswer && this.#commands.length === 0) {
      if (WITHOUT_LOGIN.includes(reply.code)) throw new RelayRefused(reply.text)
      return this.#outcome(message)
    }
    this.destroy()
    const isBegun = this.#answers.some(({ reply: { code } }) => code !== 421)
    if (!(error instanceof ConnectionBroken) || isBegun) throw error
    throw new MessageNotStarted(error.message)
  }

  #outcome({ recipients }: OutgoingMessage): SendOutcome {
    const outcome: SendOutcome = { accepted: [], deferred: [], refused: [] }
    for (const recipient of recipients) {
      const reply = this.#replyTo(recipient)
      if (!reply) throw new ConnectionBroken('the relay did not answer for all recipients')
      if (kindOf(reply) === 2) outcome.accepted.push(recipient)
      else outcome[kindOf(reply) === 5 ? 'refused' : 'deferred'].push({ recipient, reply })
    }
    const text = this.#answered('text')
    return text && kindOf(text) === 2 ? { ...outcome, answer: text.text } : outcome
  }

  /** Returns the refusal of this recipient, or else the answer of the relay to the message. */
  #replyTo(recipient: string): SmtpReply | undefined {
    const own = ['MAIL', `RCPT TO:<${recipient}>`].map((name) => this.#answered(name))
    const refusal = own.find((reply) => reply && kindOf(reply) !== 2)
    return refusal ?? this.#answered('text') ?? this.#answered('DATA')
  }

  #answered(name: string): SmtpReply | undefined {
    return this.#answers.find(({ command }) => command.startsWith(name))?.reply
  }

  /** Resets the connection. The answer to the message counts, even if the relay then closes it. */
  async #reset(): Promise<void> {
    await this.#run<unknown>((done) => this.#smtp.reset(done)).catch(() => this.destroy())
  }

  async *#linesOf(path: string): AsyncGenerator<Buffer> {
    const data = this.#answered('DATA')
    // Neither 4xx nor 5xx, and no message can follow: the meaning of the answer is unknown.
    if (data?.code !== 354) throw new ConnectionBroken(`the relay answered to DATA: ${data?.text}`)
    for await (const chunk of createReadStream(path)) {
      this.#within(this.#times.answer_ms, 'the relay stopped reading')
      yield chunk
    }
    this.#isTextSent = true
    this.#commands.push('text')
    this.#within(this.#times.accept_ms)
  }

  /** Reads the dialogue, which nodemailer logs without secrets. */
  #heard(entry: unknown, text: string): void {
    const { tnx } = Object(entry)
    if (tnx === 'client') {
      if (this.#isSecuring) this.#log('TLS has started, and the certificate of the relay is valid')
      this.#isSecuring = false
      this.#commands.push(text)
      this.#log(`> ${text.replace('/* secret */', '(user and password)')}`)
      this.#within(this.#times.answer_ms)
    } else if (tnx === 'server') {
      const reply = replyOf(text)
      const isText = this.#answered('DATA')?.code === 354
      const command = this.#commands.shift() ?? (isText ? 'text' : 'greeting')
      this.#isSecuring = command === 'STARTTLS' && reply.code === 220
      this.#answers.push({ command, reply })
      this.#log(`< ${reply.text}`)
      if (this.#commands.length === 0) clearTimeout(this.#timer)
      else this.#within(this.#times.answer_ms)
    }
  }

  #within(ms: number, reason = withoutAnswer(ms)): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#end(new ConnectionBroken(reason))
      this.destroy()
    }, ms)
  }

  #run<R>(work: (done: (error?: Error | null, result?: R) => void) => void): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    this.#fail = reject
    work((error, result) => (error ? reject(this.#broken(error)) : resolve(result as R)))
    return promise
  }

  #end(error: Error): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
    this.#fail(error)
  }

  #broken(error: Error): Error {
    const { code, response, syscall } = Object(error)
    const text = response ? replyOf(String(response)).text : undefined
    // nodemailer adds the answer to its message.
    if (error instanceof RelayRefused) return text === undefined ? error : new RelayRefused(text)
    if (error instanceof ConnectionBroken) return error
    if (code === 'ETLS' && text !== undefined) return new RelayRefused(WITHOUT_TLS)
    if (text !== undefined) return Object.assign(new ConnectionBroken(text), { response })
    if (code === 'ETIMEDOUT') return new ConnectionBroken(withoutAnswer(this.#times.answer_ms))
    const isOfTls = this.#isSecuring && syscall === undefined
    const reason = REASONS[code] ?? error.message.replace(/^Error initiating TLS - /, '')
    return new ConnectionBroken(isOfTls ? `TLS with the relay failed: ${reason}` : reason)
  }
}

const WITHOUT_TLS = 'the relay does not offer STARTTLS: choose another kind of TLS, or port'
/** The reasons by the codes of nodemailer for errors without an answer. */
const REASONS: Readonly<Record<string, string>> = {
  EPROTOCOL: 'the answer of the relay is too long',
  ECONNECTION: 'the relay closed the connection',
}
const withoutAnswer = (ms: number) => `the relay did not answer within ${ms / 1000} seconds`

/** Connects to a relay. Throws a readable error that has the answer of the relay. */
export async function connect(relay: Relay, options: SmtpOptions = {}): Promise<SmtpConnection> {
  const { host, port } = relay
  options.log?.(`Connecting to ${host}, port ${port}`)
  const socket = await awaitConnected(net.connect({ host, port }), options.times ?? DEFAULT_TIMES)
  const connection = new SmtpConnection(socket, relay, options)
  try {
    await connection.begin(relay)
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** Sends one message. `taken` is called at its acceptance. Throws Broken if that is unknown. */
export const send = (
  connection: SmtpConnection,
  message: OutgoingMessage,
  taken: (outcome: SendOutcome) => void = () => undefined,
): Promise<SendOutcome> => connection.send(message, taken)

function awaitConnected(socket: net.Socket, { connect_ms }: SmtpTimes): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>()
  const fail = (reason: string) => {
    socket.destroy()
    reject(new ConnectionBroken(reason))
  }
  const late = () => fail(`no connection within ${connect_ms / 1000} seconds`)
  const timer = setTimeout(late, connect_ms)
  const failed = (error: Error) => fail(error.message || String(error))
  socket.once('error', failed)
  socket.once('connect', () => {
    socket.off('error', failed)
    resolve(socket)
  })
  return promise.finally(() => clearTimeout(timer))
}

const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64')

/** Logs in. A relay that offers neither PLAIN nor LOGIN never gets the password. */
async function logIn(context: SMTPConnectionCustomAuthContext): Promise<void> {
  const { auth, authMethods, sendCommand } = context
  const { user, pass } = auth.credentials
  const expect = async (line: string, code: number) => {
    const { status, response } = await sendCommand(line)
    if (status !== code) throw new RelayRefused(replyOf(response).text)
  }
  if (authMethods.length === 0)
    throw new RelayRefused('the relay offers no login: check the port and the kind of TLS')
  if (authMethods.includes('PLAIN')) await expect(`AUTH PLAIN ${encode(`\0${user}\0${pass}`)}`, 235)
  else if (authMethods.includes('LOGIN')) {
    await expect('AUTH LOGIN', 334)
    await expect(encode(user), 334)
    await expect(encode(pass), 235)
  } else {
    const offered = authMethods.join(' ')
    throw new RelayRefused(`the relay offers neither AUTH PLAIN nor AUTH LOGIN, but: ${offered}`)
  }
}

const errorOf = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))

const kindOf = ({ code }: SmtpReply) => Math.floor(code / 100)

function replyOf(response: string): SmtpReply {
  const code = Number(/^[2-5]\d\d(?=[ -]|$)/m.exec(response)?.[0] ?? 0)
  if (code === 0) return { code, text: `the relay answered: ${printable(response)}` }
  const lines = response.split('\n').map((line) => line.replace(/^\d{3}[ -]?/, ''))
  return { code, text: printable(`${code} ${lines.join(' ')}`.trim()) }
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_TEXT)
