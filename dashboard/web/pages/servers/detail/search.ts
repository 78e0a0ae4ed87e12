export const RANGES = ['1h', '6h', '24h', '7d', '30d'] as const
export type Range = (typeof RANGES)[number]

/** The parameters of the address: the span of the charts. */
export interface ServerSearch {
  range?: Range
}

export const DEFAULT_RANGE: Range = '24h'

export function readServerSearch({ range }: Record<string, unknown>): ServerSearch {
  const known = RANGES.find((value) => value === range)
  return known && known !== DEFAULT_RANGE ? { range: known } : {}
}
