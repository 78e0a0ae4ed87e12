import type { Socket } from 'node:net'

const MAX_LINE = 256 << 10

/** The data of a site: one line, and then the announced number of bytes. */
export class Incoming {
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
