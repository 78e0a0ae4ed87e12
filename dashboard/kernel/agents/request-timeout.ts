/** Makes the error when it is needed: its stack takes longer than the timer. */
const timeoutError = () => Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' })

/** Ends a request that is too slow or was aborted. */
export class RequestTimeout {
  #destroy: ((reason: Error) => void) | undefined
  #timer: ReturnType<typeof setTimeout>
  readonly #last: ReturnType<typeof setTimeout> | undefined
  readonly #signal: AbortSignal | undefined
  readonly #abort = () => this.#stop(new Error('aborted'))
  over = false

  /** `end`: the final time limit and its error. */
  constructor(ms: number, signal?: AbortSignal, end?: { ms: number; error: () => Error }) {
    this.#timer = this.#arm(ms)
    if (end) this.#last = setTimeout(() => this.#stop(end.error()), end.ms)
    this.#signal = signal
    signal?.addEventListener('abort', this.#abort, { once: true })
  }

  guard(destroy: (reason: Error) => void): void {
    this.#destroy = destroy
    if (this.#signal?.aborted) this.#abort()
  }

  /** Restarts the timer. */
  restart(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#arm(ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#last)
    this.#signal?.removeEventListener('abort', this.#abort)
  }

  #arm(ms: number) {
    return setTimeout(() => this.#stop(timeoutError()), ms)
  }

  #stop(reason: Error): void {
    this.over = true
    this.#destroy?.(reason)
  }
}
