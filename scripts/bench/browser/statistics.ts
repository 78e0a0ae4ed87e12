interface Line {
  slope: number
  /** The standard error of the slope: the share of chance. */
  error: number
  at(x: number): number
}

/** The line through the points by least squares. */
export function lineThrough(points: readonly { x: number; y: number }[]): Line {
  const mean = (axis: 'x' | 'y') => points.reduce((sum, at) => sum + at[axis], 0) / points.length
  const sum = (part: (at: { x: number; y: number }) => number) =>
    points.reduce((total, at) => total + part(at), 0)
  const [x, y] = [mean('x'), mean('y')]
  const wide = sum((at) => (at.x - x) ** 2)
  const slope = sum((at) => (at.x - x) * (at.y - y)) / wide
  const at = (there: number) => y + slope * (there - x)
  const off = sum((point) => (point.y - at(point.x)) ** 2) / (points.length - 2)
  return { slope, error: Math.sqrt(off / wide), at }
}
