import net from 'node:net'
import { hostname } from 'node:os'
import type { Relay } from '#agent/os/mail/setting.ts'
import { logIn } from './login.ts'
import { Broken, expect, Refused, Replies, type Reply } from './replies.ts'
import { opened, secured, TIMES, type Times } from './sockets.ts'

export interface SmtpOptions {
  /** Receives the dialogue, without secrets. */
  log?: (line: string) => void
  times?: Times
  roots?: string
}

/** A connection on which a relay accepts messages. */
export class Connection {
  readonly times: Times
  #stream: net.Socket
  #replies: Replies
  readonly #log: (line: string) => void
  readonly #roots: string | undefined

  constructor(stream: net.Socket, { log = () => undefined, times = TIMES, roots }: SmtpOptions) {
    this.#stream = stream
    this.#replies = new Replies(stream)
    this.#log = log
    this.times = times
    this.#roots = roots
  }

  get stream(): net.Socket {
    return this.#stream
  }

  async reply(timeout_ms = this.times.answer_ms): Promise<Reply> {
    const reply = await this.#replies.next(timeout_ms)
    this.#log(`< ${reply.text}`)
    return reply
  }

  /** Whether another message can use it. */
  get open(): boolean {
    return !this.#replies.ended && this.#stream.writable
  }

  /** `shown` replaces a secret in the dialogue. */
  async command(line: string, shown = line): Promise<Reply> {
    const { unasked } = this.#replies
    if (unasked !== undefined) throw new Broken(unasked)
    this.#log(`> ${shown}`)
    this.#stream.write(`${line}\r\n`)
    return this.reply()
  }

  async secure(host: string): Promise<void> {
    this.#replies.detach()
    const trust = { times: this.times, roots: this.#roots }
    this.#stream = await secured({ socket: this.#stream }, host, trust)
    this.#replies = new Replies(this.#stream)
    this.#log('TLS has started, and the certificate of the relay is valid')
  }

  /** Sends QUIT without waiting for the answer. */
  close(): void {
    if (!this.#stream.destroyed) this.#stream.end('QUIT\r\n')
    setTimeout(() => this.#stream.destroy(), 1000).unref?.()
  }

  destroy(): void {
    this.#stream.destroy()
  }
}

/** Throws Broken or Refused, with the answer of the relay in its message. */
export async function connect(relay: Relay, options: SmtpOptions = {}): Promise<Connection> {
  const { host, port, tls: mode } = relay
  const { times = TIMES, roots } = options
  options.log?.(`Connecting to ${host}, port ${port}`)
  const stream =
    mode === 'implicit'
      ? await secured({ host, port }, host, { times, roots })
      : await opened(net.connect({ host, port }), 'connect', times)
  const connection = new Connection(stream, options)
  try {
    await greet(connection, relay)
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function greet(connection: Connection, relay: Relay): Promise<void> {
  expect(await connection.reply(), 220)
  let features = await hello(connection)
  if (relay.tls === 'starttls') {
    if (!features.has('STARTTLS')) {
      throw new Refused('the relay does not offer STARTTLS: choose another kind of TLS, or port')
    }
    expect(await connection.command('STARTTLS'), 220)
    await connection.secure(relay.host)
    features = await hello(connection)
  }
  if (relay.user !== '') await logIn(connection, relay, features.get('AUTH'))
}

async function hello(connection: Connection): Promise<Map<string, string>> {
  const reply = await connection.command(`EHLO ${ownName()}`)
  expect(reply, 250)
  const words = reply.lines.slice(1).map((line) => line.split(/[ =]/))
  return new Map(words.map(([name = '', ...rest]) => [name.toUpperCase(), rest.join(' ')]))
}

/** A name in brackets is an address literal, which has no DNS entry. */
function ownName(): string {
  const name = hostname().toLowerCase()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name) ? name : '[127.0.0.1]'
}
