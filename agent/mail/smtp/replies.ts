import type { Duplex } from 'node:stream'

/** One answer of a relay: RFC 5321, 4.2. `text` is one line of at most 500 printable characters. */
export interface Reply {
  code: number
  text: string
  /** All of its lines, without the code. */
  lines: string[]
}

const MOST_LINES = 100
const MOST_BYTES = 64 << 10
const MOST_TEXT = 500
const TOO_LONG = 'the answer of the relay is too long'

/** The connection to a relay that broke, in one readable line. */
export class Broken extends Error {}

/** The relay answered with an error that does not concern the message. */
export class Refused extends Error {}

export function expect(reply: Reply, code: number): void {
  if (reply.code !== code) throw new Refused(reply.text)
}

/** Reads the answers of a relay one after the other, each within its time and within limits of length. */
export class Replies {
  #text = ''
  #lines: string[] = []
  #ended: Broken | undefined
  #waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined
  #ready: Reply[] = []
  readonly #stream: Duplex

  constructor(stream: Duplex) {
    this.#stream = stream
    stream.on('data', this.#receive)
    stream.on('error', (error) => this.#end(error.message))
    stream.on('close', () => this.#end('the relay closed the connection'))
  }

  /** Of a relay that sends a line without a request, for example before it ends the connection. */
  get unasked(): string | undefined {
    return this.#ready[0]?.text
  }

  get ended(): boolean {
    return this.#ended !== undefined
  }

  next(timeout_ms: number): Promise<Reply> {
    const ready = this.#ready.shift()
    if (ready) return Promise.resolve(ready)
    if (this.#ended) return Promise.reject(this.#ended)
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const late = () => this.#end(`the relay did not answer within ${timeout_ms / 1000} seconds`)
    const timer = setTimeout(late, timeout_ms)
    this.#waiting = { resolve, reject }
    return promise.finally(() => clearTimeout(timer))
  }

  /** Before TLS starts: earlier data must not count as received under TLS. */
  detach(): void {
    this.#stream.off('data', this.#receive)
    if (this.#text !== '' || this.#ready.length > 0 || this.#lines.length > 0) {
      throw new Broken('the relay sent data before TLS started')
    }
  }

  readonly #receive = (chunk: Buffer | string): void => {
    this.#text += Buffer.from(chunk as Buffer).toString('latin1')
    if (this.#text.length > MOST_BYTES) {
      this.#end(TOO_LONG)
      return
    }
    const lines = this.#text.split('\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) this.#line(line.replace(/\r$/, ''))
  }

  #line(line: string): void {
    const [, digits, more, rest = ''] = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line) ?? []
    this.#lines.push(printable(rest))
    if (digits === undefined) this.#end(`the relay answered: ${printable(line)}`)
    else if (this.#lines.length > MOST_LINES) this.#end(TOO_LONG)
    else if (more !== '-') this.#whole(digits)
  }

  #whole(digits: string): void {
    const lines = this.#lines.splice(0)
    const text = `${digits} ${lines.join(' ')}`.trim().slice(0, MOST_TEXT)
    this.#give({ code: Number(digits), text, lines })
  }

  #give(reply: Reply): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) waiting.resolve(reply)
    else this.#ready.push(reply)
  }

  #end(reason: string): void {
    this.#ended ??= new Broken(reason)
    this.#stream.destroy()
    this.#waiting?.reject(this.#ended)
    this.#waiting = undefined
  }
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_TEXT)
