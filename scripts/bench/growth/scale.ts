/** A logarithmic axis: whole decades from `start` to `end`, in pixels. */
export interface Scale {
  /** The place of a value. */
  at(value: number): number
  /** The powers of ten, first and last included. */
  ticks: number[]
}

/** The decades that contain all values, which are above 0. */
export function scaleOf(values: readonly number[], start: number, end: number): Scale {
  const first = Math.floor(Math.log10(Math.min(...values)))
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values))))
  const ticks = Array.from({ length: last - first + 1 }, (_, decade) => powerOf(first + decade))
  const at = (value: number) =>
    start + ((Math.log10(value) - first) / (last - first)) * (end - start)
  return { at, ticks }
}

/** Exactly 0.001, and not 0.0010000000000000002. */
const powerOf = (exponent: number) => Number(`1e${exponent}`)

/** Two significant digits, such as `0.25`, `1.3`, `29` and `295`. */
export function shortNumber(value: number): string {
  const number = value >= 100 ? Math.round(value) : Number(value.toPrecision(2))
  return number.toLocaleString('en-US', { maximumFractionDigits: 6 })
}
