/** The golden section, whose multiples modulo 1 spread evenly (Knuth, TAOCP 3, 6.4). */
export const GOLDEN_SECTION = (Math.sqrt(5) - 1) / 2

/**
 * Returns the next time, within this range from `now`, of repeated work for one of many servers.
 * Work that began for all of them at once is so spread over the range, from its second time on.
 */
export function nextSpreadTime(
  id: number,
  now: number,
  { least_ms, most_ms }: { least_ms: number; most_ms: number },
): number {
  const period = most_ms - least_ms
  const place = ((id * GOLDEN_SECTION) % 1) * period
  const first = now + least_ms
  return first + ((((place - first) % period) + period) % period)
}
