import { EventEmitter } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'

/** The client request of node:http: the part used by fleet/agents.ts. */
export class SimulatedRequest extends EventEmitter {
  destroyed = false

  destroy(_reason?: Error): this {
    this.destroyed = true
    return this
  }

  fail(code: string): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('error', Object.assign(new Error(code), { code }))
  }

  answer(response: SimulatedAnswer): void {
    if (this.destroyed) response.destroy()
    else this.emit('response', response as unknown as IncomingMessage)
  }

  asClientRequest(): ClientRequest {
    return this as unknown as ClientRequest
  }
}

/** An answer whose pieces arrive as the network lets them. */
export class SimulatedAnswer {
  readonly statusCode: number
  readonly headers: Record<string, string>
  /** Called once, when the reader has gone. */
  onGone: () => void = () => undefined
  #pieces: Buffer[] = []
  #end: { error?: Error } | undefined
  #wake = Promise.withResolvers<void>()

  constructor({ status, headers }: Response) {
    this.statusCode = status
    this.headers = Object.fromEntries(headers)
  }

  get over(): boolean {
    return this.#end !== undefined
  }

  push(piece: Uint8Array): void {
    if (this.over) return
    this.#pieces.push(Buffer.from(piece))
    this.#signal()
  }

  end(): void {
    this.#close({})
  }

  /** The connection broke: data received before is still read. */
  break(code: string): void {
    this.#close({ error: Object.assign(new Error('aborted'), { code }) })
  }

  destroy(reason?: Error): this {
    this.#pieces = []
    this.#close({ error: reason ?? new Error('destroyed') })
    return this
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece) yield piece
      else if (this.#end?.error) throw this.#end.error
      else if (this.#end) return
      else await this.#wake.promise
    }
  }

  #close(end: { error?: Error }): void {
    if (this.over) return
    this.#end = end
    this.#signal()
    this.onGone()
  }

  #signal(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}
