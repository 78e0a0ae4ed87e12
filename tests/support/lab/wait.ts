interface Waiting {
  every_ms?: number
  timeout_ms?: number
  /** Names the state in the failure; otherwise the source of the condition does. */
  awaited?: string
}

/**
 * Asks until the answer is neither undefined nor false, and throws after the timeout: no test goes
 * on as if the state were there. The timeout is for failures: on a busy machine everything takes
 * ten times as long.
 */
export async function poll<T>(
  ask: () => Promise<T> | T,
  waiting: Waiting = {},
): Promise<Exclude<T, undefined | false>> {
  const { timeout_ms = TIMEOUT_MS, awaited = sourceOf(ask) } = waiting
  // Created before the first wait, its stack names the caller.
  const late = new Error(`not within ${timeout_ms / 1000} s: ${awaited}`)
  const answer = await polled(ask, waiting)
  if (answer === undefined) throw late
  return answer
}

/**
 * Waits like `poll`, and returns undefined after the timeout. It is for callers that know more about
 * the failure, or for whom the end of the time is no failure.
 */
export async function polled<T>(
  ask: () => Promise<T> | T,
  { every_ms = 20, timeout_ms = TIMEOUT_MS }: Waiting = {},
): Promise<Exclude<T, undefined | false> | undefined> {
  const end = performance.now() + timeout_ms
  while (performance.now() < end) {
    const asked = performance.now()
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    // A slow answer is requested less often: it shares the processors with the awaited work.
    const rest_ms = Math.max(every_ms, 4 * (performance.now() - asked))
    await new Promise((resolve) => setTimeout(resolve, rest_ms))
  }
  return undefined
}

/**
 * Waits for a state of nginx after a reload: for 100 ms its former workers accept visits beside the
 * new ones, so the state has come when no former worker has answered for longer than that.
 */
export function settles(isThere: () => Promise<boolean>): Promise<true> {
  let since_ms = Number.POSITIVE_INFINITY
  const settled = async () => {
    const asked_ms = performance.now()
    since_ms = (await isThere()) ? Math.min(since_ms, asked_ms) : Number.POSITIVE_INFINITY
    return performance.now() - since_ms > 300
  }
  return poll(settled, { awaited: sourceOf(isThere) })
}

const TIMEOUT_MS = 180_000

/** Returns the condition as it stands in the test, in one line. */
const sourceOf = (ask: () => unknown) => ask.toString().replace(/\s+/g, ' ').slice(0, 300)
