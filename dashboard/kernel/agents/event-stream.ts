import type { IncomingMessage } from 'node:http'
import { readEvents, type StoredEvent } from '#shared/kernel/sse.ts'
import { unreachable } from './agent-errors.ts'
import type { ReceiveBudget } from './output-limits.ts'
import { chunksFrom } from './read-answer.ts'
import type { RequestTimeout } from './request-timeout.ts'
import type { AgentAddress } from './transport.ts'

/** The longest pause of an agent, which sends a comment every 10 s. */
const STALL_MS = 45_000

export interface StreamCall {
  path: string
  body: unknown
  operation_id: string
  /** The last received event, by the numbers of the agent; 0 for none. */
  after: number
  signal: AbortSignal
  /** The time limit of the connection, and its error. */
  end: { ms: number; error: () => Error }
  allowance: ReceiveBudget
  /** Called when the agent is reachable, before anything is sent. */
  sending?(): Promise<void>
}

export async function* eventsOf(
  to: AgentAddress,
  response: IncomingMessage,
  timeout: RequestTimeout,
  call: StreamCall,
): AsyncGenerator<StoredEvent> {
  try {
    timeout.restart(STALL_MS)
    yield* readEvents(untilStalled(response, timeout, call))
  } catch (error) {
    throw unreachable(to, error)
  } finally {
    timeout.end()
    response.destroy()
  }
}

async function* untilStalled(
  response: IncomingMessage,
  timeout: RequestTimeout,
  { allowance }: StreamCall,
): AsyncGenerator<Uint8Array> {
  for await (const piece of chunksFrom(response)) {
    timeout.restart(STALL_MS)
    allowance.received({ bytes: piece.length })
    yield piece
  }
}
