/** Time, so that a test can hold it. */
export interface Clock {
  now(): Date
  /** Monotonic milliseconds: unaffected by clock changes. */
  elapsed(): number
  /** Resolves after `ms`, or early and without an error when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const realClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      if (signal?.aborted) done()
      else signal?.addEventListener('abort', done, { once: true })
    }),
}

/** ISO 8601 UTC, as on the wire and in the records; `plus_ms` from now. */
export function timestamp(clock: Clock, plus_ms = 0): string {
  return new Date(clock.now().getTime() + plus_ms).toISOString()
}

/** Resolves after `ms`, or early when `wake` does or the signal aborts. */
export async function rest(
  clock: Clock,
  ms: number,
  wake: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const end = () => over.abort()
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  await Promise.race([wake, clock.sleep(ms, over.signal)])
  signal.removeEventListener('abort', end)
  end()
}
