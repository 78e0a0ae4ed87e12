import type { ClientRequest, IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { Limit } from '#dashboard/runtime/limit.ts'
import { currentRequestId } from '#dashboard/runtime/request-id.ts'
import { OPERATION_HEADER, REQUEST_HEADER } from '#shared/agent.ts'
import { offline } from '#shared/errors.ts'
import { readEvents, type StoredEvent } from '#shared/sse.ts'
import { refusal, unreachable } from './answer.ts'
import type { Address, Call, Transport, Transports } from './transport.ts'

const SIMULTANEOUS = 256
/** What a server tells of its sites grows with them; every other answer is short. */
const MAX_SITES = 64 << 20
const MAX_ANSWER = 1 << 20
const MAX_FAILURE = 64 << 10
/** An agent sends a comment every 10 s. */
const STALL_MS = 45_000

interface Options {
  transports: Transports
  /** How long an answer may take, from the moment the call has its slot. */
  timeout_ms: number
}

interface Limits {
  timeout_ms?: number | undefined
  signal?: AbortSignal | undefined
}

interface StreamCall {
  path: string
  body: unknown
  operation_id: string
  /** The last event that is known, as the agent counts; 0 for none. */
  after: number
  signal: AbortSignal
  /** Called when there is a way to the agent, before anything is sent. */
  sending?(): Promise<void>
}

/** Talks to agents. Every failure is a ServiceError; `offline` is the one worth another try. */
export class Agents {
  readonly #options: Options
  readonly #slots = new Limit(SIMULTANEOUS)
  readonly #closing = new AbortController()

  constructor(options: Options) {
    this.#options = options
  }

  /** `signal` ends it when nobody wants the answer any more; then it fails as by `close`. */
  get<S extends z.ZodType>(
    to: Address,
    path: string,
    schema: S,
    timeout_ms?: number,
    signal?: AbortSignal,
  ) {
    const call: Call = { method: 'GET', path, headers: {}, body: '' }
    return this.#json(to, call, schema, { timeout_ms, signal })
  }

  post<S extends z.ZodType>(
    to: Address,
    path: string,
    body: unknown,
    schema: S,
    headers: Record<string, string> = {},
  ) {
    return this.#json(to, posting(path, body, headers), schema)
  }

  /** Resolves when the agent has accepted; then the events, until the connection ends. */
  async stream(to: Address, call: StreamCall): Promise<AsyncGenerator<StoredEvent>> {
    const { path, body, operation_id, after, signal, sending } = call
    const request = posting(path, body, {
      accept: 'text/event-stream',
      [OPERATION_HEADER]: operation_id,
      ...(after > 0 ? { 'last-event-id': String(after) } : {}),
    })
    const watch = new Watch(this.#options.timeout_ms, signal)
    try {
      const response = await this.#slots.run(async () => {
        const transport = await this.#options.transports(to)
        await sending?.()
        return answered(transport, request, watch)
      })
      return eventsOf(to, response, watch)
    } catch (error) {
      watch.end()
      throw unreachable(to, error)
    }
  }

  /** Ends every call that waits for an answer; it fails with an error that says nothing of the agent. */
  close(): void {
    this.#closing.abort()
  }

  #json<S extends z.ZodType>(to: Address, call: Call, schema: S, limits: Limits = {}) {
    const closing = this.#closing.signal
    const unwanted = limits.signal ? AbortSignal.any([closing, limits.signal]) : closing
    return this.#slots.run(async (): Promise<z.output<S>> => {
      const watch = new Watch(limits.timeout_ms ?? this.#options.timeout_ms, unwanted)
      try {
        const response = await answered(await this.#options.transports(to), call, watch)
        const body = schema.safeParse(await readJson(response, mostOf(call)))
        if (!body.success) throw offline(`The agent sent a malformed answer to ${call.path}`)
        return body.data
      } catch (error) {
        throw unwanted.aborted ? new Error('closing') : unreachable(to, error)
      } finally {
        watch.end()
      }
    })
  }
}

/** Ends a request that is too slow or no longer wanted. */
class Watch {
  #destroy: ((reason: Error) => void) | undefined
  #timer: ReturnType<typeof setTimeout>
  readonly #signal: AbortSignal | undefined
  readonly #abort = () => this.#stop(new Error('no longer wanted'))
  /** Whether it has ended the request. */
  over = false

  constructor(ms: number, signal?: AbortSignal) {
    this.#timer = this.#arm(ms)
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort, { once: true })
  }

  guard(destroy: (reason: Error) => void): void {
    this.#destroy = destroy
    if (this.#signal?.aborted) this.#abort()
  }

  again(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#arm(ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#abort)
  }

  #arm(ms: number) {
    const late = Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' })
    return setTimeout(() => this.#stop(late), ms)
  }

  #stop(reason: Error): void {
    this.over = true
    this.#destroy?.(reason)
  }
}

function posting(path: string, body: unknown, headers: Record<string, string> = {}): Call {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

/** The answer of a call when it is a 200 or a 202; redirects are answers like any other, and refused. */
async function answered(transport: Transport, call: Call, watch: Watch): Promise<IncomingMessage> {
  const first = await opened(transport, call, watch)
  const again = first.statusCode === 401 && transport.learn(first.headers)
  if (again) await readJson(first, MAX_FAILURE).catch(() => undefined)
  const response = again ? await opened(transport, call, watch) : first
  if (response.statusCode === 200 || response.statusCode === 202) return response
  const body = await readJson(response, MAX_FAILURE).catch(() => undefined)
  throw refusal(response.statusCode ?? 0, body, response.headers['retry-after'])
}

function mostOf({ path }: Call): number {
  return path === '/sites' ? MAX_SITES : MAX_ANSWER
}

/** The agent's log has the id of the request that led to this call. */
function named(call: Call): Call {
  const id = currentRequestId()
  return id ? { ...call, headers: { ...call.headers, [REQUEST_HEADER]: id } } : call
}

/**
 * A kept connection may be one that the agent is just closing. What it was asked there, it is asked
 * once more over a new connection, signed anew, where to have heard both does no harm.
 */
async function opened(transport: Transport, call: Call, watch: Watch): Promise<IncomingMessage> {
  const request = transport.open(named(call))
  try {
    return await responseTo(request, watch)
  } catch (error) {
    if (watch.over || !request.reusedSocket || !isRepeatable(call)) throw error
    return await responseTo(transport.open(named(call), true), watch)
  }
}

/** The agent carries the same operation out once, however often it is handed over. */
function isRepeatable({ method, headers }: Call): boolean {
  return method === 'GET' || headers[OPERATION_HEADER] !== undefined
}

async function responseTo(request: ClientRequest, watch: Watch): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    watch.guard((reason) => {
      reject(reason)
      request.destroy(reason)
    })
    request.on('error', reject)
    request.on('response', resolve)
  })
  watch.guard((reason) => response.destroy(reason))
  return response
}

async function readJson(response: IncomingMessage, most: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > most) throw offline('The agent sent an answer that is too large')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw offline('The agent sent an answer that is not JSON')
  }
}

async function* eventsOf(to: Address, response: IncomingMessage, watch: Watch) {
  try {
    watch.again(STALL_MS)
    yield* readEvents(watched(response, watch))
  } catch (error) {
    throw unreachable(to, error)
  } finally {
    watch.end()
    response.destroy()
  }
}

async function* watched(response: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const chunk of response) {
    watch.again(STALL_MS)
    yield chunk
  }
}
