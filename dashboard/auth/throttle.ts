import type { Clock } from '#dashboard/runtime/clock.ts'
import { tooMany } from '#shared/errors.ts'

const WINDOW_MS = 15 * 60_000
const ACCOUNT = 5
const ADDRESS = 20
const MOST_KEYS = 50_000

/**
 * Counts failed logins in the last 15 minutes: 5 for an account, 20 for an address. An attempt counts
 * as failed from its beginning until it succeeds, so that many at once gain nothing.
 */
export class Throttle {
  readonly #clock: Clock
  readonly #attempts = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws 429 with the seconds to wait. The function it returns takes the attempt back. */
  take(account: string, address: string): () => void {
    const keys = [
      { key: `account ${account}`, most: ACCOUNT },
      { key: `address ${address}`, most: ADDRESS },
    ]
    const now = this.#clock.elapsed()
    for (const { key, most } of keys) this.#check(key, most, now)
    for (const { key } of keys) this.#add(key, now)
    return () => {
      this.#attempts.delete(`account ${account}`)
      this.#remove(`address ${address}`, now)
    }
  }

  #check(key: string, most: number, now: number): void {
    const recent = (this.#attempts.get(key) ?? []).filter((time) => time > now - WINDOW_MS)
    if (recent.length > 0) this.#attempts.set(key, recent)
    else this.#attempts.delete(key)
    const oldest = recent[recent.length - most]
    if (oldest === undefined) return
    const seconds = Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000))
    throw tooMany('Too many failed logins, try again later', seconds)
  }

  #add(key: string, now: number): void {
    const times = this.#attempts.get(key) ?? []
    this.#attempts.delete(key)
    this.#attempts.set(key, [...times, now])
    const [stalest] = this.#attempts.keys()
    if (this.#attempts.size > MOST_KEYS && stalest !== undefined) this.#attempts.delete(stalest)
  }

  #remove(key: string, time: number): void {
    const times = this.#attempts.get(key) ?? []
    const index = times.indexOf(time)
    if (index >= 0) times.splice(index, 1)
  }
}
