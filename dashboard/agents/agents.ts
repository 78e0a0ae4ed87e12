import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { Limit } from '#dashboard/runtime/limit.ts'
import { OPERATION_HEADER } from '#shared/agent.ts'
import { offline } from '#shared/errors.ts'
import { readEvents, type StoredEvent } from '#shared/sse.ts'
import { slow, unreachable } from './answer.ts'
import { answered } from './answered.ts'
import { bytesOf } from './byte-stream.ts'
import type { Allowance } from './output-limits.ts'
import { type ListOf, piecesFrom, readJson, readList } from './read-answer.ts'
import { RequestTimeout } from './request-timeout.ts'
import { type Address, type Call, getting, posting, type Transports } from './transport.ts'

const SIMULTANEOUS = 256
const MAX_ANSWER = 1 << 20
/** An agent sends a comment every 10 s. */
const STALL_MS = 45_000
const FIRST_BYTES_MS = 10 * 60_000

interface Options {
  transports: Transports
  /** How long an answer may take, from the moment the call has its slot. */
  timeout_ms: number
}

interface Limits {
  timeout_ms?: number | undefined
  signal?: AbortSignal | undefined
}

interface ByteLimits {
  whole_ms?: number
  signal?: AbortSignal
}

interface StreamCall {
  path: string
  body: unknown
  operation_id: string
  /** The last received event, by the numbers of the agent; 0 for none. */
  after: number
  signal: AbortSignal
  /** The time limit of the connection, and its error. */
  end: { ms: number; error: () => Error }
  allowance: Allowance
  /** Called when the agent is reachable, before anything is sent. */
  sending?(): Promise<void>
}

/** Calls agents. Every failure is a ServiceError; only `offline` is worth a retry. */
export class Agents {
  readonly #options: Options
  readonly #slots = new Limit(SIMULTANEOUS)
  readonly #closing = new AbortController()

  constructor(options: Options) {
    this.#options = options
  }

  /** `signal` aborts the call; it then fails as by `close`. */
  get<S extends z.ZodType>(
    to: Address,
    path: string,
    schema: S,
    timeout_ms?: number,
    signal?: AbortSignal,
  ) {
    return this.#json(to, getting(path), schema, { timeout_ms, signal })
  }

  /** The entries of a list that grows with the sites of a server. */
  list<S extends z.ZodType>(to: Address, path: string, of: ListOf<S>, signal?: AbortSignal) {
    return this.#read(to, getting(path), (response) => readList(response, of), { signal })
  }

  post<S extends z.ZodType>(
    to: Address,
    path: string,
    body: unknown,
    schema: S,
    headers: Record<string, string> = {},
    limits: Limits = {},
  ) {
    return this.#json(to, posting(path, body, headers), schema, limits)
  }

  /**
   * Resolves with the first bytes of an answer of any length, which may take minutes; with
   * `whole_ms`, the answer ends within this time. `signal` aborts it.
   */
  async bytes(to: Address, path: string, body: unknown, { whole_ms, signal }: ByteLimits = {}) {
    const closing = this.#closing.signal
    const unwanted = signal ? AbortSignal.any([closing, signal]) : closing
    const end = whole_ms === undefined ? undefined : { ms: whole_ms, error: () => slow(to) }
    return this.#slots.run(async () => {
      const timeout = new RequestTimeout(FIRST_BYTES_MS, unwanted, end)
      try {
        const response = await answered(
          await this.#options.transports(to),
          posting(path, body),
          timeout,
        )
        return { type: response.headers['content-type'] ?? '', body: bytesOf(response, timeout) }
      } catch (error) {
        timeout.end()
        throw unreachable(to, error)
      }
    })
  }

  /** Resolves when the agent has accepted; then the events, until the connection ends. */
  async stream(to: Address, call: StreamCall): Promise<AsyncGenerator<StoredEvent>> {
    const { path, body, operation_id, after, signal, sending, end } = call
    const request = posting(path, body, {
      accept: 'text/event-stream',
      [OPERATION_HEADER]: operation_id,
      ...(after > 0 ? { 'last-event-id': String(after) } : {}),
    })
    const timeout = new RequestTimeout(this.#options.timeout_ms, signal, end)
    try {
      const response = await this.#slots.run(async () => {
        const transport = await this.#options.transports(to)
        await sending?.()
        return answered(transport, request, timeout)
      })
      return eventsOf(to, response, timeout, call)
    } catch (error) {
      timeout.end()
      throw unreachable(to, error)
    }
  }

  /** Ends every waiting call, with an error that does not concern the agent. */
  close(): void {
    this.#closing.abort()
  }

  #json<S extends z.ZodType>(to: Address, call: Call, schema: S, limits: Limits = {}) {
    const read = async (response: IncomingMessage): Promise<z.output<S> | undefined> =>
      schema.safeParse(await readJson(response, MAX_ANSWER)).data
    return this.#read(to, call, read, limits)
  }

  /** `read` returns undefined for an invalid answer. */
  #read<T>(
    to: Address,
    call: Call,
    read: (response: IncomingMessage) => Promise<T | undefined>,
    limits: Limits = {},
  ): Promise<T> {
    const closing = this.#closing.signal
    const unwanted = limits.signal ? AbortSignal.any([closing, limits.signal]) : closing
    return this.#slots.run(async () => {
      const timeout = new RequestTimeout(limits.timeout_ms ?? this.#options.timeout_ms, unwanted)
      try {
        const response = await answered(await this.#options.transports(to), call, timeout)
        const answer = await read(response)
        if (answer !== undefined) return answer
        response.destroy()
        throw offline(`The agent sent a malformed answer to ${call.path}`)
      } catch (error) {
        throw unwanted.aborted ? new Error('closing') : unreachable(to, error)
      } finally {
        timeout.end()
      }
    })
  }
}

async function* eventsOf(
  to: Address,
  response: IncomingMessage,
  timeout: RequestTimeout,
  call: StreamCall,
) {
  try {
    timeout.again(STALL_MS)
    yield* readEvents(watched(response, timeout, call))
  } catch (error) {
    throw unreachable(to, error)
  } finally {
    timeout.end()
    response.destroy()
  }
}

async function* watched(
  response: IncomingMessage,
  timeout: RequestTimeout,
  { allowance }: StreamCall,
): AsyncGenerator<Uint8Array> {
  for await (const piece of piecesFrom(response)) {
    timeout.again(STALL_MS)
    allowance.received({ bytes: piece.length })
    yield piece
  }
}
