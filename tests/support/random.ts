import { randomInt } from 'node:crypto'

let chosen: number | undefined

/**
 * Returns the seed of all random inputs of this process: `HOSTING_SEED`, or a random one. The first
 * use prints it, so that a failure can be repeated with the same inputs.
 */
export function seed(): number {
  if (chosen === undefined) {
    chosen = Number(process.env.HOSTING_SEED ?? randomInt(2 ** 31))
    if (!Number.isSafeInteger(chosen)) throw new Error('HOSTING_SEED must be a whole number')
    console.log(`seed: ${chosen}`)
  }
  return chosen
}

/** Choices that follow from a seed alone (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  chance(share: number): boolean {
    return this.below(1_000_000) < share * 1_000_000
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length)
    for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(this.below(2 ** 32), at)
    for (let at = length - (length % 4); at < length; at += 1) bytes[at] = this.below(256)
    return bytes
  }
}
