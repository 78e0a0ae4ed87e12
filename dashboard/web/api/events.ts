import { isTerminal, readEvents, type StoredEvent } from '#shared/kernel/sse.ts'
import { ApiError } from './client.ts'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 15_000

export type Connection = 'connecting' | 'live' | 'disconnected' | 'ended'

interface Follower {
  /**
   * Called once for each event, in order, whatever happens to the connection; steps since the last
   * numbered event may come again.
   */
  onEvent(event: StoredEvent): void
  onConnection(state: Connection): void
  /** Whether the stream resumes after the last event (`Last-Event-ID`). */
  resumes: boolean
  /** Whether a stream that is interrupted without an end is complete. */
  hasEnded?(): boolean
}

/**
 * Follows a stream of events until its end, and resumes it after an interruption. A tab in the
 * background holds no connection. Throws ApiError when the stream does not exist or the
 * session has ended.
 */
export async function followEvents(path: string, signal: AbortSignal, follower: Follower) {
  const state = { last: 0, wait: FIRST_WAIT_MS }
  while (!signal.aborted) {
    await visible(signal)
    if (await readOnce(path, signal, follower, state)) return follower.onConnection('ended')
    if (signal.aborted || document.hidden) continue
    if (follower.hasEnded?.()) return follower.onConnection('ended')
    follower.onConnection('disconnected')
    await pause(state.wait, signal)
    state.wait = Math.min(2 * state.wait, MAX_WAIT_MS)
  }
}

/** True when the stream has ended, false when it broke off. */
async function readOnce(
  path: string,
  signal: AbortSignal,
  { resumes, onEvent, onConnection }: Follower,
  state: { last: number; wait: number },
): Promise<boolean> {
  const closed = new AbortController()
  const check = () => document.hidden && closed.abort()
  document.addEventListener('visibilitychange', check, { signal: closed.signal })
  try {
    const either = AbortSignal.any([signal, closed.signal])
    const events = await open(path, resumes ? state.last : 0, either)
    onConnection('live')
    for await (const event of events) {
      state.wait = FIRST_WAIT_MS
      state.last = event.id
      onEvent(event)
      if (isTerminal(event)) return true
    }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) throw error
  } finally {
    closed.abort()
  }
  return false
}

async function open(path: string, last: number, signal: AbortSignal) {
  const headers = last > 0 ? { 'last-event-id': String(last) } : {}
  const response = await fetch(path, { headers, signal })
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => ({})))
  return readEvents(chunksOf(response))
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) return
    yield value
  }
}

/** Resolves when the page is visible, or on the signal. */
function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = new AbortController()
    const check = () => {
      if (document.hidden && !signal.aborted) return
      done.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', check, { signal: done.signal })
    signal.addEventListener('abort', check, { signal: done.signal })
    check()
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
