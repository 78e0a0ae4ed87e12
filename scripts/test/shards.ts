/** A shard is one of several parts of the jobs, numbered from 1 on. */
export type Shard = { number: number; of: number }

/** Reads a part such as `2/4`. Throws for anything that names no part. */
export function readShard(text: string): Shard {
  const [, number, of] = text.match(/^(\d+)\/(\d+)$/)?.map(Number) ?? []
  if (!number || !of || number > of) {
    throw new Error(`--shard must be a number of a part and of all parts, such as 2/4, not ${text}`)
  }
  return { number, of }
}

/**
 * Deals things into `count` hands of about the same number of seconds: the longest first, each into
 * the hand that has the fewest. Equal input gives equal hands, on every machine.
 */
export function deal<T>(things: readonly T[], count: number, secondsOf: (thing: T) => number) {
  const hands = Array.from({ length: count }, () => ({ things: [] as T[], seconds: 0 }))
  for (const thing of things.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
    const least = hands.reduce((best, hand) => (hand.seconds < best.seconds ? hand : best))
    least.things.push(thing)
    least.seconds += secondsOf(thing)
  }
  return hands
}
