/** The time, so that a test can hold it. */
export interface Clock {
  now(): Date
  /** Returns monotonic milliseconds, which clock changes do not affect. */
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
      // It drops the fraction, and would end too early.
      const timer = setTimeout(done, Math.ceil(ms))
      if (signal?.aborted) done()
      else signal?.addEventListener('abort', done, { once: true })
    }),
}

/** Returns ISO 8601 UTC, as on the wire and in the records; `plus_ms` from now. */
export function timestamp(clock: Clock, plus_ms = 0): string {
  return new Date(clock.now().getTime() + plus_ms).toISOString()
}

/**
 * Returns the next multiple of an interval: work of several parts that begins there wakes the
 * process once, which takes longer than most of it.
 */
export const nextMultiple = (now: number, of: number): number => (Math.floor(now / of) + 1) * of

/** Resolves after `ms`, or early when `wake` does or the signal aborts. */
export async function sleepOrWake(
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
