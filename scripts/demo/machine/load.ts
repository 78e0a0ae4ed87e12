import { hashOf } from '#agent/kernel/host/simulated/dice.ts'
import { DAY_MS } from '#scripts/demo/time.ts'

/** The distance between the points of a curve, and the weight of each kind. */
const WAVES = [
  [7 * DAY_MS, 0.12],
  [6 * 3_600_000, 0.14],
  [40 * 60_000, 0.12],
  [4 * 60_000, 0.16],
] as const

/**
 * Computes the load of a server at a time, from 0 to 1: higher by day than by night and on Sundays,
 * with variation. The same server at the same time always has the same load.
 */
export class Load {
  readonly #seed: string
  readonly #level: number

  constructor(seed: string, level: number) {
    this.#seed = seed
    this.#level = level
  }

  at(ms: number): number {
    const hour = (ms % DAY_MS) / 3_600_000
    const day = 0.5 - 0.5 * Math.cos(((hour - 4) / 24) * 2 * Math.PI)
    const sunday = new Date(ms).getUTCDay() === 0 ? 0.75 : 1
    const noise = WAVES.reduce((sum, [step, weight]) => sum + weight * this.#wave(ms, step), 0)
    const value = this.#level * sunday * (0.35 + 0.9 * day) * (1 + 2 * noise)
    return Math.min(0.98, Math.max(0.01, value))
  }

  /** Returns the average load in the hour around a time, which memory follows. */
  slow(ms: number): number {
    const steps = [-2, -1, 0, 1, 2].map((step) => this.at(ms + step * 12 * 60_000))
    return steps.reduce((sum, value) => sum + value, 0) / steps.length
  }

  /** Returns a value from -0.5 to 0.5, smooth between its points. */
  #wave(ms: number, step: number): number {
    const place = Math.floor(ms / step)
    const part = ms / step - place
    const smooth = part * part * (3 - 2 * part)
    const before = this.#point(step, place)
    return before + (this.#point(step, place + 1) - before) * smooth
  }

  #point(step: number, place: number): number {
    return hashOf(`${this.#seed} ${step} ${place}`) / 2 ** 32 - 0.5
  }
}
