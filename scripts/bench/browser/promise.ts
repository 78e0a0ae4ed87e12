import type { Measurement } from '#scripts/bench/lib/figure.ts'

/** One promise: the measured value, and whether it holds. */
export interface Outcome {
  name: string
  found: string
  holds: boolean
  /** The value for `bun run bench`, if it is a number. */
  figure?: Measurement
}

/** Figures of a browser are in whole milliseconds. */
export const ms = (value: number) => `${value.toFixed(0)} ms`
