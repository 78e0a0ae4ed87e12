/** Returns the duration of some work in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * Returns the shortest of several attempts of each measurement: other work of the machine only adds
 * time. They alternate, so that a slow moment of the machine affects all.
 */
export async function shortest<Name extends string>(
  tries: number,
  measurements: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const best = {} as Record<Name, number>
  const entries = Object.entries(measurements) as [Name, () => Promise<number>][]
  for (let turn = 0; turn < tries; turn++)
    for (const [name, measure] of entries)
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, await measure())
  return best
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the median; of an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  return (
    ((sorted[Math.floor(half)] ?? Number.NaN) + (sorted[Math.ceil(half) - 1] ?? Number.NaN)) / 2
  )
}

/** The value below which this share of all values is. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
