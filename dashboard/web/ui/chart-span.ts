interface Columns {
  from: string
  to: string
  at: readonly number[]
}

export interface ChartSpan {
  /** In seconds since 1970. */
  span: readonly [from: number, to: number]
  /** When the readings began; null: before the requested period. */
  since: string | null
}

/**
 * The part of a period that a chart shows: a new server or site has no readings before it was there.
 * `since`: its first reading, or when it was created; null: not known.
 */
export function spanSince({ from, to, at }: Columns, since: string | null): ChartSpan {
  const [start, end] = [Date.parse(from) / 1000, Date.parse(to) / 1000]
  const began = since === null ? start : Date.parse(since) / 1000
  // The point that has the first reading begins before it.
  const first = at.findLast((time) => time <= began) ?? start
  const isNew = first > start && first < end
  return isNew ? { span: [first, end], since } : { span: [start, end], since: null }
}
