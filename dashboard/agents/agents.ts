import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { Limit } from '#dashboard/runtime/limit.ts'
import { Metrics } from '#shared/agent.ts'
import { OPERATION_HEADER } from '#shared/agent-headers.ts'
import { offline } from '#shared/errors.ts'
import { type Plan, PlanAnswer } from '#shared/plan.ts'
import type { StoredEvent } from '#shared/sse.ts'
import { slow, unreachable } from './answer.ts'
import { answered } from './answered.ts'
import { bytesOf } from './byte-stream.ts'
import { eventsOf, type StreamCall } from './event-stream.ts'
import { hasOurProtocol, isOfEveryAgent, upgradeNeeded } from './protocol.ts'
import { type ListOf, readDigest, readJson, readList } from './read-answer.ts'
import { RequestTimeout } from './request-timeout.ts'
import { type Address, type Call, getting, posting, type Transports } from './transport.ts'

const SIMULTANEOUS = 256
const MAX_ANSWER = 1 << 20
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

interface PostLimits extends Limits {
  /** A second request would do something else than the first: it is not sent when a connection breaks. */
  isOnce?: boolean
}

interface ByteLimits {
  whole_ms?: number
  signal?: AbortSignal
}

/**
 * Calls agents. Every failure is a ServiceError; only `offline` is worth a retry. A call that not every
 * agent has is refused for an agent of another protocol, and not sent.
 */
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

  /** The SHA-256 of an answer: another one after each change of it. */
  digest(to: Address, path: string): Promise<string> {
    return this.#read(to, getting(path), readDigest)
  }

  /** The answer of a call that the agent holds open: other calls do not wait for it. */
  async held<S extends z.ZodType>(to: Address, path: string, schema: S, limits: Limits) {
    await this.#admit(to, path)
    return this.#answer(to, getting(path), jsonOf(schema), limits)
  }

  /** The entries of a list that grows with the sites of a server. */
  list<S extends z.ZodType>(to: Address, path: string, of: ListOf<S>, signal?: AbortSignal) {
    return this.#read(to, getting(path), (response) => readList(response, of), { signal })
  }

  /** The plan of a command. An agent of another protocol might run the command instead. */
  async plan(to: Address, command: string, params: unknown): Promise<{ plan: Plan }> {
    await this.#requireOurs(to)
    return this.post(to, '/exec', { command, params, dry_run: true }, PlanAnswer)
  }

  /** A reading, or a change that the agent makes once. */
  post<S extends z.ZodType>(
    to: Address,
    path: string,
    body: unknown,
    schema: S,
    headers: Record<string, string> = {},
    { isOnce = false, ...limits }: PostLimits = {},
  ) {
    return this.#json(to, posting(path, body, headers, !isOnce), schema, limits)
  }

  /**
   * Resolves with the first bytes of an answer of any length, which may take minutes; with
   * `whole_ms`, the answer ends within this time. `signal` aborts it.
   */
  async bytes(to: Address, path: string, body: unknown, { whole_ms, signal }: ByteLimits = {}) {
    await this.#admit(to, path)
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

  async #admit(to: Address, path: string): Promise<void> {
    if (!isOfEveryAgent(path)) await this.#requireOurs(to)
  }

  /** Asks an agent that has not reported its metrics yet. */
  async #requireOurs(to: Address): Promise<void> {
    const metrics = to.metrics ?? (await this.get(to, '/metrics', Metrics))
    if (!hasOurProtocol({ metrics })) throw upgradeNeeded()
  }

  #json<S extends z.ZodType>(to: Address, call: Call, schema: S, limits: Limits = {}) {
    return this.#read(to, call, jsonOf(schema), limits)
  }

  async #read<T>(to: Address, call: Call, read: Read<T>, limits: Limits = {}): Promise<T> {
    await this.#admit(to, call.path)
    return this.#slots.run(() => this.#answer(to, call, read, limits))
  }

  async #answer<T>(to: Address, call: Call, read: Read<T>, limits: Limits): Promise<T> {
    const closing = this.#closing.signal
    const unwanted = limits.signal ? AbortSignal.any([closing, limits.signal]) : closing
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
  }
}

/** Returns undefined for an invalid answer. */
type Read<T> = (response: IncomingMessage) => Promise<T | undefined>

const jsonOf =
  <S extends z.ZodType>(schema: S): Read<z.output<S>> =>
  async (response) =>
    schema.safeParse(await readJson(response, MAX_ANSWER)).data
