import type { ClientRequest, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { z } from 'zod'
import { Limit } from '#dashboard/kernel/runtime/limit.ts'
import { currentRequestId } from '#dashboard/kernel/runtime/request-id.ts'
import { OPERATION_HEADER, REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import { offline, ServiceError } from '#shared/kernel/errors.ts'
import { type Plan, PlanAnswer } from '#shared/kernel/plan.ts'
import type { ListAnswer, ReadingContract } from '#shared/kernel/reading.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { AnyReading } from '#shared/readings.ts'
import { metricsReading } from '#shared/servers/readings.ts'
import { errorOfAnswer, NotConnected, timedOut, unreachable } from './agent-errors.ts'
import { eventsOf, type StreamCall } from './event-stream.ts'
import { hasOurProtocol, isOfEveryAgent, upgradeNeeded } from './protocol.ts'
import { type ContentOf, readDigest, readJson, readList } from './read-answer.ts'
import { RequestTimeout } from './request-timeout.ts'
import {
  type AgentAddress,
  type AgentRequest,
  getRequest,
  postRequest,
  type Transport,
  type Transports,
} from './transport.ts'

const MAX_CONCURRENT = 256
const MAX_ANSWER = 1 << 20
const FIRST_BYTES_MS = 10 * 60_000

interface AgentsOptions {
  transports: Transports
  /** How long an answer may take, from the moment the call has its slot. */
  timeout_ms: number
  /** How long a sign of life may take. */
  contact_ms: number
}

interface CallLimits {
  /** The time limit in place of that of the contract. */
  timeout_ms?: number | undefined
  /** Aborts the call; it then fails as by `close`. */
  signal?: AbortSignal | undefined
}

/** The first bytes of an answer, which have arrived. */
interface ByteAnswer {
  type: string
  body: ReadableStream<Uint8Array>
}

/** The answer of a reading as a dashboard gets it. */
export type ReadingAnswer<C extends AnyReading> = C['answer'] extends 'bytes' | 'events'
  ? ByteAnswer
  : ContentOf<C['answer']>

/**
 * Calls agents. Every failure is a ServiceError; only `offline` is worth a retry. A call that not every
 * agent has is refused for an agent of another protocol, and not sent.
 */
export class Agents {
  readonly #options: AgentsOptions
  readonly #slots = new Limit(MAX_CONCURRENT)
  readonly #closing = new AbortController()

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  /**
   * Asks for a reading. JSON and lists are whole and valid; bytes and events resolve with the first
   * bytes of an answer of any length, which may take minutes.
   */
  async call<C extends AnyReading>(
    to: AgentAddress,
    contract: C,
    params: z.input<C['params']>,
    limits: CallLimits = {},
  ): Promise<ReadingAnswer<C>> {
    const { answer: form, is_held }: ReadingContract = contract
    const request = requestOf(contract, params)
    const { timeout_ms = this.#timeoutOf(contract), signal } = limits
    await this.#admit(to, request.path)
    const ask = () =>
      form === 'bytes' || form === 'events'
        ? this.#bytes(to, request, { timeout_ms, signal })
        : this.#answer(to, request, readerOf(form), { timeout_ms, signal })
    // The types of contracts tie the form of an answer to what is read.
    const isHeld = is_held && Number(Object(params).wait ?? 0) > 0
    return (await (isHeld ? ask() : this.#slots.run(ask))) as ReadingAnswer<C>
  }

  /** Returns the SHA-256 of an answer: another one after each change of it. */
  digest(to: AgentAddress, contract: AnyReading): Promise<string> {
    return this.#read(to, requestOf(contract, {}), readDigest)
  }

  /** Returns the plan of a command. An agent of another protocol might run the command instead. */
  async plan(to: AgentAddress, command: string, params: unknown): Promise<{ plan: Plan }> {
    await this.#requireOurs(to)
    return this.post(to, '/exec', { command, params, dry_run: true }, PlanAnswer)
  }

  /** Sends what is no reading, as often as it is needed. */
  post<S extends z.ZodType>(to: AgentAddress, path: string, body: unknown, schema: S) {
    return this.#read(to, postRequest(path, body), readerOf(schema))
  }

  /** Resolves when the agent has accepted; then the events, until the connection ends. */
  async stream(to: AgentAddress, call: StreamCall): Promise<AsyncGenerator<StoredEvent>> {
    const { path, body, operation_id, after, signal, sending, end } = call
    const request = postRequest(path, body, {
      accept: 'text/event-stream',
      [OPERATION_HEADER]: operation_id,
      ...(after > 0 ? { 'last-event-id': String(after) } : {}),
    })
    const timeout = new RequestTimeout(this.#options.timeout_ms, signal, end)
    try {
      const response = await this.#slots.run(async () => {
        const transport = await this.#options.transports(to)
        await sending?.()
        return requestAnswer(transport, request, timeout)
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

  async #admit(to: AgentAddress, path: string): Promise<void> {
    if (!isOfEveryAgent(path)) await this.#requireOurs(to)
  }

  /** Asks an agent that has not reported its metrics yet. */
  async #requireOurs(to: AgentAddress): Promise<void> {
    const metrics = to.metrics ?? (await this.call(to, metricsReading, {}))
    if (!hasOurProtocol({ metrics })) throw upgradeNeeded()
  }

  #timeoutOf({ timeout_ms }: ReadingContract): number | undefined {
    return timeout_ms === 'contact' ? this.#options.contact_ms : timeout_ms
  }

  async #bytes(
    to: AgentAddress,
    request: AgentRequest,
    { timeout_ms, signal }: CallLimits,
  ): Promise<ByteAnswer> {
    const closing = this.#closing.signal
    const unwanted = signal ? AbortSignal.any([closing, signal]) : closing
    const end = timeout_ms === undefined ? undefined : { ms: timeout_ms, error: () => timedOut(to) }
    const timeout = new RequestTimeout(FIRST_BYTES_MS, unwanted, end)
    try {
      const response = await requestAnswer(await this.#options.transports(to), request, timeout)
      return { type: response.headers['content-type'] ?? '', body: bytesOf(response, timeout) }
    } catch (error) {
      timeout.end()
      throw unreachable(to, error)
    }
  }

  async #read<T>(
    to: AgentAddress,
    call: AgentRequest,
    read: ReadAnswer<T>,
    limits: CallLimits = {},
  ): Promise<T> {
    await this.#admit(to, call.path)
    return this.#slots.run(() => this.#answer(to, call, read, limits))
  }

  async #answer<T>(
    to: AgentAddress,
    call: AgentRequest,
    read: ReadAnswer<T>,
    limits: CallLimits,
  ): Promise<T> {
    const closing = this.#closing.signal
    const unwanted = limits.signal ? AbortSignal.any([closing, limits.signal]) : closing
    const timeout = new RequestTimeout(limits.timeout_ms ?? this.#options.timeout_ms, unwanted)
    try {
      const response = await requestAnswer(await this.#options.transports(to), call, timeout)
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
type ReadAnswer<T> = (response: IncomingMessage) => Promise<T | undefined>

const isList = (form: z.ZodType | ListAnswer): form is ListAnswer => 'key' in form

const readerOf =
  <F extends z.ZodType | ListAnswer>(form: F): ReadAnswer<ContentOf<F>> =>
  async (response): Promise<ContentOf<F> | undefined> => {
    if (isList(form)) return (await readList(response, form)) as ContentOf<F> | undefined
    return form.safeParse(await readJson(response, MAX_ANSWER)).data as ContentOf<F> | undefined
  }

function requestOf({ at, is_once }: ReadingContract, params: unknown): AgentRequest {
  const [method, path = ''] = at.split(' ')
  if (method === 'POST') return postRequest(path, params, {}, !is_once)
  const values = Object(params)
  if (Object.keys(values).length === 0) return getRequest(path)
  return getRequest(`${path}?${new URLSearchParams(values)}`)
}

/** The longest pause of an agent that has begun to send bytes. */
const STALL_MS = 10 * 60_000
/** The longest pause of a reader. */
const UNREAD_MS = 60 * 60_000

/**
 * Returns the bytes of an answer, as fast as they are read, and keeps none of them. Fails where the
 * answer is cut off; a reader that stops ends the request.
 */
function bytesOf(response: IncomingMessage, timeout: RequestTimeout): ReadableStream<Uint8Array> {
  const chunks = response[Symbol.asyncIterator]()
  timeout.restart(UNREAD_MS)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        timeout.restart(STALL_MS)
        const next = await chunks.next()
        timeout.restart(UNREAD_MS)
        if (!next.done) return controller.enqueue(next.value)
        timeout.end()
        controller.close()
      },
      cancel() {
        timeout.end()
        response.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

const MAX_FAILURE = 64 << 10

/** Sends a request, and returns an answer with 200 or 202; others are refused. */
export async function requestAnswer(
  transport: Transport,
  call: AgentRequest,
  timeout: RequestTimeout,
): Promise<IncomingMessage> {
  const { request, response: first } = await sendOrExplain(transport, call, timeout)
  const again = first.statusCode === 401 && transport.learn(first.headers, request)
  if (again) await readJson(first, MAX_FAILURE).catch(() => undefined)
  const response = again ? (await sendOrExplain(transport, call, timeout)).response : first
  if (response.statusCode === 200 || response.statusCode === 202) return response
  const body = await readJson(response, MAX_FAILURE).catch(() => undefined)
  throw errorOfAnswer(response.statusCode ?? 0, body, response.headers['retry-after'])
}

/** Adds the id of the request that led to this call, for the log of the agent. */
function withRequestId(call: AgentRequest): AgentRequest {
  const id = currentRequestId()
  return id ? { ...call, headers: { ...call.headers, [REQUEST_HEADER]: id } } : call
}

interface SentRequest {
  request: ClientRequest
  response: IncomingMessage
}

async function sendOrExplain(
  transport: Transport,
  call: AgentRequest,
  timeout: RequestTimeout,
): Promise<SentRequest> {
  try {
    return await send(transport, call, timeout)
  } catch (error) {
    throw error instanceof NotConnected ? ((await transport.explain?.(error)) ?? error) : error
  }
}

/** Sends a request, and a repeatable one again when a kept connection was just closing. */
async function send(
  transport: Transport,
  call: AgentRequest,
  timeout: RequestTimeout,
): Promise<SentRequest> {
  const request = transport.open(withRequestId(call))
  try {
    return { request, response: await responseTo(request, timeout) }
  } catch (error) {
    if (timeout.over || !request.reusedSocket || !call.isRepeatable) throw error
    const again = transport.open(withRequestId(call), true)
    const response = await responseTo(again, timeout).catch((second: unknown) => {
      // The first one may have arrived.
      throw second instanceof NotConnected ? error : second
    })
    return { request: again, response }
  }
}

async function responseTo(
  request: ClientRequest,
  timeout: RequestTimeout,
): Promise<IncomingMessage> {
  let isConnecting = false
  request.once('socket', (socket) => {
    isConnecting = socket.connecting
    // On a socket that is used again the event never comes, and its listener would stay.
    if (!isConnecting) return
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      isConnecting = false
    })
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // Whether the reason is passed on: a refusal to contact an address is its own one.
    const isPassedOn = (reason: Error) => !isConnecting || reason instanceof ServiceError
    const fail = (reason: Error) => reject(isPassedOn(reason) ? reason : new NotConnected(reason))
    timeout.guard((reason) => {
      fail(reason)
      request.destroy(reason)
    })
    request.on('error', fail)
    request.on('response', resolve)
  })
  timeout.guard((reason) => response.destroy(reason))
  return response
}
