import type { ErrorBody } from '#shared/kernel/errors.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import type { StepState } from '#shared/kernel/steps.ts'

/** A log line, the titles of steps to come, or the title of a step that starts, also a line. */
type News = string | { announces: readonly string[] } | { begins: string; name?: string }
/** The work of a command on the fake machine: returns the data of `complete`. */
export type Work = (
  params: Record<string, unknown>,
) => AsyncGenerator<News, Record<string, unknown>>

/** Thrown by a work: the operation ends in an `error` event with this body. */
export class Refused extends Error {
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(body.message ?? body.error)
    this.body = body
  }
}

export interface Known {
  /**
   * The text of the request; undefined for an operation that was cancelled before it was received.
   */
  request: string | undefined
  events: StoredEvent[]
  wake: PromiseWithResolvers<void>
}

export async function carry(known: Known, progress: ReturnType<Work>): Promise<void> {
  const steps = new Steps(known)
  try {
    for (;;) {
      const { done, value } = await progress.next()
      if (done) {
        steps.end('done')
        return say(known, 'complete', value)
      }
      if (typeof value === 'string') say(known, 'log', { message: value })
      else steps.take(value)
    }
  } catch (error) {
    steps.end('failed')
    const body = error instanceof Refused ? error.body : { error: 'Internal error' }
    say(known, 'error', { ...body })
  }
}

class Steps {
  readonly #known: Known
  #running: { name: string; title: string } | undefined

  constructor(known: Known) {
    this.#known = known
  }

  take(news: Exclude<News, string>): void {
    if ('announces' in news) {
      for (const title of news.announces) this.#report({ name: title, title }, 'waiting')
      return
    }
    this.end('done')
    this.#running = { name: news.name ?? news.begins, title: news.begins }
    this.#report(this.#running, 'running')
    say(this.#known, 'log', { message: news.begins })
  }

  /** The running operation, if any. */
  end(state: StepState): void {
    if (this.#running) this.#report(this.#running, state)
  }

  #report(step: { name: string; title: string }, state: StepState): void {
    say(this.#known, 'step', { ...step, state })
  }
}

/** Nothing after the end: further output of a work is not reported. */
export function say(
  known: Known,
  event: StoredEvent['event'],
  data: Record<string, unknown>,
): void {
  if (known.events.some(isTerminal)) return
  const last = known.events.filter(isNumbered).length
  known.events.push({ id: event === 'step' ? last : last + 1, event, data })
  known.wake.resolve()
  known.wake = Promise.withResolvers()
}

/** A work that prints the same whatever its params are. */
export interface Script {
  lines?: readonly string[]
  /** The data of `complete`, after its status. */
  complete?: Record<string, unknown>
  /** The end, instead of `complete`. */
  error?: ErrorBody
  /** Awaited before the end. */
  hold?: Promise<void>
}
