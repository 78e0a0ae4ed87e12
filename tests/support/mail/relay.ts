import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface Received {
  from: string
  to: string[]
  text: string
  user: string
}

type Answer = (code: number, message: string) => Error

const refusal: Answer = (responseCode, message) =>
  Object.assign(new Error(message), { responseCode })

/**
 * A real SMTP server: `bounce@` is refused permanently and `defer@` for now, a subject `slow` is
 * accepted at `release`, one of `refuse` is refused after its text.
 */
export class Relay {
  readonly received: Received[] = []
  /** While true, `defer@` is refused with "Try later". */
  deferring = true
  readonly #options: SMTPServerOptions
  #server: SMTPServer | undefined
  #port = 0
  #slow: (() => void)[] = []
  connections = 0

  constructor(options: SMTPServerOptions = {}) {
    this.#options = options
  }

  get port(): number {
    return this.#port
  }

  get slow(): number {
    return this.#slow.length
  }

  async start(port = this.#port): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      disableReverseLookup: true,
      onConnect: (_, done) => {
        this.connections += 1
        done()
      },
      onAuth: ({ username = '', password }, _, done) =>
        password === 'right' ? done(null, { user: username }) : done(refusal(535, '5.7.8 No')),
      onRcptTo: ({ address }, _, done) => {
        if (address.startsWith('bounce@')) return done(refusal(550, '5.1.1 No such user'))
        if (address.startsWith('defer@') && this.deferring)
          return done(refusal(451, '4.7.1 Try later'))
        done()
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const text = Buffer.concat(chunks).toString('latin1')
          const take = () => {
            const { mailFrom, rcptTo } = session.envelope
            const from = mailFrom === false ? '' : mailFrom.address
            const to = rcptTo.map(({ address }) => address)
            this.received.push({ from, to, text, user: String(session.user ?? '') })
            done(null, `2.0.0 Ok: queued as ${this.received.length}`)
          }
          if (/^subject: slow/im.test(text)) this.#slow.push(take)
          else if (/^subject: refuse/im.test(text)) done(refusal(554, '5.7.1 Spam'))
          else take()
        })
      },
      ...this.#options,
    })
    server.on('error', () => undefined)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
    this.#server = server
    this.#port = (server.server.address() as AddressInfo).port
  }

  release(): void {
    for (const take of this.#slow.splice(0)) take()
  }

  /** Also ends its connections. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    for (const connection of server.connections) connection.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}
