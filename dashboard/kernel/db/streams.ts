import {
  type HttpClient,
  HttpServerError,
  type HttpStream,
  ResponseError,
} from '@libsql/hrana-client'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'

/** As many as the client of `@libsql/client` has. */
const MOST = 20
/** Each has a connection of the server to the records. */
const MAX_IDLE = 8

/**
 * Streams of statements on a libSQL server. They stay open: the server opens the records for each
 * stream, which takes longer than most statements. It closes those that are idle for 10 seconds.
 */
export class Streams {
  readonly #connect: () => HttpClient
  readonly #limit = new Limit(MOST)
  #client: HttpClient
  /** The last one is used next. */
  #idle: HttpStream[] = []

  constructor(connect: () => HttpClient) {
    this.#connect = connect
    this.#client = connect()
  }

  use<T>(work: (stream: HttpStream) => Promise<T>): Promise<T> {
    return this.#limit.run(async () => {
      const idle = this.#idle.pop()
      if (idle === undefined) return this.#run(this.#client.openStream(), work)
      try {
        return await this.#run(idle, work)
      } catch (error) {
        if (!isUnknownStream(error)) throw error
        return this.#run(this.#client.openStream(), work)
      }
    })
  }

  reconnect(): void {
    this.close()
    this.#client = this.#connect()
  }

  close(): void {
    this.#idle = []
    this.#client.close()
  }

  async #run<T>(stream: HttpStream, work: (stream: HttpStream) => Promise<T>): Promise<T> {
    try {
      return await work(stream)
    } finally {
      if (stream.client() !== this.#client || this.#idle.length >= MAX_IDLE) stream.close()
      else if (!stream.closed) this.#idle.push(stream)
    }
  }
}

/** The server has closed it, or was started again: it has executed nothing. */
function isUnknownStream(error: unknown): boolean {
  if (error instanceof HttpServerError) return error.status === 400
  return error instanceof ResponseError && error.code === 'STREAM_EXPIRED'
}
