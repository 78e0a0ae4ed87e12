import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { Timeline } from './timeline.ts'

/**
 * A process that may end at any call to the outside: the call then never returns, so none of its
 * code continues, as after SIGKILL.
 */
export class Process {
  readonly name: string
  alive = true
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** The number of effects left; it ends during the last one. */
  fuse = Number.POSITIVE_INFINITY
  readonly #timeline: Timeline
  readonly #dice: Dice
  readonly #onEnd: () => void

  constructor(name: string, world: { timeline: Timeline; dice: Dice }, onEnd: () => void) {
    this.name = name
    this.#timeline = world.timeline
    this.#dice = world.dice.fork()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#onEnd = () => {
      onEnd()
      resolve()
    }
  }

  kill(): void {
    if (!this.alive) return
    this.alive = false
    this.#onEnd()
  }

  /** A read: immediate; never resolves once the process has ended. */
  look<T>(value: () => T | Promise<T>): Promise<T> {
    if (!this.alive) return new Promise(() => undefined)
    try {
      return Promise.resolve(value())
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** A change outside takes a while; the process may end before it or right after. */
  act<T>(effect: () => T | Promise<T>, least_ms = 0.05, most_ms = 4): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.alive) return
      this.#timeline.after(this.#dice.between(least_ms, most_ms), () => {
        const answer = this.#attempt(effect)
        if (!answer) return
        if ('value' in answer) resolve(answer.value)
        else reject(answer.error)
      })
    })
  }

  /** Returns the value or the error of an effect; undefined when the process has ended. */
  #attempt<T>(effect: () => T): { value: T } | { error: unknown } | undefined {
    if (!this.alive) return undefined
    this.fuse -= 1
    const last = this.fuse === 0
    if (last && this.#dice.chance(0.5)) this.kill()
    if (!this.alive) return undefined
    const answer = attempted(effect)
    if (last) this.kill()
    return this.alive ? answer : undefined
  }
}

function attempted<T>(effect: () => T): { value: T } | { error: unknown } {
  try {
    const value = effect()
    if (value instanceof Promise) value.catch(() => undefined)
    return { value }
  } catch (error) {
    return { error }
  }
}
