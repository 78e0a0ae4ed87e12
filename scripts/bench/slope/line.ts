export interface Point {
  x: number
  y: number
}

/** A straight line through points with noise. */
export interface Line {
  slope: number
  /** The standard error of the slope. */
  error: number
  /** The standard deviation of the points from the line. */
  noise: number
}

/** By least squares. Throws for fewer than three points. */
export function lineThrough(points: readonly Point[]): Line {
  if (points.length < 3) throw new Error('a line with noise needs three points')
  const x = meanOf(points.map((point) => point.x))
  const y = meanOf(points.map((point) => point.y))
  const spread = sumOf(points.map((point) => (point.x - x) ** 2))
  const slope = sumOf(points.map((point) => (point.x - x) * (point.y - y))) / spread
  const rest = points.map((point) => point.y - y - slope * (point.x - x))
  const noise = Math.sqrt(sumOf(rest.map((each) => each ** 2)) / (points.length - 2))
  return { slope, error: noise / Math.sqrt(spread), noise }
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]) => sumOf(values) / values.length
