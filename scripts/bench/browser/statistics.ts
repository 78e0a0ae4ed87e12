export const median = (values: readonly number[]) => quantile(values, 0.5)

/** The value below which this part of all is. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Of the line through the points with the least squares. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (axis: 'x' | 'y') => points.reduce((sum, at) => sum + at[axis], 0) / points.length
  const [x, y] = [mean('x'), mean('y')]
  const together = points.reduce((sum, at) => sum + (at.x - x) * (at.y - y), 0)
  return together / points.reduce((sum, at) => sum + (at.x - x) ** 2, 0)
}
