import { connect, type Socket } from 'node:net'

const BLANK_LINE = '\r\n\r\n'

/** One kept HTTP/1.1 connection with one request at a time: it costs much less than `fetch`. */
export class Connection {
  readonly #port: number
  #socket: Socket
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #waiting: { resolve(status: number): void; reject(error: Error): void } | undefined

  constructor(port: number) {
    this.#port = port
    this.#socket = this.#open()
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    const broken = () => this.#waiting?.reject(new Error('a connection has ended'))
    socket.on('error', broken)
    socket.on('close', broken)
    return socket
  }

  /** Resolves with the status when the whole answer has arrived. */
  get(path: string, cookie: string): Promise<number> {
    // The dashboard closes one that has been idle for long.
    if (this.#socket.destroyed) this.#socket = this.#open()
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nAccept: */*\r\n\r\n`,
    )
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    const end = this.#received.indexOf(BLANK_LINE)
    if (end < 0) return
    const head = this.#received.subarray(0, end).toString('latin1')
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1])
    if (!(this.#received.length >= end + BLANK_LINE.length + length)) return
    this.#received = Buffer.alloc(0)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(Number(head.slice(9, 12)))
  }
}
