import { connect, createServer, type Server, type Socket } from 'node:net'

interface Options {
  /** The local port that it forwards to. */
  port: number
  /** The answer bytes before a connection is cut, by its last request; undefined: never; below 0: the request is lost. */
  cutAfter(request: string): number | undefined
}

/** Forwards connections and cuts them in the middle of an answer, as a network does. */
export class CuttingProxy {
  cuts = 0
  readonly #options: Options
  readonly #open = new Set<Socket>()
  readonly #server: Server = createServer((socket) => this.#pass(socket))

  constructor(options: Options) {
    this.#options = options
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()))
    const address = this.#server.address()
    return typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#open) socket.destroy()
    await closed
  }

  #pass(near: Socket): void {
    const far = connect(this.#options.port, '127.0.0.1')
    const both = [near, far]
    const end = () => {
      for (const socket of both) socket.destroy()
    }
    for (const socket of both) {
      this.#open.add(socket)
      socket.on('error', end)
      socket.on('close', () => this.#open.delete(socket))
    }
    far.on('close', () => near.end())
    near.on('close', () => far.destroy())
    let left: number | undefined
    near.on('data', (asked: Buffer) => {
      const text = asked.toString('latin1')
      if (/^(GET|POST) /.test(text)) left = this.#options.cutAfter(text)
      if (left === undefined || left >= 0) far.write(asked)
      else this.#cut(near, Buffer.alloc(0))
    })
    far.on('data', (answer: Buffer) => {
      if (left === undefined || answer.length < left) near.write(answer)
      else this.#cut(near, answer.subarray(0, left))
      if (left !== undefined) left -= answer.length
    })
  }

  /** Data that was sent before still arrives. */
  #cut(near: Socket, last: Buffer): void {
    this.cuts += 1
    near.write(last, () => near.destroy())
  }
}
