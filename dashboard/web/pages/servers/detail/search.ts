export const RANGES = ['1h', '6h', '24h', '7d', '30d'] as const
export type Range = (typeof RANGES)[number]

/** What the address of a server says: what its charts span. */
export interface ServerSearch {
  range?: Range
}

export const USUAL_RANGE: Range = '24h'

export function readServerSearch({ range }: Record<string, unknown>): ServerSearch {
  const known = RANGES.find((value) => value === range)
  return known && known !== USUAL_RANGE ? { range: known } : {}
}
