import { isInFuture } from '#shared/kernel/age.ts'
import type { Clock } from './clock.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS

interface Deps {
  clock: Clock
  /** The newest time in the records before this process wrote any; null without any. */
  newest: string | null
  /**
   * Whether another machine agrees with the time of day: an agent has accepted a request that was
   * signed now. It is true without agents.
   */
  prove(): Promise<boolean>
}

/**
 * Decides whether the time of day can be trusted. Until then nothing is deleted or started by its age:
 * a machine with an empty battery, or a restored snapshot, starts with any time.
 */
export class ClockWatch {
  readonly #deps: Deps
  #offset: number
  #wait_until: number
  #isProven = false
  #proof: Promise<boolean> | undefined

  /** Waits for an hour when the records are of the future, or end long ago: a mistake is corrected by then. */
  constructor(deps: Deps) {
    const { clock, newest } = deps
    this.#deps = deps
    this.#offset = this.#now()
    const isUnlikely = newest !== null && isFar(newest, clock.now())
    this.#wait_until = isUnlikely ? clock.elapsed() + HOUR_MS : Number.NEGATIVE_INFINITY
  }

  /**
   * Whether the time is trusted: not until it is proven, after the start and after each change of
   * the clock by more than an hour; and not for an hour after such a change.
   */
  async isTrusted(): Promise<boolean> {
    const { clock, prove } = this.#deps
    this.#look()
    if (clock.elapsed() < this.#wait_until) return false
    if (this.#isProven) return true
    this.#proof ??= prove().finally(() => {
      this.#proof = undefined
    })
    const isProven = await this.#proof
    // The clock may have been changed while the agents were asked.
    this.#look()
    this.#isProven = isProven && clock.elapsed() >= this.#wait_until
    return this.#isProven
  }

  #look(): void {
    const offset = this.#now()
    if (Math.abs(offset - this.#offset) > HOUR_MS) {
      this.#isProven = false
      this.#wait_until = this.#deps.clock.elapsed() + HOUR_MS
    }
    this.#offset = offset
  }

  #now(): number {
    return this.#deps.clock.now().getTime() - this.#deps.clock.elapsed()
  }
}

const isFar = (newest: string, now: Date) =>
  isInFuture(newest, now) || now.getTime() - Date.parse(newest) > DAY_MS
