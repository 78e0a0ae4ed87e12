/** One promise: the measured value, and whether it holds. */
export interface Outcome {
  name: string
  found: string
  holds: boolean
}

/** Figures of a browser are in whole milliseconds. */
export const ms = (value: number) => `${value.toFixed(0)} ms`
