/** Asks every `every_ms` until the answer is neither undefined nor false; undefined at the end. */
export async function poll<T>(
  ask: () => Promise<T> | T,
  { every_ms = 20, timeout_ms = 10_000 } = {},
): Promise<Exclude<T, undefined | false> | undefined> {
  const end = performance.now() + timeout_ms
  while (performance.now() < end) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
    await new Promise((resolve) => setTimeout(resolve, every_ms))
  }
  return undefined
}
