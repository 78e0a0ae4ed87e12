/**
 * Asks every `every_ms` until the answer is neither undefined nor false; undefined after the
 * timeout. A slow answer is requested less often, because it shares the processors with the awaited
 * work. The timeout is for failures: on a busy machine everything takes ten times as long.
 */
export async function poll<T>(
  ask: () => Promise<T> | T,
  { every_ms = 20, timeout_ms = 180_000 } = {},
): Promise<Exclude<T, undefined | false> | undefined> {
  const end = performance.now() + timeout_ms
  while (performance.now() < end) {
    const asked = performance.now()
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    const rest_ms = Math.max(every_ms, 2 * (performance.now() - asked))
    await new Promise((resolve) => setTimeout(resolve, rest_ms))
  }
  return undefined
}

/**
 * Waits for a state of nginx after a reload: for 100 ms its former workers accept visits beside the
 * new ones, so the state has come when no former worker has answered for longer than that.
 */
export function settles(isThere: () => Promise<boolean>): Promise<true | undefined> {
  let since_ms = Number.POSITIVE_INFINITY
  return poll(async () => {
    const asked_ms = performance.now()
    since_ms = (await isThere()) ? Math.min(since_ms, asked_ms) : Number.POSITIVE_INFINITY
    return performance.now() - since_ms > 300
  })
}
