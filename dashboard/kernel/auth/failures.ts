import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { tooMany } from '#shared/kernel/errors.ts'

const WINDOW_MS = 15 * 60_000
const MAX_KEYS = 50_000

/** Counts the failures of the last 15 minutes, by key. */
export class Failures {
  readonly #clock: Clock
  readonly #times = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(key: string): number {
    return this.#recent(key).length
  }

  /** Throws 429, with the seconds to wait, when there are `most` of them. */
  check(key: string, most: number): void {
    const recent = this.#recent(key)
    const oldest = recent[recent.length - most]
    if (oldest === undefined) return
    const wait_ms = oldest + WINDOW_MS - this.#clock.elapsed()
    throw tooMany(
      'Too many failed attempts, try again later',
      Math.max(1, Math.ceil(wait_ms / 1000)),
    )
  }

  /** The returned function removes it again. */
  add(key: string): () => void {
    const now = this.#clock.elapsed()
    const times = this.#recent(key)
    this.#times.delete(key)
    this.#times.set(key, [...times, now])
    const [stalest] = this.#times.keys()
    if (this.#times.size > MAX_KEYS && stalest !== undefined) this.#times.delete(stalest)
    return () => this.#remove(key, now)
  }

  clear(key: string): void {
    this.#times.delete(key)
  }

  #recent(key: string): number[] {
    const since = this.#clock.elapsed() - WINDOW_MS
    const recent = (this.#times.get(key) ?? []).filter((time) => time > since)
    if (recent.length === 0) this.#times.delete(key)
    return recent
  }

  #remove(key: string, time: number): void {
    const times = this.#times.get(key) ?? []
    const index = times.indexOf(time)
    if (index >= 0) this.#times.set(key, times.toSpliced(index, 1))
  }
}
