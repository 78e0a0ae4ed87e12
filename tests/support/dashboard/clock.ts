import { type Clock, realClock } from '#dashboard/kernel/runtime/clock.ts'

/** Stands still until a test moves it; a sleep ends when its time has come. */
export class HeldClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00.000Z')
  #elapsed = 0

  now(): Date {
    return new Date(this.#now)
  }

  elapsed(): number {
    return this.#elapsed
  }

  /** Time passes. */
  move(ms: number): void {
    this.#now += ms
    this.#elapsed += ms
  }

  /** The time of day changes. */
  set(ms: number): void {
    this.#now += ms
  }

  async sleep(_ms: number, _signal?: AbortSignal): Promise<void> {}
}

/** Moves only on request; each sleeper wakes at its own time. */
export class SteppedClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00.000Z')
  #set = 0
  readonly #sleepers = new Set<{ until: number; wake: () => void }>()

  now(): Date {
    return new Date(this.#now + this.#set)
  }

  elapsed(): number {
    return this.#now
  }

  /** The time of day changes. */
  set(ms: number): void {
    this.#set += ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const sleeper = { until: this.#now + ms, wake: resolve }
    this.#sleepers.add(sleeper)
    signal?.addEventListener('abort', () => resolve(), { once: true })
    return promise.finally(() => this.#sleepers.delete(sleeper))
  }

  /** Work of each moment on the way completes before the next one. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await new Promise((done) => setImmediate(done))
      const [first] = [...this.#sleepers].sort((one, other) => one.until - other.until)
      if (!first || first.until > end) break
      this.#now = first.until
      first.wake()
    }
    this.#now = end
  }
}

const HURRY = 100

/** The real time; after `hurry`, a second counts as a hundred, so that a deadline is soon over. */
export class HastyClock implements Clock {
  readonly #started = realClock.elapsed()
  readonly #date = Date.now()
  #hurried: number | undefined

  now(): Date {
    return new Date(this.#date + this.elapsed() - this.#started)
  }

  elapsed(): number {
    const real = realClock.elapsed()
    return this.#hurried === undefined ? real : real + (real - this.#hurried) * (HURRY - 1)
  }

  hurry(): void {
    this.#hurried = realClock.elapsed()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return realClock.sleep(ms, signal)
  }
}
