import type { Clock } from '#dashboard/runtime/clock.ts'

/** Stands still until it is moved; a sleep ends when its time has come. */
export class HeldClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00.000Z')

  now(): Date {
    return new Date(this.#now)
  }

  move(ms: number): void {
    this.#now += ms
  }

  async sleep(_ms: number, _signal?: AbortSignal): Promise<void> {}
}
